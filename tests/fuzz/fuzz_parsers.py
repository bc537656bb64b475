"""Fuzz every parser with atheris: python tests/fuzz/fuzz_parsers.py -max_total_time=3600 CORPUS

Needs the package atheris, which the tests do not. The first byte of an input picks the format, the
rest is the log. Whatever the bytes: no error but DataError, and the ledger adds up to the file. The
scanners in C notice here what they read or write outside of their arrays, which in use they do not:
start it with LD_PRELOAD="$(cc -print-file-name=libasan.so)" PYTHONMALLOC=malloc. CORPUS is filled
from the verbatim fixtures when it is empty; a crash is written to a file crash-*, and belongs into
tests/fixtures/fuzz/<format>/ without its first byte, where tests/unit/formats/test_fuzz_cases.py
reads it.
"""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("ASAN_OPTIONS", "detect_leaks=0")  # Python's own
os.environ["EVENFLOW_CFLAGS"] = "-g -O1 -fsanitize=address -fno-omit-frame-pointer"
os.environ["EVENFLOW_SCANNERS"] = tempfile.mkdtemp(prefix="evenflow-fuzz-")
ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "workflow")]

import atheris  # noqa: E402

with atheris.instrument_imports(include=["evenflow"]):
    from evenflow.errors import DataError
    from evenflow.formats import FORMATS, Log, detect_format
    from evenflow.formats.shapes import count_lines
    from evenflow.formats.tables import parse_logs
    from evenflow.formats.two_column import VALUES

    list(FORMATS.values())  # they are imported when they are asked for

NAMES = sorted(FORMATS)


def check(data: bytes) -> None:
    """Parse one input and check that every line and byte of it is accounted for."""
    if not data:
        return
    name, content = NAMES[data[0] % len(NAMES)], data[1:]
    path = Path("fuzz-flw0-cwnd.data")
    with contextlib.suppress(DataError):
        detect_format(content, path)
    value = VALUES[len(content) % len(VALUES)]  # of a two-column file
    try:
        tables = parse_logs(name, [Log(0, content, path, value)])
    except DataError:
        return
    fate = tables["fate"]
    found = (fate["lines"].sum(), fate["bytes"].sum())
    assert found == (count_lines(content), len(content)), f"{name}: the ledger has {found}"
    assert len(tables["rejected"]) == fate.filter(fate["fate"] == "rejected")["lines"].sum(), name


def seed(corpus: Path) -> None:
    """Fill an empty corpus with the verbatim fixtures, cut to 8 KiB, for every format."""
    corpus.mkdir(parents=True, exist_ok=True)
    if any(corpus.iterdir()):
        return
    for i, name in enumerate(NAMES):
        logs = [p for p in (ROOT / "tests/fixtures/formats").rglob("*") if p.is_file()]
        own = [p for p in logs if f"/{name}/" in p.as_posix() and p.suffix in SUFFIXES]
        for k, log in enumerate(sorted(own)[:60]):
            (corpus / f"{name}-{k}").write_bytes(bytes([i]) + log.read_bytes()[:8192])


SUFFIXES = {".log", ".csv", ".json", ".tr", ".xml", ".data", ".out", ".txt", ".flent"}

if __name__ == "__main__":
    folders = [Path(word) for word in sys.argv[1:] if not word.startswith("-")]
    for folder in folders[:1]:
        seed(folder)
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
