"""Where the library of the scanners is kept, and what is not loaded: see formats/compiled.py."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FORMATS = ROOT / "workflow/evenflow/formats"
CHECK = "from evenflow.formats.lexing import lex; print(lex(b'1 2\\n').shapes)"
SAID = "['0 0']\n"


def without_write_access(tmp_path: Path) -> dict[str, str]:
    """The environment of processes to which the scanners' package is one that cannot be written."""
    package = tmp_path / "evenflow"
    (package / "formats").mkdir(parents=True)
    for module in ("__init__", "errors", "interrupts", "paths", "threads"):
        shutil.copy(FORMATS.parent / f"{module}.py", package)
    (package / "formats/__init__.py").write_text("")
    for source in (*FORMATS.glob("*.c"), *(FORMATS / f"{m}.py" for m in MODULES)):
        shutil.copy(source, package / "formats")
    # a file where a directory would have to be: root, too, cannot write below it
    (package / "formats/__pycache__").write_text("")
    for name in ("temporary", "home"):
        (tmp_path / name).mkdir()
    environment = {"HOME": str(tmp_path / "home"), "PYTHONPATH": str(tmp_path)}
    environment |= {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path / "temporary")}
    # compiled without optimisation: half of the time of these tests is the compiler's
    return environment | {"PYTHONDONTWRITEBYTECODE": "1", "EVENFLOW_CFLAGS": "-O0"}


MODULES = ("building", "compiled", "lexing", "line_shape")


@pytest.fixture
def unwritable(tmp_path):
    return without_write_access(tmp_path)


def run_lexer(environment: dict, jobs: int = 1) -> list[str]:
    """Return what processes print that lex a line, all started at once."""
    options = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    words = [sys.executable, "-c", CHECK]
    started = [subprocess.Popen(words, env=environment, **options) for _ in range(jobs)]
    return [job.communicate()[0] for job in started]


@pytest.mark.parametrize("cache", ["a writable place", "nowhere"])
def test_scanners_work_where_the_package_cannot_be_written(unwritable, cache):
    home = Path(unwritable["HOME"])
    if cache == "nowhere":
        home.rmdir()
        home.write_text("")
    assert run_lexer(unwritable, jobs=2) == [SAID] * 2
    kept = list(home.rglob("scanners-*")) if cache == "a writable place" else [1, 2]
    assert len(kept) == 2  # the library and its digest, and nothing that was begun
    assert not list(Path(unwritable["TMPDIR"]).iterdir())


@pytest.fixture(scope="module")
def kept_once(tmp_path_factory):
    """The home in which a process has kept the library: to compile it takes half a second."""
    environment = without_write_access(tmp_path_factory.mktemp("kept"))
    assert run_lexer(environment) == [SAID]
    return Path(environment["HOME"])


@pytest.fixture
def library(kept_once, unwritable):
    """The library that a process has kept at home."""
    home = Path(unwritable["HOME"])
    shutil.copytree(kept_once, home, dirs_exist_ok=True)
    [library] = home.rglob("scanners-*.so")
    return library


WITHOUT = {"PATH": "/nonexistent"}  # a compiler


def test_what_was_compiled_once_needs_no_compiler(unwritable, library):
    before = library.stat()
    assert run_lexer(unwritable | WITHOUT) == [SAID]
    assert library.stat().st_mtime_ns == before.st_mtime_ns


def test_another_source_is_another_library(unwritable, library):
    [source] = Path(unwritable["PYTHONPATH"]).rglob("lexing.c")
    source.write_text(source.read_text() + "/* another */\n")
    assert run_lexer(unwritable) == [SAID]
    assert len(list(Path(unwritable["HOME"]).rglob("scanners-*.so"))) == 2


@pytest.mark.parametrize("compiler", [WITHOUT, {"CC": "false"}])
def test_without_a_compiler_it_says_what_to_do(unwritable, compiler):
    [said] = run_lexer(unwritable | compiler)
    assert "DataError" in said and "a compiler for C" in said
    assert "run make" in said and "pip install ziglang" in said


