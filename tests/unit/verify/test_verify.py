"""Manifests, tolerances and the comparison of texts, tables and pages."""

import base64
import subprocess
from pathlib import Path

import polars as pl
import pytest
import yaml
from evenflow import places
from evenflow.errors import DataError
from evenflow.markdown import number, scientific
from evenflow.printed import noting, pairs_of, read_notes
from evenflow.render.evidence import packed
from evenflow.revision import rendering_as_of, revision_of
from evenflow.verify.agreement import (
    Tolerance,
    agree,
    compare_tables,
    compare_texts,
    differences,
    tolerance_of,
)
from evenflow.verify.expected import cell_summary, compare_expected, printed_rows
from evenflow.verify.manifest import (
    check_files,
    hash_files,
    list_files,
    read_manifest,
    write_manifest,
)
from evenflow.verify.steps import compare_made, read_tolerances, revisions_of
from evenflow.verify.terminal import raw_table
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[3]
ROUNDED = Tolerance("*", "numbers are rounded", rounded=True)
EXACT = Tolerance("*", "nothing may differ")


# ---- manifests ----------------------------------------------------------------------------------


@pytest.fixture
def raw(tmp_path):
    for name in ("a.log", "b c.log", "sub/ü.log"):
        path = tmp_path / "raw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
    (tmp_path / "raw/.partial.log").write_text("hidden")
    return tmp_path


def test_a_manifest_is_what_sha256sum_checks(raw):
    (raw / "raw/odd\\name\n.log").write_text("odd")
    there = list_files(raw, "raw")
    write_manifest(raw / "m.sha256", hash_files(raw, there))
    assert read_manifest(raw / "m.sha256") == hash_files(raw, there)
    done = subprocess.run(["sha256sum", "--check", "--quiet", "m.sha256"], cwd=raw)
    assert done.returncode == 0
    assert len(there) == 4  # hidden files are left out


def test_a_manifest_of_no_file_is_read_as_it_was_written(tmp_path):
    write_manifest(tmp_path / "m.sha256", {})
    assert read_manifest(tmp_path / "m.sha256") == {}


def test_altered_missing_and_new_files_are_told_apart(raw):
    listed = hash_files(raw, list_files(raw, "raw"))
    (raw / "raw/a.log").write_text("b.log")
    (raw / "raw/b c.log").unlink()
    (raw / "raw/new.log").write_text("")
    check = check_files(raw, listed, list_files(raw, "raw"))
    assert (check.altered, check.missing, check.new) == (
        ["raw/a.log"],
        ["raw/b c.log"],
        ["raw/new.log"],
    )
    assert not check.holds
    said = raw_table({"raw": check})
    assert "ALTERED: raw/a.log" in said and "MISSING: raw/b c.log" in said


def test_new_files_alone_are_no_fault(raw):
    listed = hash_files(raw, ["raw/a.log"])
    check = check_files(raw, listed, list_files(raw, "raw"))
    assert check.holds
    assert raw_table({"raw": check}).splitlines()[2].split()[-2:] == ["as", "listed"]
    unlisted = check_files(raw, {}, list_files(raw, "raw"))
    assert raw_table({"raw": unlisted}).splitlines()[2].endswith(" new")


def test_a_damaged_manifest_is_named_with_its_line(raw):
    (raw / "m.sha256").write_text(f"{'0' * 64}  a\n{'0' * 63}  b\n")
    with pytest.raises(DataError, match=r"m.sha256:2: not a line .*Remedy"):
        read_manifest(raw / "m.sha256")


# ---- numbers ------------------------------------------------------------------------------------


def noted(*texts: str) -> set:
    """What a job notes of values that lie at a border: 'these two texts are one of them'."""
    return {frozenset(pair.split(" or ")) for pair in texts}


