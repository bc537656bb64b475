"""From a folder of raw data to its page, as the rules do it.

Run as a program it is a process of its own that makes the folders of `hostile_cases`: their names
come in, a line each, answers go out as JSON. `test_hostile` starts it with a limit of memory.
"""

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import in_chunks
import polars as pl
from evenflow.errors import DataError
from evenflow.ingest.described.folders import find_datasets
from evenflow.pages.dataset import dataset_page, read_about
from evenflow.pages.dataset.offers import text_of
from evenflow.paths import list_files, printable, shown_path
from evenflow.tables import connected, read_table
from hostile_cases import CASES, GOOD, write
from raw_data import ROOT

SHOWN = {"warmup_s": 120, "confidence": 0.95, "page_rows": 700, "equivalence_margin_jfi": 0.05}
THEME = ROOT / "workflow/theme"


def make_page(folder: Path, derived: Path) -> tuple[dict[str, pl.DataFrame], str]:
    """Return the tables of a data set, which are written to `derived`, and its page.

    Raises:
        DataError: the folder is refused.
    """
    with connected():  # opened once, not by every query
        in_chunks.read_logs(folder, derived, warmup_s=SHOWN["warmup_s"])
        in_chunks.settle_runs(folder, derived, [derived], confidence=SHOWN["confidence"])
    names = sorted({*in_chunks.OF_CHUNK, *in_chunks.SETTLED})
    paths = {name: derived / f"{name}.parquet" for name in names}
    tables = {name: read_table(path) for name, path in paths.items()}
    tables["stream"] = read_table(derived / "measured/stream.parquet")
    files = {name: {"parquet": path, "csv": path} for name, path in paths.items()}
    about = read_about(folder / "dataset.yml")
    points = read_table(derived / "measured/points.parquet")
    text = text_of(folder)
    return tables, dataset_page(folder.name, about, text, tables, points, files, SHOWN, THEME)


def samples_of_good(tables: dict[str, pl.DataFrame]) -> list:
    sample = tables["sample"].filter(pl.col("path").is_in(list(GOOD)))
    columns = ["path", "line", "t_start_s", "t_end_s", "bytes", "throughput_bps"]
    return sample.select(columns).sort(columns).rows()


def not_kept(folder: Path, tables: dict[str, pl.DataFrame], page: str) -> list[str]:
    """Return which promises to every folder are broken."""
    broken = []
    files = tables["ledger"].filter(entry="file")
    there = {shown_path(found.path.relative_to(folder)) for found in list_files(folder)}
    if set(files["path"]) != there:
        broken.append(f"not in the ledger: {sorted(there ^ set(files['path']))[:3]}")
    fates = ("sample", "header", "summary", "skipped", "rejected")
    for what, total in (("lines", "lines"), ("bytes", "content_bytes")):
        of_fates = pl.sum_horizontal(f"{what}_{fate}" for fate in fates)
        read = ~pl.col("format").is_in(["unreadable", "no-file"])
        odd = files.filter(read, of_fates != pl.col(total))
        if len(odd):
            broken.append(f"{what} do not add up: {odd['path'].to_list()[:3]}")
    rejected = tables["ledger"].filter(entry="line")
    if rejected["reason"].null_count():
        broken.append("a rejected line without a reason")
    named = pl.col("format").is_in(["unreadable", "no-file"])
    unsaid = files.filter(named, pl.col("reason").is_null())
    if len(unsaid):
        broken.append("a file without a reason")
    page.encode()
    if page != printable(page, keep="\n\u00a0"):
        broken.append("a control character on the page")
    if len(page) > 500_000:
        broken.append(f"a page of {len(page):,} characters")
    return broken


def outcome(name: str, scratch: Path, reference: list) -> dict:
    """Make the folder of a case, and return how it ended."""
    raw = scratch / "raw"
    folder = raw / "hostile"
    for path, content in GOOD.items():
        write(folder / path, content)
        write(raw / "good" / path, content)
    CASES[name].spoil(folder)
    begun, cpu = time.monotonic(), time.process_time()
    found = {"error": None, "broken": []}
    try:
        tables, page = make_page(folder, scratch / "derived")
    except DataError as error:
        found["error"] = str(error)
        if str(folder) not in str(error.path):
            found["broken"].append(f"the error names {error.path}")
    else:
        found["broken"] += not_kept(folder, tables, page)
        if samples_of_good(tables) != reference:
            found["broken"].append("the good run's samples are others")
        ledger = tables["ledger"]
        files = ledger.filter(entry="file").select("path", "format", "reason").rows()
        lines = ledger.filter(entry="line").select("path", "line", "reason").rows()
        found |= {
            "n": len(tables["run"]),
            "file": [f"{path}: {kind}: {reason}" for path, kind, reason in files[:3000]],
            "line": [f"{path}:{line}: {reason}" for path, line, reason in lines[:100]],
            "finding": [": ".join(r) for r in tables["finding"].select("check", "message").rows()][
                :100
            ],
            "assumed": [": ".join(r) for r in tables["assumption"].select("what", "value").rows()][
                :100
            ],
        }
    found["seconds"] = time.monotonic() - begun
    found["cpu_s"] = time.process_time() - cpu
    found["mib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if "good" not in find_datasets(raw):
        found["broken"].append("the data set next to it is not found")
    return found


def main(limit_bytes: int) -> None:
    """Answer for each case whose name is read."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    reference = None
    for line in sys.stdin:
        with tempfile.TemporaryDirectory(prefix="evenflow-hostile-") as scratch:
            scratch = Path(scratch)
            if reference is None:
                for path, content in GOOD.items():
                    write(scratch / "first" / path, content)
                tables, _ = make_page(scratch / "first", scratch / "derived")
                reference = samples_of_good(tables)
            try:
                found = outcome(json.loads(line), scratch, reference)
            except BaseException as error:  # Polars' panics are no Exception
                import traceback

                found = {"crash": f"{type(error).__name__}: {error}\n{traceback.format_exc()}"}
            print(json.dumps(found), file=answers, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
