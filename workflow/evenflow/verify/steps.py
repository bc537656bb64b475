"""The steps of a verification: raw files, expected values, and what was made before."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from ..errors import DataError
from ..places import SCHEMAS, page, typed
from ..printed import Notes, noting, pairs_of, read_notes
from ..revision import rendering_as_of
from ..runs.scratch import made_files, regenerate, scratch_folder
from ..schema import read_yaml, validate
from .agreement import Tolerance, differences, revision_in, tolerance_of
from .expected import compare_expected, expected_text, printed_rows
from .manifest import Check, check_files, list_files, read_manifest
from .terminal import difference_lines, raw_table, text_table

VERIFYING = "guides/verifying.md"
SCHEMA = SCHEMAS / "verify.schema.json"
PRINTED_TABLE = "/published.md"  # end of the names of tables that have printed values


SUMMARY = ["what", "compared", "differ", "result"]


def verify_project(
    root: Path,
    tolerances: str,
    params: Mapping,
    cores: int,
    packed: Collection[str] | None = None,
) -> None:
    """Check the raw files, make everything again from them in a scratch place, and compare.

    Compared are the committed expected values, and what was made in the project, which is only
    read. Prints what agrees and what does not.

    Args:
        root: the project.
        tolerances: path of the file of tolerances.
        params: manifests (`check_raw`), layout (`scratch.regenerate`; compared, uncompared), config
            to make it with, target (the rule that makes it), expected (made file by expected name),
            expected_folder, made_of (data sets by beginnings of paths), papers_at (the page of each
            paper).
        cores: for making it.
        packed: the project's files that it is made from, beside the raw ones; None: all.

    Raises:
        DataError: anything does not agree.
    """
    allowed = read_tolerances(tolerances)
    checks, listed = check_raw(root, params["manifests"])
    say(raw_table(checks))
    if not all(check.holds for check in checks.values()):
        problem = "the raw files differ from the listed ones, so nothing was made from them"
        remedy = f"put them back (git checkout -- data), or see {page(VERIFYING)}"
        raise DataError(problem, path="data", remedy=remedy)
    with scratch_folder("evenflow-verify") as temporary:
        place, settings = temporary / "evenflow", temporary / "config.json"
        settings.write_text(json.dumps(params["config"]), encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
        command += ["--configfile", str(settings), "--"]
        command += [params["target"], *params["expected"].values()]
        say("\nMaking everything again from the listed raw files:")
        unrounded = tolerance_of("x.parquet", allowed)
        with (
            noting(temporary / "printed", unrounded.relative, unrounded.absolute),
            rendering_as_of(revisions_of(params["papers_at"])),
        ):
            layout = params["layout"]
            regenerate(root, place, layout, listed, command, lambda at: say(f"  {at}"), packed)
        notes, files = read_notes(temporary / "printed"), params["expected"]
        rows = compare_kept(place, files, params["expected_folder"], allowed, notes, say)
        new = [name for check in checks.values() for name in check.new]
        made_of = params["made_of"]
        rows += compare_made(root, place, params["layout"], made_of, new, allowed, notes, say)
    say("\n" + text_table(rows, SUMMARY))
    if any(row["differ"] for row in rows):
        remedy = f"see DIFFERS above and {page(VERIFYING)}"
        raise DataError("not everything agrees", remedy=remedy)
    say("\nEverything agrees.")


def revisions_of(pages: Mapping[str, str]) -> dict[str, dict | None]:
    """Return the revision that the page of each paper says; of one that is not there, None."""
    return {
        paper: revision_in(Path(page).read_text(encoding="utf-8", errors="replace"))
        if Path(page).is_file()
        else None
        for paper, page in pages.items()
    }


def say(text: str) -> None:
    """Print at once, so that the order among other programs' output is kept."""
    print(text, flush=True)


def read_tolerances(path: str | Path) -> list[Tolerance]:
    """Read and check a file of tolerances (verify.schema.json).

    Raises:
        DataError: a misspelt key, a value of the wrong type, a tolerance without a reason.
    """
    content, lines = read_yaml(path)
    validate(content, SCHEMA, path=path, lines=lines)
    return [Tolerance(**entry) for entry in content["tolerances"]]