@pytest.mark.parametrize(
    ("one", "other", "pairs", "same"),
    [
        ("0.30 Mb/s", "0.29 Mb/s", ["0.29 or 0.30"], True),
        ("0.30 Mb/s", "0.29 Mb/s", [], False),  # no value lies between them
        ("0.30 Mb/s", "0.29 Mb/s", ["0.17 or 0.18"], False),
        ("0.30 Mb/s", "0.28 Mb/s", ["0.29 or 0.30"], False),
        ("−3.14 dB", "−3.13 dB", ["−3.13 or −3.14"], True),  # a printed minus
        ("−3.14 dB", "3.14 dB", ["−3.13 or −3.14"], False),
        ("1.2·10⁻⁵ s", "1.3·10⁻⁵ s", ["1.2·10⁻⁵ or 1.3·10⁻⁵"], True),
        ("9.9·10⁻⁵ s", "1.0·10⁻⁴ s", ["9.9·10⁻⁵ or 1.0·10⁻⁴"], True),
        ("1.2·10⁻⁵ s", "1.2·10⁻⁴ s", ["1.2·10⁻⁵ or 1.3·10⁻⁵"], False),
        ("12 runs", "13 runs", ["12 or 13"], False),  # whatever was noted
        ("2 of 3", "3 of 3", [], False),
        ("12 to 13", "12 to 13 (2)", [], False),
        ("12 runs", "12 flows", [], False),
        ("rtt25_opb60", "rtt26_opb60", [], False),  # a number within a name is part of the name
        ("reproduced", "not reproduced", [], False),
    ],
)
def test_rounded_numbers_agree_where_one_value_may_be_printed_as_either(one, other, pairs, same):
    assert agree(one, other, ROUNDED, noted(*pairs)) is same
    assert agree(one, other, EXACT, noted(*pairs)) is False


def test_whole_numbers_agree_exactly_whatever_is_allowed():
    """A count 2 -> 3, the runs 12 -> 13, a million bytes more or less."""
    large = Tolerance("*", "of reals", rounded=True, relative=1e-3, absolute=10)
    for one, other in (("2", "3"), ("12", "13"), ("−1", "1"), ("123456789", "123456788")):
        assert not agree(one, other, large)
        assert not agree(f"n,{one},x", f"n,{other},x", large)
    assert agree("1234567.25", "1234567.5", large)


@pytest.mark.parametrize(
    ("value", "write", "texts"),
    [
        (0.175, lambda v: number(v, 2), {"0.17", "0.18"}),
        (0.175 + 1e-13, lambda v: number(v, 2), {"0.17", "0.18"}),
        (-3.135, lambda v: number(v, 2), {"−3.13", "−3.14"}),
        (9.95e-5, lambda v: scientific(v, 1), {"9.9·10⁻⁵", "1.0·10⁻⁴"}),
        (0.17501, lambda v: number(v, 2), None),
        (0.18, lambda v: number(v, 2), None),
        (0.0, lambda v: number(v, 2), None),
    ],
)
def test_a_value_at_a_border_is_noted_with_both_texts(tmp_path, value, write, texts):
    usual = write(value)
    with noting(tmp_path / "printed", 1e-9, 1e-12):
        assert write(value) == usual
    found = {pair for _, pair in read_notes(tmp_path / "printed")}
    assert found == ({frozenset(texts)} if texts else set())
    write(value)  # nobody asks any more
    assert {pair for _, pair in read_notes(tmp_path / "printed")} == found


def test_a_note_counts_for_what_its_job_made_and_the_pages_that_show_it():
    one, other = noted("0.17 or 0.18"), noted("2.4 or 2.5")
    notes = [
        (["reports/p/_variables.yml", "reports/p/tables/x.md"], *one),
        (["data/derived/other/cell.parquet"], *other),
    ]
    assert pairs_of("reports/p/_variables.yml", notes) == one
    assert pairs_of("reports/p/tables/y.md", notes) == set()
    assert pairs_of("reports/_site/p/index.html", notes) == one
    assert pairs_of("reports/_site/datasets/other/index.html", notes) == other
    assert pairs_of("reports/_site/index.html", notes) == one | other


@given(st.floats(-1e9, 1e9), st.floats(-1e-10, 1e-10))
def test_a_relative_tolerance_allows_what_it_says(value, change):
    near = Tolerance("*", "rounding of doubles", relative=1e-9)
    assert near.allows(value, value * (1 + change))
    if abs(value) > 1:
        assert not near.allows(value, value * (1 + 1e-6))


