"""The command `evenflow`: a thin layer on Snakemake, which says the command that it runs.

`evenflow report FOLDER` makes the page of a folder of logs. Nothing is written into the folder. OUT
is a study with one data set, a link to it: by the command that is said, or by a Snakefile of one's
own (docs/guides/own-study.md), everything can be made there without this module.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import webbrowser
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .errors import DataError
from .paths import holds_files, printable
from .places import PROFILE, SNAKEFILE, STATE, Folders
from .runs.settled import NOTHING, Command

MAX_NAME = 100  # characters of the name of a data set that is taken from a folder's
SHOWN = 3  # of what is assumed
UNKNOWN = "unknown"  # format of what is no log that evenflow reads


def main() -> None:
    """Read the command line and do what it says."""
    parser = argparse.ArgumentParser(prog="evenflow", description="From logs of TCP flows to pages")
    parser.add_argument("--version", action="version", version=f"evenflow {own_version()}")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("report", help="make the page of a folder of logs")
    add.add_argument("folder", type=Path, help="the logs, which are only read")
    add.add_argument(
        "-o", "--out", type=Path, help="keeps page and tables (default: evenflow-FOLDER)"
    )
    add.add_argument("--open", action="store_true", help="open the page in a browser")
    given = parser.parse_args()
    try:
        sys.exit(report(given.folder, given.out, given.open))
    except DataError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:  # Snakemake, in the same terminal, has ended as well
        sys.exit(130)


def own_version() -> str:
    """Return the version of the installed package; of a checkout, which has none, say so."""
    try:
        return version("evenflow")
    except PackageNotFoundError:
        return "of a checkout"


def report(logs: Path, out: Path | None, opens: bool) -> int:
    """Make the page of a folder of logs in another folder, and say what was found and assumed.

    Args:
        logs: the folder, which is only read.
        out: the other; None: evenflow-<its name> in the working folder.
        opens: whether a browser is to show the page.

    Returns:
        The exit code of Snakemake.

    Raises:
        DataError: there is no such folder, nothing in it, or OUT cannot be used.
    """
    logs, known = logs.resolve(), Folders()
    if not logs.is_dir() or not holds_files(logs):
        problem = "there is no file in it" if logs.is_dir() else "there is no such folder"
        raise DataError(problem, path=logs, remedy="name the folder that holds the logs")
    name = re.sub(r"[^\w.-]+", "-", logs.name, flags=re.ASCII).strip(".-")[:MAX_NAME] or "logs"
    out = (out or Path(f"evenflow-{name}")).resolve()
    name = link_of(logs, out, name)
    page = f"{known.site}/datasets/{name}/index.html"
    words, env = command_for(out, page), environment(out)
    command, code = Command(out, words, env, [logs]), 0
    lines = command.said()
    if lines is None:
        command.forget()
        print(f"$ {shlex.join(words)}", flush=True)
        with subprocess.Popen(words, env=env) as process:
            import_module("polars")  # for what is said at the end, meanwhile
            code = process.wait()
        lines = [] if code else found(out / known.derived / name)
        if not code:
            command.keep(lines)
    else:
        print(NOTHING)
    if (out / page).is_file():
        print("\n".join([*lines, f"Page: {out / page}"]), flush=True)
        if opens:
            webbrowser.open((out / page).as_uri())
    return code


def link_of(logs: Path, out: Path, name: str) -> str:
    """Have a folder be the data set of OUT, by a link to it; return the data set's name.

    Raises:
        DataError: OUT is not for that.
    """
    from .ingest.dataset import (
        find_datasets,  # here: where nothing is to be done it is half the time
    )

    elsewhere = "name another folder: -o OUT"
    if out.is_relative_to(logs):
        raise DataError(f"it lies in {logs}, which is only read", path=out, remedy=elsewhere)
    if out.exists() and not out.is_dir():
        raise DataError("it is no folder", path=out, remedy=elsewhere)
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


def command_for(out: Path, *targets: str) -> list[str]:
    """Return the command that makes files of a study with the workflow of this package."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", SNAKEFILE]
    command += ["--workflow-profile", str(PROFILE), "--directory", str(out), "--cores", "all"]
    return [*command, "--logger", "evenflow", "--config", "alone=True", "--", *targets]


def environment(out: Path, known: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment of a run: caches in OUT where home cannot be written."""
    env = {**known, "PYTHONUTF8": "1"}
    cache = Path(env.get("XDG_CACHE_HOME") or Path(env.get("HOME") or "/nonexistent", ".cache"))
    above = next((p for p in (cache / "snakemake", cache, cache.parent) if p.exists()), None)
    if above is None or not above.is_dir() or not os.access(above, os.W_OK):
        env["XDG_CACHE_HOME"] = str(out / ".snakemake/cache")
    return env


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


def counted(n: int, word: str) -> str:
    """Return a number with its word: '1 run', '2 runs'."""
    return f"{n} {word}{'' if n == 1 else 's'}"


if __name__ == "__main__":
    main()
