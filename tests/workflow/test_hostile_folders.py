"""`make` with hostile folders among good ones: the good ones' tables are as if they were alone.

`tests/unit/test_hostile.py` has the many cases; here are a few that went through every job.
"""

import gzip
import hashlib
import os
import random
import shutil

import pytest
from test_folder_names import without_papers
from test_make import ARCHIVES, fresh_project, make, text_of

GOOD = ("course-project", "powershell")
ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(9 * [f'*{old}'])}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
CONTENTS = {  # folder: its files, and what its page says
    "bomb": ({"b.log.gz": gzip.compress(bytes(80 * 2**20))}, "limits.compression_ratio"),
    "binary": ({"odd.log": random.Random(24).randbytes(2**20)}, "odd.log"),
    "escapes": ({"\x1b[31m\udcff\n.log": b"\x1b]0;x\x07\n"}, r"\x1b[31m\xff\n.log"),
    "html": ({"dataset.yml": b"source: <script>alert(1)</script>\n"}, "<script>alert(1)</script>"),
    "aliases": ({"dataset.yml": ALIASES.encode()}, "limits.yaml_values"),
    "x'; DROP TABLE run; --": ({"'); --.log": b"x\n"}, "'); --.log"),
}
REFUSED = {"aliases"}


def project_of(folder, *, hostile: bool):
    """Make a project of the good folders, with or without the hostile ones."""
    project = fresh_project(folder / "evenflow")
    raw = project / "data/raw"
    without_papers(project)
    for path in raw.iterdir():
        shutil.rmtree(path)
    for name in GOOD:
        shutil.copytree(ARCHIVES / name, raw / name)
    for name, (files, _) in CONTENTS.items() if hostile else ():
        (raw / name).mkdir()
        for path, content in files.items():
            (raw / name / path).write_bytes(content)
    if hostile:
        os.mkfifo(raw / "bomb/pipe.log")
    return project, make(project)


def tables(project, name: str) -> dict[str, str]:
    folder = project / "data/derived" / name
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.parquet"))
    }


@pytest.fixture(scope="module")
def among(tmp_path_factory):
    return project_of(tmp_path_factory.mktemp("among"), hostile=True)


def test_hostile_folders_change_no_byte_of_good_ones(among, tmp_path):
    alone, done = project_of(tmp_path, hostile=False)
    assert done.returncode == 0, done.stdout[-2000:]
    for name in GOOD:
        expected = tables(alone, name)
        assert len(expected) > 20
        assert tables(among[0], name) == expected


def test_each_hostile_folder_says_what_is_wrong_with_it(among):
    project, done = among
    assert done.returncode != 0  # one is refused
    assert "Traceback" not in done.stdout and "\x1b" not in done.stdout
    for name, (_, said) in CONTENTS.items():
        assert said in text_of(project, f"datasets/{name}/index.html")
        made = (project / "data/derived" / name / "run.parquet").exists()
        assert made == (name not in REFUSED)