def test_the_first_matching_tolerance_counts_and_nothing_matches_means_exact():
    tolerances = [Tolerance("*/x.md", "first", absolute=1), Tolerance("*.md", "second")]
    assert tolerance_of("a/x.md", tolerances).reason == "first"
    assert tolerance_of("a/y.md", tolerances).reason == "second"
    assert tolerance_of("a/y.png", tolerances).absolute == 0


# ---- files --------------------------------------------------------------------------------------


def parquet(folder: Path, **columns) -> bytes:
    pl.DataFrame(columns).write_parquet(folder / "t.parquet")
    return (folder / "t.parquet").read_bytes()


def test_tables_are_compared_value_by_value(tmp_path):
    near = Tolerance("*", "rounding of doubles", relative=1e-9)
    first = parquet(tmp_path, run_id=["a", "b"], jfi=[0.5, None], n=[1, 2])
    other = parquet(tmp_path, run_id=["a", "b"], jfi=[0.5 + 1e-12, None], n=[1, 2])
    assert first != other and differences("t.parquet", first, other, [near]) == []
    other = parquet(tmp_path, run_id=["a", "b"], jfi=[0.5, 0.6], n=[1, 3])
    found = differences("t.parquet", first, other, [near])
    assert [(d.where, d.expected, d.got) for d in found] == [
        ("jfi, row 2", "None", "0.6"),
        ("n, row 2", "2", "3"),
    ]
    shorter = parquet(tmp_path, run_id=["a"], jfi=[0.5], n=[1])
    assert differences("t.parquet", first, shorter, [near])[0].where == "rows"


@pytest.mark.parametrize("near", [Tolerance("*", "rounding of doubles", relative=1e-9), EXACT])
def test_an_infinite_number_is_near_no_other(near):
    inf, nan = float("inf"), float("nan")
    for pair in ([inf, 2.0], [-inf, 2.0], [inf, -inf], [nan, 2.0], [inf, nan], [None, inf]):
        for before, now in (pair, pair[::-1]):
            tables = (pl.DataFrame({"jfi": [1.0, x]}, strict=False) for x in (before, now))
            found = compare_tables(*tables, near)
            assert [(d.where, d.expected, d.got) for d in found] == [
                ("jfi, row 2", str(before), str(now))
            ]
            assert None in pair or not near.allows(before, now)
    for same in (inf, -inf, nan, None):
        assert not compare_tables(*2 * [pl.DataFrame({"jfi": [1.0, same]}, strict=False)], near)
    for one, other in (("1e999", "2.0"), ("-1e999", "1e999"), ("1e999", "2e999"), ("inf", "2.0")):
        assert not agree(f"x,{one}", f"x,{other}", near)


@pytest.mark.parametrize(
    "said", ["relative: .nan", "absolute: .inf", "relative: 2", "absolute: -1"]
)
def test_a_tolerance_is_a_finite_number(tmp_path, said):
    path = tmp_path / "verify.yaml"
    path.write_text(f"tolerances:\n  - files: '*'\n    reason: of rounding\n    {said}\n")
    with pytest.raises(DataError, match=r"verify.yaml:4: "):
        read_tolerances(path)


SAID = "Jain's index is 0.91, of 2 runs"
CARRIED = {"n": 12, "jfi": 0.91235, "revision": {"commit": "1a2b3c"}}


def page(
    text=SAID, figure="M1.0 2.0", label="0.5", carried=CARRIED, style="", commit="1a2b3c"
) -> bytes:
    drawn = f'<svg><path d="{figure}"/><text>{label}</text></svg>'
    svg = base64.b64encode(drawn.encode()).decode()
    image = f'<img src="data:image/svg+xml;base64,{svg}">'
    script = f'<script type="text/plain" id="provenance">{packed(carried)}</script>'
    head = f"<head><style>{style}</style></head>"
    return f"{head}<p>{text}</p>\n{image}\n{script}\n<p>Rendered from commit {commit}</p>".encode()


