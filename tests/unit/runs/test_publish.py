"""Publishing copies what was made and nothing else, and leaves alone what is there."""

from pathlib import Path

import pytest
from evenflow.runs import receipts
from evenflow.runs.publish import LIST, main, publish
from evenflow.runs.receipts import keep_receipt

SITE = "reports/_site"
PAGES = [f"{SITE}/index.html", f"{SITE}/datasets/x/index.html"]


def put(path: str | Path, text: str) -> None:
    """Write a file as anybody does: in no journal."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(f"{text}\n")


@pytest.fixture(autouse=True)
def target(tmp_path, monkeypatch):
    (tmp_path / "evenflow").mkdir()
    monkeypatch.chdir(tmp_path / "evenflow")
    monkeypatch.delenv("EVENFLOW_RUN", raising=False)
    receipts.PLACE.mkdir()
    for path in PAGES:
        put(path, path)
        keep_receipt("render", {PAGES[1]: None} if path == PAGES[0] else {}, [path])
    put(f"{SITE}/.git/HEAD", "theirs")
    put(f"{SITE}/talk.html", "theirs")
    return tmp_path / "site"


def files(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_only_what_was_made_is_copied(target):
    assert main([str(target)]) == 0
    assert files(target) == [LIST, "datasets/x/index.html", "index.html"]


def test_again_it_replaces_and_removes_its_own_and_leaves_the_rest(target):
    put(target / ".git/HEAD", "theirs")
    put(target / "CNAME", "theirs")
    publish(target)
    Path(PAGES[1]).unlink()
    receipts.receipt_path([PAGES[1]]).unlink()
    put(PAGES[0], "new")
    keep_receipt("render", {}, [PAGES[0]])
    assert "1 of before are removed" in publish(target)
    assert files(target) == [LIST, ".git/HEAD", "CNAME", "index.html"]
    assert (target / "index.html").read_text() == "new\n"


def test_what_the_first_page_does_not_lead_to_is_not_copied(target):
    """A paper that the configuration does not name any more is not made again."""
    for page in ("old-paper/index.html", "old-paper/old-paper.pdf", "datasets/y/index.html"):
        put(f"{SITE}/{page}", "of old data")
        keep_receipt("render", {}, [f"{SITE}/{page}"])
    put(f"{SITE}/datasets/x/tables/run.csv", "rows")
    keep_receipt("render", {}, [f"{SITE}/datasets/x/tables/run.csv"])
    publish(target)
    assert files(target) == [
        LIST,
        "datasets/x/index.html",
        "datasets/x/tables/run.csv",
        "index.html",
    ]


def test_without_a_first_page_every_page_is_copied(target):
    receipts.receipt_path([PAGES[0]]).unlink()
    publish(target)
    assert files(target) == [LIST, "datasets/x/index.html"]


def test_pages_are_made_before_they_are_copied(target, capsys):
    assert main([str(target)], make=lambda: 3) == 3
    assert "Nothing was copied" in capsys.readouterr().err and not target.exists()

    def edit() -> int:
        put(PAGES[0], "of new data")
        keep_receipt("render", {PAGES[1]: None}, [PAGES[0]])
        return 0

    assert main([str(target)], make=edit) == 0
    assert (target / "index.html").read_text() == "of new data\n"


@pytest.mark.parametrize("how", ["file", "link", "folder link", "folder", "edited"])
def test_what_is_in_the_way_stays_and_is_named(target, how, capsys):
    if how == "edited":
        publish(target)
    target.mkdir(exist_ok=True)
    if how == "folder":
        (target / "index.html").mkdir()
    elif how == "link":
        (target / "index.html").symlink_to("elsewhere")
    elif how == "folder link":
        (target.parent / "web").mkdir()
        (target / "datasets").symlink_to(target.parent / "web")
    else:
        (target / "index.html").write_text("theirs")
    before = files(target)
    assert main([str(target)]) == 1
    assert files(target) == before and "Remedy: remove it" in capsys.readouterr().err
    assert how != "folder link" or not files(target.parent / "web")


@pytest.mark.parametrize("how", ["edited", "notice", "gone"])
def test_a_site_that_is_not_as_it_was_made_is_refused(target, how, capsys):
    if how == "notice":
        keep_receipt("notice", {}, [PAGES[0]], good=False)
    elif how == "gone":
        Path(PAGES[0]).unlink()
    else:
        Path(PAGES[0]).write_text("edited")
    assert main([str(target)]) == 1
    assert PAGES[0] in capsys.readouterr().err and not files(target)


NOT_FOR_PAGES = [
    "data/raw",
    "data/raw/lab/pages",
    "data/derived",
    "reports",
    "reports/a",
    "..",
    ".",
]
NOT_FOR_PAGES += [
    "../..",
    ".git",
    ".git/x",
    "../other/.git",
    ".evenflow",
    "logs",
    "results",
    "dist",
]
NOT_FOR_PAGES += ["config", "data", "linked", "../elsewhere", "../elsewhere/pages", "docs"]


@pytest.mark.parametrize("name", NOT_FOR_PAGES)
def test_a_folder_that_is_something_else_is_refused_and_nothing_is_written(target, name, capsys):
    put("docs/README.md", "texts")
    put("data/raw/lab/flow.log", "log")
    put(target.parent / "elsewhere/flow.log", "log")
    Path("data/raw/far").symlink_to(target.parent / "elsewhere")
    Path("linked").symlink_to("data/raw")
    before = sorted(target.parent.rglob("*"))
    assert main([name]) == 1
    assert sorted(target.parent.rglob("*")) == before
    assert (
        "Remedy: choose a folder for the site alone, such as ../my-site" in capsys.readouterr().err
    )


@pytest.mark.parametrize("name", ["pages", "docs", "../site"])
def test_a_folder_of_its_own_may_lie_in_the_study(target, name):
    assert main([name]) == 0
    assert files(Path(name)) == [LIST, "datasets/x/index.html", "index.html"]


def test_a_site_of_which_nothing_is_made_leaves_no_folder(target, capsys):
    for path in PAGES:
        receipts.receipt_path([path]).unlink()
    assert main([str(target)]) == 1
    assert "nothing was made yet. Remedy: make" in capsys.readouterr().err and not target.exists()


@pytest.mark.parametrize("words", [[], [""], ["a", "b"], [SITE], [f"{SITE}/copy"]])
def test_where_to_must_be_said_and_be_elsewhere(words):
    assert main(words) == 1