DAMAGES = {
    "emptied": lambda data: b"",
    "cut in half": lambda data: data[: len(data) // 2],
    "overwritten": lambda data: bytes(len(data)),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", ["so", "sha256"])
def test_what_is_left_of_a_damaged_library_is_not_loaded(unwritable, library, kind, damage):
    damaged = library.with_suffix(f".{kind}")
    whole = damaged.read_bytes()
    damaged.write_bytes(DAMAGES[damage](whole))
    assert run_lexer(unwritable) == [SAID]
    assert damaged.read_bytes() == whole  # and kept again


TRAP = """
#include <stdio.h>
__attribute__((constructor)) static void spring(void) { fclose(fopen("%s", "w")); }
"""


def put_trap(library: Path, mark: Path) -> None:
    """Put a library in the place of one, that makes a file when it is loaded."""
    source = library.with_name("trap.c")
    source.write_text(TRAP % mark)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    source.unlink()
    digest = hashlib.sha256(library.read_bytes()).hexdigest()
    library.with_suffix(".sha256").write_text(digest)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
@pytest.mark.parametrize(("mode", "loaded"), [(0o755, True), (0o777, False), (0o1777, False)])
def test_nothing_is_loaded_from_where_others_can_write(unwritable, tmp_path, mode, loaded):
    """A library runs what whoever wrote it likes."""
    cache, mark = tmp_path / "cache", tmp_path / "sprung"
    environment = unwritable | {"EVENFLOW_SCANNERS": str(cache)}
    run_lexer(environment)
    [library] = cache.glob("*.so")
    put_trap(library, mark)
    trap = library.read_bytes()
    cache.chmod(mode)
    said = run_lexer(environment)
    assert mark.exists() == loaded
    assert loaded or said == [SAID]
    assert library.read_bytes() == trap


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a folder of another user")
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a compiler")
def test_nothing_is_loaded_from_a_folder_of_another(unwritable, tmp_path):
    cache, mark = tmp_path / "cache", tmp_path / "sprung"
    environment = unwritable | {"EVENFLOW_SCANNERS": str(cache)}
    run_lexer(environment)
    [library] = cache.glob("*.so")
    put_trap(library, mark)
    os.chown(cache, 65534, 65534)
    assert run_lexer(environment) == [SAID]
    assert not mark.exists()


SANITIZED = "-g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"


def sanitizer() -> str | None:
    """Return the library of the address sanitizer, where the compiler has one."""
    if shutil.which("cc") is None:
        return None
    words = ["cc", "-print-file-name=libasan.so"]
    found = subprocess.run(words, capture_output=True, text=True).stdout.strip()
    return found if Path(found).is_file() else None


def run_sanitized(words: list[str], tmp_path: Path) -> str:
    """Run Python with scanners that notice what they read or write outside of their arrays."""
    environment = os.environ | {
        "LD_PRELOAD": sanitizer(),
        "EVENFLOW_CFLAGS": SANITIZED,
        "EVENFLOW_SCANNERS": str(tmp_path / "sanitized"),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python's own
        "PYTHONMALLOC": "malloc",  # else small arrays lie in a large one
        "PYTHONPATH": str(ROOT / "workflow"),
    }
    done = subprocess.run([sys.executable, *words], env=environment, cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
    return f"{done.returncode} {done.stdout[-3000:]}"


BEYOND = """
import numpy as np
from evenflow.formats.compiled import function
paint = function("paint_lines", "u1", "i8", int, int, "u1")
paint(np.zeros(1, np.uint8), np.ones(3, np.int64), 1, 1, np.ones(1, np.uint8))
"""


@pytest.mark.thorough
@pytest.mark.skipif(sanitizer() is None, reason="needs a compiler with an address sanitizer")
def test_no_scanner_leaves_its_arrays(tmp_path):
    names = ("scanners", "lexing", "reports", "fuzz_cases")
    tests = [f"tests/unit/formats/test_{name}.py" for name in names]
    options = ["-q", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'base'}"]
    said = run_sanitized(["-m", "pytest", *options, *tests], tmp_path)
    assert said.startswith("0 "), said
    assert "AddressSanitizer" in run_sanitized(["-c", BEYOND], tmp_path)  # it does notice
