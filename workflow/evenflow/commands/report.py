"""`evenflow report FOLDER`: the page of a folder of logs, and what was found and assumed.

Nothing is written into the folder. OUT is a study with one data set, a link to it: by the command
that is said, or by a Snakefile of one's own, everything can be made there without this module.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
import webbrowser
from collections import Counter
from importlib import import_module
from pathlib import Path

from ..errors import DataError
from ..ingest.described.folders import find_datasets
from ..markdown import counted
from ..paths import holds_files, printable
from ..places import PROFILE, SNAKEFILE, STATE, Folders
from ..runs.settled import NOTHING, Command
from .start import INTERRUPTED, environment, run, snakemake

MAX_NAME = 100  # bytes of the name of a data set that is taken from a folder's
SHOWN = 3  # of what is assumed
UNKNOWN = "unknown"  # format of what is no log that evenflow reads


def report(logs: Path, out: Path | None, opens: bool) -> int:
    """Make the page of a folder of logs in another folder, and say what was found and assumed.

    Args:
        logs: the folder, which is only read.
        out: the other; None: evenflow-<its name> in the working folder.
        opens: whether a browser is to show the page.

    Returns:
        The exit code of Snakemake; INTERRUPTED where Ctrl-C ended it.

    Raises:
        DataError: there is no such folder, nothing in it, or OUT cannot be used.
    """
    known, (logs, out, name) = Folders(), study_of(logs, out)
    page = f"{known.site}/datasets/{name}/index.html"
    words, env = words_for(out, page), environment(out)
    command, code, is_old = Command(out, words, env, [logs]), 0, False
    lines = command.said()
    if lines is None:
        command.forget()
        print(f"$ {shlex.join(words)}", flush=True)
        before = made_ns(out / page)
        code = run(words, env, lambda: import_module("polars"))  # for what is said at the end
        lines = [] if code else found(out / known.derived / name)
        is_old = before is not None and before == made_ns(out / page)
        if not code:
            command.keep(lines)
    else:
        print(NOTHING)
    if code != INTERRUPTED and (out / page).is_file():
        what = "No page was made; what went wrong is said in its place" if code else "Page"
        if code and is_old:
            what = "No page was made; the one that is there is of an earlier run"
        print("\n".join([*lines, f"{what}: {out / page}"]), flush=True)
        if opens and not (code and is_old):
            webbrowser.open((out / page).as_uri())
    return code


def made_ns(page: Path) -> int | None:
    """Return when a page was written, ns; None where it is not there."""
    return page.stat().st_mtime_ns if page.is_file() else None


def study_of(logs: Path, out: Path | None) -> tuple[Path, Path, str]:
    """Have OUT be a study of a folder of logs; return both, whole, and the data set's name.

    Raises:
        DataError: there is no such folder, nothing in it, or OUT cannot be used.
    """
    logs = logs.resolve()
    if not logs.is_dir() or not holds_files(logs):
        problem = "there is no file in it" if logs.is_dir() else "there is no such folder"
        remedy = "name the folder that holds the logs"
        if link := next((p for p in sorted(logs.rglob("*")) if p.is_symlink()), None):
            problem = f"there is no file in it but behind {link.name}, a link to a folder"
            remedy = (
                f"name the folder itself, as links to folders are not followed: {link.resolve()}"
            )
        raise DataError(problem, path=logs, remedy=remedy)
    name = name_of(logs)
    out = (out or Path(f"evenflow-{name}")).resolve()
    return logs, out, link_of(logs, out, name)


def name_of(logs: Path) -> str:
    """Return the name of a folder as of a data set: its letters, and `-` for spaces and signs."""
    whole = unicodedata.normalize("NFC", logs.name)  # some disks part a letter from its mark
    name = re.sub(r"[^\w.-]+", "-", whole).strip(".-")
    return name.encode()[:MAX_NAME].decode(errors="ignore") or "logs"


def words_for(out: Path, target: str) -> list[str]:
    """Return the command that makes something of OUT with the workflow of this package."""
    words = snakemake("--snakefile", SNAKEFILE, "--workflow-profile", str(PROFILE))
    words += ["--directory", str(out), "--cores", "all", "--logger", "evenflow"]
    return [*words, "--config", "alone=True", "--", target]


def link_of(logs: Path, out: Path, name: str) -> str:
    """Have a folder be the data set of OUT, by a link to it; return the data set's name.

    Raises:
        DataError: OUT is not for that.
    """
    elsewhere = "name another folder: -o OUT"
    if out.is_relative_to(logs):
        raise DataError(f"it is inside {logs}, which is only read", path=out, remedy=elsewhere)
    if out.exists() and not out.is_dir():
        raise DataError("it is not a folder", path=out, remedy=elsewhere)
    if (out / "Snakefile").exists():
        remedy = f"{elsewhere}; a folder in {Folders().raw} is a data set of the study"
        raise DataError("it is a study of its own", path=out, remedy=remedy)
    if out.is_dir() and any(out.iterdir()) and not (out / STATE).is_dir():
        raise DataError("there are files that evenflow did not make", path=out, remedy=elsewhere)
    raw = out / Folders().raw
    try:
        (out / STATE).mkdir(parents=True, exist_ok=True)
        raw.mkdir(parents=True, exist_ok=True)
        names = (name, f"{name}-logs", "logs")
        for link in (raw / one for one in names):
            if link.is_symlink() and not link.exists():
                link.unlink()  # to logs that are not there any more
            if not link.is_symlink() and not link.exists():
                link.symlink_to(logs, target_is_directory=True)
            if link.resolve() == logs and link.name in find_datasets(raw):
                return link.name
            if link.is_symlink() and link.resolve() == logs:
                link.unlink()  # a name that cannot be carried through the workflow
    except OSError as error:
        raise DataError(f"{error.strerror}: {error.filename}", path=out, remedy=elsewhere) from None
    raise DataError(f"it has other logs of that name, {name}", path=out, remedy=elsewhere)


def found(tables: Path) -> list[str]:
    """Return in five lines what was found in logs, and what was assumed.

    Args:
        tables: the folder of the tables of the data set.
    """
    import polars as pl

    read = {
        name: pl.read_parquet(tables / f"{name}.parquet")
        for name in ("run", "flow", "ledger", "finding", "assumption")
    }
    run, flow, finding = (read[name] for name in ("run", "flow", "finding"))
    files = read["ledger"].filter(pl.col("entry") == "file")
    of_format = Counter(files["format"].fill_null(UNKNOWN)).items()
    formats = sorted(of_format, key=lambda pair: (-pair[1], pair[0]))
    kinds = ", ".join(f"{n} {'in no known format' if f == UNKNOWN else f}" for f, n in formats)
    ccas = ", ".join(sorted(flow["cca"].drop_nulls().unique())) or "not stated"
    scenarios = counted(run["scenario_id"].n_unique(), "scenario")
    rejected = int(files["lines_rejected"].sum() or 0)
    kinds_found = finding["severity"].unique(maintain_order=True)  # the worst come first
    severe = ", ".join(counted((finding["severity"] == k).sum(), k) for k in kinds_found)
    said = [
        f"{what}: {value.partition(';')[0]}"
        for what, value in read["assumption"].select("what", "value").iter_rows()
    ]
    more = f"; and {len(said) - SHOWN} more" if len(said) > SHOWN else ""
    flows = f", {counted(len(flow), 'flow')} (congestion control: {ccas})" if len(flow) else ""
    lines = [
        f"Files:    {len(files)} ({kinds})",
        f"Runs:     {f'{len(run)} of {scenarios}{flows}' if len(run) else 'none'}",
        f"Lines:    {int(files['lines'].sum() or 0)}, of which {rejected} could not be read",
        f"Findings: {severe or 'none'}",
        f"Assumed:  {'; '.join(said[:SHOWN]) or 'nothing'}{more}",
    ]
    return [printable(line) for line in lines]