def check_raw(
    root: Path, manifests: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Check], dict[str, str]]:
    """Compare raw files with their manifests.

    Args:
        root: the project.
        manifests: by path of a manifest, the folder that it lists, and what in it is left out.

    Returns:
        What became of the files, by folder, and the SHA-256 of all listed files by path.

    Raises:
        DataError: no file is listed at all.
    """
    checks: dict[str, Check] = {}
    listed: dict[str, str] = {}
    for path, (folder, *without) in manifests.items():
        entries = read_manifest(path) if Path(path).is_file() else {}
        checks[folder] = check_files(root, entries, list_files(root, folder, tuple(without)))
        listed |= entries
    if not listed:
        raise DataError("no raw file is listed", path=path, remedy=typed("manifest"))
    return checks, listed


def read_kept(folder: str) -> dict[str, str]:
    """Return the expected values: the text of each file by its name, a folder included.

    What lies in the folder itself, a README perhaps, is no expected value.
    """
    paths = sorted(path for path in Path(folder).glob("*/**/*") if path.is_file())
    return {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in paths}


def compare_kept(
    place: Path,
    files: Mapping[str, str],
    folder: str,
    allowed: Sequence[Tolerance],
    notes: Notes,
    say: Callable[[str], None],
) -> list[dict]:
    """Compare the expected values with what was made again.

    Args:
        place: where everything was made again.
        files: the made file behind each expected one, by its name in `folder`.
        folder: of the expected values.
        allowed: tolerances.
        notes: of numbers that may be printed in two ways.
        say: is told the tables of printed, expected and new values, and every difference.

    Returns:
        Rows of the summary.
    """
    kept = read_kept(folder)
    made = {name: expected_text(place / path) for name, path in files.items()}
    pairs = {name: pairs_of(path, notes) for name, path in files.items()}
    for name in sorted(name for name in made if name.endswith(PRINTED_TABLE)):
        tolerance = tolerance_of(name, allowed)
        rows = printed_rows(kept.get(name, ""), made[name], tolerance, pairs[name])
        if rows:
            say(f"\n{name.removesuffix(PRINTED_TABLE)}")
            say(text_table(rows, list(rows[0])))
    found = compare_expected(kept, made, allowed, pairs)
    say("")
    for line in difference_lines(found, "expected", "got"):
        say(line)
    return [_row("expected values (files)", found)]


def compare_made(
    root: Path,
    place: Path,
    layout: Mapping[str, Sequence[str]],
    made_of: Mapping[str, Sequence[str]],
    new: Sequence[str],
    allowed: Sequence[Tolerance],
    notes: Notes,
    say: Callable[[str], None],
) -> list[dict]:
    """Compare what was made in the project before with what was made again.

    Args:
        root: the project.
        place: where everything was made again.
        layout: compared and uncompared, patterns of made files.
        made_of: data sets that a made file depends on, by the beginning of its path.
        new: raw files that were not listed: what depends on their data sets cannot be compared.
        allowed: tolerances.
        notes: of numbers that may be printed in two ways.
        say: is told every difference.

    Returns:
        Rows of the summary.
    """
    there = made_files(root, layout["compared"], layout["uncompared"])
    again = set(made_files(place, layout["compared"], layout["uncompared"]))
    parts = {part for name in new for part in Path(name).parts[:-1]}
    grown = tuple(start for start, of in made_of.items() if parts.intersection(of))
    compared = [name for name in there if not name.startswith(grown)] if grown else there
    found, strays = {}, []
    for name in compared:
        if name in again:
            here, again_made = (root / name).read_bytes(), (place / name).read_bytes()
            found[name] = differences(name, here, again_made, allowed, pairs_of(name, notes))
        else:
            strays.append(name)
    for line in difference_lines(found, "here", "made again"):
        say(line)
    left = {
        "not compared, as raw files of their data sets are not listed": len(there) - len(compared),
        f"not made by the workflow as it is, as {strays[:1]}": len(strays),
        "not made here yet": len(again.difference(there)),
    }
    for what, number in left.items():
        if number:
            say(f"{number} files {what}")
    return [_row("tables, figures, pages made here", found)]


def _row(what: str, found: Mapping[str, Sequence]) -> dict:
    differ = sum(bool(differences) for differences in found.values())
    result = "DIFFERS" if differ else "agrees" if found else "nothing to compare"
    return {"what": what, "compared": len(found), "differ": differ, "result": result}