@pytest.mark.parametrize(
    ("other", "where"),
    [
        (page(text=SAID.replace("0.91", "0.92")), "line 1"),
        (page(text=SAID.replace("2 runs", "3 runs")), "line 1"),
        (page(figure="M1.0 2.5"), "figure 1 of the page"),
        (page(figure="M1.0 2.001"), None),  # a thousandth of a pixel
        (page(label="0.505"), "figure 1 of the page"),  # a text in it is no coordinate
        (page(carried=CARRIED | {"n": 13}), 'data in the page, <script type="text/plain"'),
        (page(carried=CARRIED | {"jfi": 0.91236}), 'data in the page, <script type="text/plain"'),
        (page(carried=CARRIED | {"revision": None}), 'data in the page, <script type="text/plain"'),
        (page(style="p {display: none}"), "line 1 of the page's source"),
        (page(commit="4d5e6f"), "line 2"),
    ],
)
def test_pages_are_compared_by_what_a_reader_sees_and_what_they_carry(other, where):
    allowed = read_tolerances(ROOT / "config/verify.yaml")
    found = differences("i.html", page(), other, allowed)
    found += differences("i.html", other, page(), allowed)
    assert [d.where.startswith(where) for d in found] == [True, True] if where else found == []
    assert all(d.expected != d.got for d in found)


REVISION = {"commit": "1a2b3c", "date": "2026-11-26", "clean": False, "changed": ["README.md"]}


@pytest.mark.parametrize(
    ("carried", "revision"),
    [
        ({"revision": REVISION}, REVISION),
        ({"revision": None}, None),  # it was made outside any git repository
        ({"revision": REVISION | {"commit": 3}}, None),  # altered: it is made again as of none
        ({"revision": "1a2b3c"}, None),
        ([], None),
    ],
)
def test_papers_are_made_again_as_of_the_commit_that_their_pages_name(
    carried, revision, tmp_path, monkeypatch
):
    """The scratch folder is in no repository; and the project may have new commits since."""
    path = tmp_path / "index.html"
    path.write_bytes(page(carried=carried))
    said = revisions_of({"paper": str(path), "new": str(tmp_path / "not made yet.html")})
    assert said == {"paper": revision, "new": None}
    monkeypatch.chdir(tmp_path)
    with rendering_as_of(said):
        assert revision_of("paper") == revision and revision_of("new") is None
    assert revision_of("paper") is None


def test_a_value_at_a_border_may_be_printed_as_either_wherever_a_page_has_it():
    allowed = read_tolerances(ROOT / "config/verify.yaml")
    pairs = noted("0.91 or 0.92", "0.91235 or 0.91236", "0.5 or 0.6")
    other = page(SAID.replace("0.91", "0.92"), label="0.6", carried=CARRIED | {"jfi": 0.91236})
    assert differences("i.html", page(), other, allowed, pairs) == []
    assert len(differences("i.html", page(), other, allowed)) == 3


def test_a_drawing_is_compared_by_its_shapes_and_its_text():
    allowed = read_tolerances(ROOT / "config/verify.yaml")
    drawing = b'<svg>\n<path d="M1.501,2h%s"/>\n<text x="3">%s</text></svg>'
    first = drawing % (b"10.25", b"n = 2, 0.17")
    assert differences("f.svg", first, drawing % (b"10.2501", b"n = 2, 0.17"), allowed) == []
    for other, line in (
        (drawing % (b"10.3", b"n = 2, 0.17"), 2),
        (drawing % (b"10.25", b"n = 3, 0.17"), 3),
        (drawing % (b"10.25", b"n = 2, 0.175"), 3),
    ):
        assert [d.where for d in differences("f.svg", first, other, allowed)] == [f"line {line}"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("data-" + 90 * "a" + "1", "data-" + 90 * "a" + "2"),  # a long word that ends otherwise
        ("0.17 " + 80 * "x" + " runs", "0.18 " + 80 * "x" + " flows"),  # 0.17 or 0.18 is allowed
        ("a\u00a0b", "a b"),  # a space that is no space
        (100 * "x", 101 * "x"),
        ("x", "x\ny"),
        ("x" + 5 * " ", "x"),
    ],
)
def test_a_message_shows_what_differs(one, other):
    found = compare_texts(one, other, ROUNDED, noted("0.17 or 0.18"))
    assert len(found) == 1
    assert found[0].expected != found[0].got
    assert one.strip() == other or found[0].expected.split() != found[0].got.split()


def test_other_files_are_compared_by_their_bytes():
    assert differences("p.pdf", b"\xff1", b"\xff2", [ROUNDED])


