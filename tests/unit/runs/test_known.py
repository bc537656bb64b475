"""What was made, and of what, is known: what is ours, and what must be made again."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from evenflow.files import atomic_path, write_text
from evenflow.provenance.lineage import trace
from evenflow.runs import journal, receipts
from evenflow.runs.known import AHEAD_S, Known
from evenflow.runs.receipts import keep_receipt, made_by, read_states, saw, saw_raw

PAGE, A, B = "reports/_site/page.html", "data/derived/x/a", "data/derived/x/b"
RAW = "data/raw/x/"
SEEN = ["as it was", "inodes", "contents"]


@pytest.fixture(autouse=True)
def made(tmp_path, monkeypatch):
    """A job that made `a` and `b` of raw files, and one that made a page of `b` and of code."""
    monkeypatch.chdir(tmp_path)
    receipts.PLACE.mkdir()
    for name in (A, B, PAGE, "workflow/code.py", "reports/paper/index.qmd"):
        write_text(name, name)
    saw_raw(RAW, *SEEN)
    saw("data/raw/x/dataset.yml", there=False)
    keep_receipt("make_ab", {}, [A, B], ["logs/ab.log"])
    keep_receipt(
        "make_page", read_states([B, "workflow/code.py", "reports/paper/index.qmd"]), [PAGE]
    )
    return tmp_path


def as_it_was(name: str, kept: receipts.Raw) -> receipts.Raw:
    return kept


def why(*outputs: str, raw=as_it_was, now_s: float | None = None) -> str | None:
    return Known().why_again(outputs, raw, now_s or time.time())


def both() -> tuple:
    return why(A, B), why(PAGE)


def test_nothing_is_made_again_where_nothing_was_changed():
    assert both() == (None, None)


def test_a_new_time_alone_is_no_change_and_is_kept(made):
    """Snakemake gives outputs a new time when their job has ended; git gives code one."""
    for name in (A, PAGE, "workflow/code.py"):
        os.utime(name, (5, 5))
    known, now_s = Known(), time.time()
    assert not known.why_again([A, B], as_it_was, now_s)
    assert not known.why_again([PAGE], as_it_was, now_s)
    known.keep_times()
    assert json.loads(receipts.receipt_path([A, B]).read_bytes())["outputs"][A][1] == 5e9
    Path(A).write_text(A[::-1] + "\n")  # of the same size and time: only `make verify` finds that
    os.utime(A, (5, 5))
    assert both() == (None, None)


@pytest.mark.parametrize("content", ["", "x", "a longer one than that which was there before"])
def test_another_content_is_seen_and_is_not_ours(made, content):
    Path(A).write_text(content)
    assert why(A, B) == f"{A} was changed after it was made"
    known = Known()
    assert not known.is_ours(A) and known.is_ours(B)


@pytest.mark.parametrize("name", ["workflow/code.py", "reports/paper/index.qmd", B])
def test_another_content_of_what_was_read_is_seen_whatever_its_time(made, name):
    """As tar, `cp -p` and rsync give it one."""
    Path(name).write_text("other")
    os.utime(name, (5, 5))
    assert why(PAGE) == f"{name} was changed since {PAGE} was made"


@pytest.mark.parametrize("name", ["workflow/code.py", "reports/paper/index.qmd"])
@pytest.mark.parametrize("older", [False, True])
def test_another_source_of_the_same_size_and_time_is_seen(made, name, older):
    """As `touch -r` and `mv` put it there; a receipt of an older version knows no inode."""
    if older:
        forget_inodes()
    about = Path(name).stat()
    Path("new").write_text(name.upper())
    os.utime("new", ns=(about.st_atime_ns, about.st_mtime_ns))
    Path("new").replace(name)
    assert why(PAGE) == f"{name} was changed since {PAGE} was made"


def forget_inodes() -> None:
    """Leave receipts as an older version wrote them."""
    place = receipts.receipt_path([PAGE])
    said = json.loads(place.read_bytes())
    states = {**said["inputs"], **receipts.read_shared(said["shared"])}
    for path in (place, *receipts.READ.iterdir()):
        path.unlink()
    inputs = {name: state[:3] for name, state in states.items()}
    receipts.write_receipt(receipts.Receipt("make_page", inputs, {PAGE: said["outputs"][PAGE]}))


def test_a_copy_of_a_project_has_nothing_to_do(made, monkeypatch):
    for older in (False, True):
        if older:
            forget_inodes()
        copy = f"{made}-copy-{older}"
        shutil.copytree(made, copy)
        monkeypatch.chdir(copy)
        assert both() == (None, None)


def test_a_large_source_is_compared_by_content_too(made, monkeypatch):
    """A large table is not: the receipt of the job that made it has its digest."""
    monkeypatch.setattr(receipts, "LARGE_BYTES", 1)
    states = read_states(["reports/paper/index.qmd", B])
    assert [bool(state[2]) for state in states.values()] == [True, False]


def test_what_was_made_of_a_file_that_is_gone_is_made_again(made):
    Path(B).unlink()
    assert why(PAGE) == f"{B} was changed since {PAGE} was made"
    assert why(A, B) == f"{B} is not there"


def test_a_file_that_was_missed_and_is_there_now_is_seen(made):
    write_text("data/raw/x/dataset.yml", "title: x")
    assert why(A, B) == f"data/raw/x/dataset.yml was changed since {A} was made"


def test_a_file_that_was_away_when_it_was_read_and_is_back_is_seen(made):
    """What the rule says it reads was there before the job; the job itself did not find it."""
    name = "data/raw/x/dataset.yml"
    write_text(name, "title: x")
    before = read_states([name])
    saw(name, there=False)
    keep_receipt("make_page", before, [PAGE])
    assert why(PAGE) == f"{name} was changed since {PAGE} was made"


def test_a_file_that_differed_between_two_looks_of_a_job_is_never_the_same(made):
    name = "data/raw/x/dataset.yml"
    saw(name, there=False)
    write_text(name, "title: x")
    saw(name, there=True)
    keep_receipt("make_page", {}, [PAGE])
    assert why(PAGE) == f"{name} was changed since {PAGE} was made"
    Path(name).unlink()
    assert why(PAGE)


@pytest.mark.parametrize("now", [None, ["other", *SEEN[1:]], [*SEEN[:2], "other"]])
def test_raw_files_in_another_state_are_seen(now):
    assert why(A, B, raw=lambda name, kept: now) == f"{RAW} was changed since {A} was made"


def test_a_copy_of_raw_files_is_no_change_and_is_known_from_then_on():
    """It was read: the next run need not read it again."""
    copied, known = [SEEN[0], "other inodes", SEEN[2]], Known()
    assert known.why_again([A, B], lambda name, kept: copied, time.time()) is None
    known.keep_times()
    assert Known().receipts[str(receipts.receipt_path([A, B]))].raw == {RAW: copied}


def test_a_receipt_of_an_older_version_knows_raw_files_by_size_and_time():
    place = receipts.receipt_path([A, B])
    place.write_text(json.dumps(json.loads(place.read_bytes()) | {"raw": {RAW: SEEN[0]}}))
    assert why(A, B, raw=lambda name, kept: ["other", *SEEN[1:]])
    assert not why(A, B, raw=lambda name, kept: SEEN)


def test_what_was_made_by_a_clock_that_was_ahead_is_made_again():
    made_s = Path(PAGE).stat().st_mtime
    assert why(PAGE, now_s=made_s - AHEAD_S - 1).endswith("by a clock that was wrong")
    assert not why(PAGE, now_s=made_s - AHEAD_S + 1)


def test_a_notice_is_made_again():
    keep_receipt("notice", {}, [PAGE], good=False)
    assert why(PAGE) == f"{PAGE} says why it could not be made"
    assert Known().is_ours(PAGE)


def test_a_job_that_has_got_another_output_is_known_as_it_is_now(made):
    """Receipts are named after the first output: `A` is before `a`."""
    first = A.replace("/a", "/A")
    for name in (first, A, B):
        write_text(name, f"another {name}")
    assert why(first, A, B) == f"{first} is on no receipt"
    keep_receipt("rule", {}, [first, A, B])
    assert why(first, A, B) is None
    assert why(A, B, first) is None


def test_a_job_that_runs_again_is_forgotten(made):
    known = Known()
    known.forget([A, B])
    assert why(A, B) == f"{A} is on no receipt"
    assert not Known().is_ours(A)
    known.forget([A, B])
    known.forget([])


def test_each_file_has_the_job_that_made_it_with_all_that_it_read(made):
    found = made_by()
    assert {path: job.rule for path, job in found.items()} == {
        A: "make_ab", B: "make_ab", PAGE: "make_page",
    }  # fmt: skip
    assert set(found[PAGE].inputs) == {B, "workflow/code.py", "reports/paper/index.qmd"}


def test_what_another_rule_makes_now_is_no_more_the_first_ones(made):
    for path in receipts.MADE.iterdir():
        os.utime(path, (5, 5))
    write_text(B, "by another rule")
    keep_receipt("make_b", {}, [B])
    assert made_by()[B].rule == "make_b" and made_by()[A].rule == "make_ab"
    assert why(B) is None and why(A, B) == f"{A} is on no receipt"


def test_what_a_part_was_made_from_is_traced_without_code_and_what_no_rule_names():
    found = trace([PAGE, A, "by-hand"])
    assert found[PAGE] == {
        "rule": "make_page", "inputs": [B, "reports/paper/index.qmd"], "code": ["workflow/code.py"],
    }  # fmt: skip
    assert found[A] == {"rule": "make_ab", "inputs": [], "code": []}


def test_a_table_that_only_its_own_job_reads_is_traced_by_what_its_function_reads(made):
    inputs_of = {PAGE: [A], A: [B], B: []}
    found = trace([PAGE], inputs_of)
    assert {path: job["inputs"] for path, job in found.items()} == inputs_of
    assert found[PAGE]["code"] == ["workflow/code.py"] and found[B]["rule"] == "make_ab"


DAMAGE = [b"", b"{", b"[]", b"null", b"3", b"\xff\x00", b'{"inputs": 3}']
DAMAGE += [b'{"rule": 1, "inputs": {}, "outputs": {"/etc/passwd": [1, 2, 3, "x"]}}']


@pytest.mark.parametrize("content", DAMAGE)
@pytest.mark.parametrize("place", [receipts.MADE, receipts.READ])
def test_a_damaged_receipt_stops_nothing_and_makes_its_files_again(made, content, place):
    for path in place.iterdir():
        path.write_bytes(content)
    known = Known()
    assert known.why_again([PAGE], as_it_was, time.time())
    assert not known.is_ours("/etc/passwd")


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", "a/../../x", "", "a\0b"])
def test_a_receipt_names_nothing_outside_of_the_project(made, path):
    place = receipts.receipt_path([PAGE])
    said = json.loads(place.read_bytes())
    place.write_text(json.dumps(said | {"outputs": {path: said["outputs"][PAGE]}}))
    assert path not in Known().files


def test_what_a_link_leads_to_is_not_ours(made, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    Path("data/derived/x").rename(other / "x")
    Path("data/derived/x").symlink_to(other / "x")
    assert not Known().is_ours(A) and Known().is_ours(PAGE)
    Path("reports/_site").rename(other / "site")
    Path("reports/_site").symlink_to(other / "site")  # this one may be a link
    assert Known().is_ours(PAGE)


def test_only_what_is_ours_is_removed_with_folders_that_this_leaves_empty(made):
    Path(A).write_text("edited")
    known = Known()
    assert known.remove([A, B, PAGE, "workflow/code.py"], ["reports/_site"]) == [B, PAGE]
    assert Path(A).read_text() == "edited" and Path("workflow/code.py").is_file()
    assert Path("reports/_site").is_dir()


def test_an_older_version_s_records_say_what_is_ours_but_not_of_what_it_was_made(made):
    for path in receipts.MADE.iterdir():
        path.unlink()
    older = Path(".snakemake/made")
    older.mkdir(parents=True)
    size, time_ns, _, digest = receipts.made_state(PAGE)
    (older / "x.json").write_text(json.dumps({"outputs": {PAGE: [size, time_ns, digest]}}))
    assert Known().is_ours(PAGE) and not Known().is_ours(A)
    assert why(PAGE) == f"{PAGE} is on no receipt"


# ---- killed jobs --------------------------------------------------------------------------------


def killed_job(path: str, renamed: bool) -> None:
    """Write a file as a job does that is killed before its receipt."""
    with pytest.raises(KeyboardInterrupt), atomic_path(path) as temporary:
        temporary.write_text("half")
        left = temporary.with_name(f"tmp_{temporary.name}")
        left.write_text("DuckDB's")
        os.link(temporary, f"{temporary}.kept")
        raise KeyboardInterrupt
    os.rename(f"{temporary}.kept", temporary)  # noqa: PTH104
    if renamed:
        journal.announce_rename(temporary, Path(path))
        temporary.replace(path)
    journal._open.handle.close()
    journal._open = None


@pytest.mark.parametrize("path", ["results/manifest/raw/x.sha256", "results/planned.csv"])
def test_a_list_that_is_committed_stays_when_its_job_was_killed(made, path):
    killed_job(path, renamed=True)
    Known().end_begun()
    assert Path(path).is_file()


@pytest.mark.parametrize("renamed", [False, True])
def test_what_a_killed_job_left_is_removed_and_nothing_like_it(made, renamed):
    new = "data/derived/x/new"
    strangers = ["data/derived/x/.new.abcdef01", "data/derived/x/tmp_.new.abcdef01"]
    for name in strangers:
        Path(name).write_text("mine")
    killed_job(new, renamed)
    before = {str(path) for path in Path().rglob("*new*")}
    assert len(before) == 4
    known = Known()
    assert known.is_ours(new) is renamed
    known.end_begun()
    assert {str(path) for path in Path().rglob("*new*")} == set(strangers)
    assert not list(journal.BEGUN.iterdir())


def test_a_file_that_a_receipt_names_outlives_a_journal_that_was_left(made):
    """Killed between the receipt and the end of the journal."""
    killed_job(PAGE, renamed=True)
    keep_receipt("make_page", {}, [PAGE])
    Known().end_begun()
    assert Path(PAGE).read_text() == "half"


def test_what_was_put_over_a_killed_job_s_file_stays(made):
    killed_job("data/derived/x/new", renamed=True)
    Path("data/derived/x/new").write_text("my own words")
    Known().end_begun()
    assert Path("data/derived/x/new").read_text() == "my own words"


@pytest.mark.parametrize("line", ["", "{", "3", '{"temporary": "../x"}', '{"path": "a"}', "\0"])
def test_a_journal_that_was_cut_or_altered_removes_nothing(made, line):
    Path("../x").touch()
    journal.BEGUN.mkdir(exist_ok=True)
    (journal.BEGUN / "host-1-1.jsonl").write_text(line)
    Known().end_begun()
    assert Path("../x").exists() and Path(A).exists()


@pytest.mark.parametrize("text", ["", "{}", '{"workflow/code.py": [1, 2, "edited"]}'])
def test_a_damaged_file_of_what_jobs_read_alike_is_written_again_by_the_next_such_job(text):
    (place,) = (path for path in receipts.READ.glob("*.json") if b"code.py" in path.read_bytes())
    whole = place.read_bytes()
    place.write_text(text, encoding="utf-8")
    assert why(PAGE) == f"{place} was changed since {PAGE} was made"
    states = read_states([B, "workflow/code.py", "reports/paper/index.qmd"])
    keep_receipt("make_page", states, [PAGE])
    assert place.read_bytes() == whole
    assert both() == (None, None)
    assert "workflow/code.py" in made_by()[PAGE].inputs
