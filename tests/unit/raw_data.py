"""What the tests of ingest share: real logs, and folders of raw data made from them."""

import gzip
import hashlib
import shutil
from pathlib import Path

import polars as pl
from evenflow.formats import FATES, Log
from evenflow.formats.tables import parse_logs
from evenflow.ingest.parse import parse_dataset
from evenflow.tables import connected, query_tables, write_table

ROOT = Path(__file__).parents[2]
LOGS = ROOT / "tests/fixtures/logs"
TINY = ROOT / "tests/fixtures/tiny"
IPERF2 = LOGS / "iperf2"  # what iperf 2.1.8 printed on a loopback, verbatim
TESTBED_RUN = "comparison/newreno-bic/rtt100_opb60/r1"
NS2_RUN = "comparison/newreno-bic/rtt100_opb20/r1"


def make_testbed_run(folder: Path, *, run: str = TESTBED_RUN, more_yml: str = "") -> Path:
    """Make a data set of one real run of the virtual testbed; return the run's folder."""
    return _dataset(folder, "testbed", run, more_yml)


def make_ns2_run(folder: Path, *, run: str = NS2_RUN, more_yml: str = "") -> Path:
    """Make a data set of one real run of ns-2; return the run's folder."""
    return _dataset(folder, "ns2", run, more_yml)


def _dataset(folder: Path, platform: str, run: str, more_yml: str) -> Path:
    shutil.copytree(LOGS / f"{platform}-run", folder / run)
    text = (TINY / f"tiny-{platform}/dataset.yml").read_text(encoding="utf-8")
    (folder / "dataset.yml").write_text(text + more_yml, encoding="utf-8")
    return folder / run


def make_dataset(folder: Path, logs: dict[str, bytes], yml: str) -> Path:
    """Make a data set of files by their paths, and of dataset.yml; return its folder."""
    for path, content in {**logs, "dataset.yml": yml.encode()}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def content(path: Path) -> bytes:
    """Return what a log holds, decompressed."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def rewrite(path: Path, new: bytes) -> None:
    """Replace what a log holds."""
    path.write_bytes(gzip.compress(new, mtime=0) if path.suffix == ".gz" else new)


def parse(format_name: str, *logs: bytes) -> dict[str, pl.DataFrame]:
    """Parse logs of one format; their file_id is their position."""
    return parse_logs(format_name, [Log(i, log) for i, log in enumerate(logs)])


def fates(tables: dict[str, pl.DataFrame], column: str = "lines") -> dict[str, int]:
    """Return the lines (or bytes) of parsed logs by fate."""
    return dict(tables["fate"].group_by("fate").agg(pl.col(column).sum()).rows())


def build_tables(folder: Path, derived: Path) -> dict[str, pl.DataFrame]:
    """Parse a data set and run its queries, as the rules parse_logs and build_tables do."""
    for name, table in parse_dataset(folder).items():
        write_table(table, derived / f"parsed_{name}.parquet")
    built = {}
    with connected():
        for name in ("run", "flow", "sample", "tcp_state", "queue_sample", "packet_drop", "ledger"):
            inputs = {path.stem: path for path in derived.glob("*.parquet")}
            sql = (ROOT / f"workflow/queries/{name}.sql").read_text(encoding="utf-8")
            built[name] = query_tables(sql, {"dataset_id": folder.name}, **inputs)
            write_table(built[name], derived / f"{name}.parquet")
    return built


def assert_ledger_adds_up(folder, ledger):
    """Every file of the folder is in the ledger; bytes and lines by fate sum to the file's own."""
    files = {row["path"]: row for row in ledger.filter(entry="file").rows(named=True)}
    on_disk = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    assert set(files) == set(on_disk)
    for path, row in files.items():
        data, log = on_disk[path].read_bytes(), content(on_disk[path])
        assert row["sha256"] == hashlib.sha256(data).hexdigest()
        assert row["bytes"] == len(data)
        assert row["content_bytes"] == len(log)
        assert sum(row[f"bytes_{fate}"] for fate in FATES) == len(log)
        n_lines = log.count(b"\n") + (len(log) > 0 and not log.endswith(b"\n"))
        assert row["lines"] == sum(row[f"lines_{fate}"] for fate in FATES) == n_lines