def test_what_depends_on_raw_files_that_are_not_listed_is_not_compared(tmp_path):
    here, anew = tmp_path / "here", tmp_path / "anew"
    for folder in (here, anew):
        for dataset in ("old", "grown"):
            (folder / "derived" / dataset).mkdir(parents=True)
            (folder / "derived" / dataset / "x.csv").write_text(folder.name)
    said = []
    layout = {"compared": ["derived"], "uncompared": []}
    made_of = {"derived/old/": ["old"], "derived/grown/": ["grown"]}
    new = ["raw/grown/r9/flow1.log"]
    rows = compare_made(here, anew, layout, made_of, new, [], [], said.append)
    assert [line for line in said if line.startswith("DIFFERS")] == [
        "DIFFERS: derived/old/x.csv, line 1: here 'here', made again 'anew'"
    ]
    assert said[-1] == "1 files not compared, as raw files of their data sets are not listed"
    assert rows[0]["compared"] == rows[0]["differ"] == 1


# ---- expected values ----------------------------------------------------------------------------

TABLE = "| Panel | Printed | `ours` | n |\n| --- | --: | --: | --: |\n| Fig. 1 | 0.4 | {} | 5 |\n"


def test_printed_expected_and_new_values_stand_side_by_side():
    rows = printed_rows(TABLE.format("0.91"), TABLE.format("0.95"), ROUNDED)
    assert rows == [
        {
            "item": "Fig. 1 (ours)",
            "printed": "0.4",
            "expected": "0.91",
            "got": "0.95",
            "result": "DIFFERS",
        }
    ]


def test_values_that_came_or_went_differ():
    found = compare_expected({"a.md": "x", "b.md": "1"}, {"b.md": "1", "c.md": "x"}, [])
    assert {name: [d.got for d in of] for name, of in found.items()} == {
        "a.md": ["not made any more"],
        "b.md": [],
        "c.md": ["made"],
    }


def test_the_rule_of_a_table_is_no_value():
    """It is as long as the cells of its column, which may be 9.9 or 10.1 within a tolerance."""
    wider = TABLE.replace("| --- | --: |", "| ------- | ------: |")
    assert wider != TABLE
    assert compare_texts(TABLE, wider, ROUNDED) == []


def test_a_change_of_any_cell_moves_the_summary():
    cell = pl.DataFrame(
        {
            "scenario_id": ["a", "b", "c"],
            "metric": ["jfi"] * 3,
            "mean": [0.5, 0.7, 0.9],
            "sd": [0.1, None, 0.1],
            "n": [2, 1, 2],
        }
    )
    first = cell_summary(cell)
    assert first.rows() == [("jfi", 3, 5, 0.5, pytest.approx(0.7), 0.9, pytest.approx(0.1))]
    for row in range(3):
        moved = cell.with_row_index().with_columns(
            mean=pl.col("mean") + pl.when(pl.col("index") == row).then(0.001).otherwise(0)
        )
        assert not cell_summary(moved).equals(first)


def test_every_tolerance_has_a_reason(tmp_path):
    assert all(len(t.reason) > 20 for t in read_tolerances(ROOT / "config/verify.yaml"))
    bad = tmp_path / "verify.yaml"
    bad.write_text("tolerances:\n  - files: '*.md'\n    round: true\n    reason: rounded numbers\n")
    with pytest.raises(DataError, match=r"verify.yaml:3: unknown key 'round'"):
        read_tolerances(bad)


def test_a_scratch_place_has_the_files_that_papers_name():
    """All but data, of which the manifest says what is there: results/planned.csv among them."""
    rules = (ROOT / "workflow/rules/verify.smk").read_text(encoding="utf-8")
    assert '"left_out": [*places.NOT_COPIED]' in rules and "places.PLANNED" not in rules
    made = places.Folders().derived, places.Folders().site
    without = [*places.NOT_COPIED, *made, places.EXPECTED, places.MANIFESTS]
    named = {
        path
        for paper in ROOT.glob("reports/*/paper.yml")
        for path in yaml.safe_load(paper.read_text(encoding="utf-8")).get("files", {}).values()
    }
    assert "results/planned.csv" in named and "data" in without
    gone = {path for path in named if path.startswith(tuple(f"{name}/" for name in without))}
    assert {path for path in gone if not path.startswith("data/")} == set()
