"""`make clean` removes what evenflow made and is as it left it."""

from pathlib import Path

import pytest
from evenflow.runs import receipts
from evenflow.runs.clean import main
from evenflow.runs.receipts import keep_log, keep_receipt

TABLE, PAGE = "data/derived/x/run.parquet", "reports/_site/datasets/x/index.html"


def put(path: str | Path, text: str) -> None:
    """Write a file as anybody does: in no journal."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(f"{text}\n")


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVENFLOW_RUN", raising=False)


def build() -> None:
    receipts.PLACE.mkdir()
    for path in (TABLE, PAGE, "logs/a/x.log", "logs/b/x.log"):
        put(path, path)
    keep_receipt("table", {}, [TABLE], ["logs/a/x.log"])
    keep_receipt("page", {}, [PAGE])
    keep_log("failed", "logs/b/x.log")


def files() -> list[str]:
    found = (path.as_posix() for path in Path().rglob("*") if path.is_file())
    return sorted(path for path in found if not path.startswith(".evenflow/"))


def test_what_was_made_goes_with_its_logs_and_folders(capsys):
    build()
    assert main() == 0
    assert files() == [] and not Path("data/derived/x").exists()
    assert not list(receipts.MADE.iterdir())
    assert "4 files that evenflow made are removed." in capsys.readouterr().err


def test_what_is_not_ours_stays_and_what_was_edited_is_named(capsys):
    build()
    strangers = ["data/derived/mine.csv", "reports/_site/.git/HEAD", "logs/a/mine.log"]
    for path in (*strangers, PAGE):
        put(path, "mine")
    assert main() == 0
    assert files() == sorted([*strangers, PAGE])
    assert f"{PAGE}: changed since it was made, so not removed." in capsys.readouterr().err


def test_lists_that_are_committed_stay_and_nothing_is_said_of_them(capsys):
    """`make expected` keeps a receipt, to know next time which of its files are out of date."""
    build()
    kept = ["results/expected/paper/_variables.yml", "results/expected/datasets/x.csv"]
    for path in kept:
        put(path, "n_runs: '12'")
    keep_receipt("write_expected", {}, kept)
    put(kept[1], "checked out again")
    assert main() == 0
    assert files() == sorted(kept)
    assert "results/" not in capsys.readouterr().err


def test_where_nothing_is_known_nothing_is_removed(capsys):
    put(TABLE, "of nobody knows whom")
    assert main() == 0
    assert files() == [TABLE] and "nothing is removed" in capsys.readouterr().err
    assert not Path(".evenflow").exists()
