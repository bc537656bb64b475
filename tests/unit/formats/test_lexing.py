"""The lexer: the compiled kernel does what the regular expressions say, numbers are float's."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from evenflow.formats.lexing import NUMBER, lex, shape_of
from hypothesis import example, given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[3]
WORKFLOW = ROOT / "workflow"

# pieces that logs are made of, and what may go wrong with them
DIGITS = st.text("0123456789", min_size=1, max_size=30).map(str.encode)
SMALL = st.integers(0, 10**6).map(lambda n: str(n).encode())
FLOATS = st.floats(0, allow_nan=False, allow_infinity=False).map(lambda x: repr(x).encode())
MARKS = st.sampled_from(
    [b".", b"e", b"E", b"+", b"-", b"e-", b"E+", b" ", b"\t", b"\r", b"\n", b"\r\n", b"\x00"]
)
WORDS = st.sampled_from([b"[  3]", b" sec ", b" Bytes", b"bits/sec", b"=", b":", b"\xc3\xa9"])
BLOCKS = st.lists(st.one_of(DIGITS, SMALL, FLOATS, MARKS, WORDS, st.binary(max_size=4))).map(
    b"".join
)


def lines_of(block: bytes) -> list[bytes]:
    """Return the lines of a block, without the line feeds."""
    lines = block.split(b"\n")
    return lines if lines[-1] else lines[:-1]


@given(BLOCKS)
@example(b"")
@example(b"\n")
@example(b"\r\n\r\n")
@example(b"\r\r\n \r\n")
@example(b"no final line feed 1.5")
@example(b" 1.e5 1e+ 1e-x .5e3 1..2 1.2.3 1e5e6 1E+07\n")
@example(b"\xff\xfe\xf0\x00 7\n")
def test_shapes_are_those_of_the_regular_expressions(block):
    lines = lex(block)
    assert [lines.shapes[i] for i in lines.shape] == [shape_of(line) for line in lines_of(block)]


@given(BLOCKS)
@example(b"007 0.5 1.50 1.5e-05 1E3 1e22 1e23 1e-22 1e-23 1e400 1e-400 4.9e-324\n")
@example(b"9007199254740991 9007199254740992 9007199254740993 9007199254740993.0\n")
@example(b"123456789012345678 1234567890123456789 18446744073709551616 " + b"9" * 400 + b"\n")
@example(b"0.1000000000000000055511151231257827 0.30000000000000004 3.14159265358979323846\n")
@example(b"10.e5 10. 10.x 1e 1e+ 1ex\n")
def test_numbers_are_those_of_float(block):
    lines = lex(block)
    expected = [[float(n) for n in NUMBER.findall(line)] for line in lines_of(block)]
    assert np.diff(lines.first).tolist() == [len(numbers) for numbers in expected]
    for nth in range(max(map(len, expected), default=0)):
        found = lines.numbers(np.full(len(lines.shapes), nth))
        wanted = [n[nth] if nth < len(n) else np.nan for n in expected]
        np.testing.assert_array_equal(found, wanted)


@given(BLOCKS)
def test_lines_lie_where_they_begin(block):
    lines = lex(block)
    texts = [block[s : s + n] for s, n in zip(lines.start, lines.length, strict=True)]
    assert texts == [line.removesuffix(b"\r") for line in lines_of(block)]


@given(st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line), unique=True))
def test_as_many_shapes_as_lines_do_no_harm(junk):
    block = b"".join(line + b"\n" for line in junk * 2)
    lines = lex(block)
    assert [lines.shapes[i] for i in lines.shape] == [shape_of(line) for line in junk * 2]


def test_a_shape_of_many_lines_is_found_once():
    block = b"".join(b"[ %d] %d.5 sec %d\n" % (i % 10, i, i * i) for i in range(5000))
    lines = lex(block)
    assert lines.shapes == ["[ 0] 0 sec 0"]
    assert lines.numbers(np.array([2])).tolist() == [float(i * i) for i in range(5000)]
    assert np.isnan(lines.numbers(np.array([-1]))).all()


CHECK = "from evenflow.formats.lexing import lex; print(lex(b'1 2\\n').shapes)"


def without_write_access(tmp_path):
    """The environment of processes to which the lexer's package is one that cannot be written."""
    package = tmp_path / "evenflow"
    package.mkdir()
    for module in ("__init__", "errors", "files", "paths", "threads"):
        (package / f"{module}.py").write_text((WORKFLOW / f"evenflow/{module}.py").read_text())
    formats = package / "formats"
    formats.mkdir()
    (formats / "__init__.py").write_text("")
    for module in ("compiled", "lexing"):
        source = (WORKFLOW / f"evenflow/formats/{module}.py").read_text()
        (formats / f"{module}.py").write_text(source)
    # a file where a directory would have to be: root, too, cannot write below it
    (formats / "__pycache__").write_text("")
    (tmp_path / "temporary").mkdir()
    environment = {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(tmp_path), "PATH": ""}
    return environment | {"TMPDIR": str(tmp_path / "temporary"), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def unwritable(tmp_path):
    return without_write_access(tmp_path)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The same, with what was compiled once kept at home."""
    environment = without_write_access(tmp_path_factory.mktemp("compiled"))
    Path(environment["HOME"]).mkdir()
    run_lexer(environment)
    return environment


def run_lexer(environment: dict, jobs: int = 1) -> list[bytes]:
    """Return what processes print that lex a line, all started at once."""
    started = [
        subprocess.Popen([sys.executable, "-c", CHECK], env=environment, stdout=subprocess.PIPE)
        for _ in range(jobs)
    ]
    return [job.communicate()[0] for job in started]


@pytest.mark.thorough
@pytest.mark.parametrize("cache", ["a writable place", "nowhere"])
def test_kernels_work_where_the_package_cannot_be_written(unwritable, cache):
    home = Path(unwritable["HOME"])
    home.mkdir() if cache == "a writable place" else home.write_text("")
    assert run_lexer(unwritable, jobs=2) == [b"['0 0']\n"] * 2
    kept = list(home.rglob("*.nbc")) if cache == "a writable place" else [None]
    assert kept
    assert not list(Path(unwritable["TMPDIR"]).iterdir())


DAMAGES = {
    "emptied": lambda data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "overwritten": lambda data: bytes(len(data)),
}


@pytest.mark.thorough
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_what_is_left_of_a_damaged_cache_is_not_used(compiled, kind, damage):
    kept = list(Path(compiled["HOME"]).rglob(f"*.{kind}"))
    whole = {path: path.read_bytes() for path in kept}
    assert kept
    for path in kept:
        path.write_bytes(DAMAGES[damage](whole[path]))
    assert run_lexer(compiled) == [b"['0 0']\n"]
    for path, data in whole.items():  # and kept again
        assert path.stat().st_size == len(data) and path.read_bytes() != DAMAGES[damage](data)


@pytest.mark.thorough
def test_after_set_up_no_log_waits_for_a_scanner(tmp_path):
    cache, logs = tmp_path / "cache", ROOT / "tests/fixtures/formats"
    environment = {**os.environ, "PYTHONPATH": str(WORKFLOW), "NUMBA_CACHE_DIR": str(cache)}

    def kept_after(*words: str) -> set[Path]:
        subprocess.run([sys.executable, *words], env=environment, check=True, cwd=logs)
        return set(cache.rglob("*.nb*"))

    made = kept_after("-m", "evenflow.ingest.first_use")
    assert made and kept_after("-c", READ_ALL) == made


# logs of every tool, as they are read: whole, or in blocks
READ_ALL = """
from pathlib import Path
from evenflow.formats import FORMATS, Log, parse_logs
for name, pattern in {
    "iperf2": "iperf2/2.*/tcp-*.log",
    "iperf3": "iperf3/3.12/*.log",
    "iperf3-json": "iperf3-json/3.12/*.json",
    "ns2-trace": "ns2-trace/*.tr",
    "nuttcp": "nuttcp/*.txt",
}.items():
    paths = sorted(Path().glob(pattern))
    assert paths, name
    blocks = getattr(FORMATS[name], "READS_BLOCKS", False)
    logs = [Log(n, None if blocks else p.read_bytes(), p) for n, p in enumerate(paths)]
    parse_logs(name, logs)
"""


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize(("mode", "read"), [(0o755, True), (0o777, False), (0o1777, False)])
def test_nothing_is_unpickled_where_others_can_write(unwritable, tmp_path, mode, read):
    """A pickle runs what whoever wrote it likes."""
    cache, mark = tmp_path / "cache", tmp_path / "sprung"
    cache.mkdir()
    environment = unwritable | {"NUMBA_CACHE_DIR": str(cache)}
    run_lexer(environment)
    kept = list(cache.rglob("*.nbi"))
    assert kept
    for path in kept:
        path.write_bytes(pickle.dumps(Trap(mark)))
        path.parent.chmod(mode)
    assert run_lexer(environment) == [b"['0 0']\n"]
    assert mark.exists() == read
    unsprung = pickle.dumps(Trap(mark))
    assert read or all(path.read_bytes() == unsprung for path in kept)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a folder of another user")
def test_nothing_is_unpickled_from_a_folder_of_another(unwritable, tmp_path):
    cache, mark = tmp_path / "cache", tmp_path / "sprung"
    cache.mkdir()
    environment = unwritable | {"NUMBA_CACHE_DIR": str(cache)}
    run_lexer(environment)
    for path in list(cache.rglob("*.nbi")):
        path.write_bytes(pickle.dumps(Trap(mark)))
        os.chown(path.parent, 65534, 65534)
    assert run_lexer(environment) == [b"['0 0']\n"]
    assert not mark.exists()
