"""`make lint` finds where threads would decide in which order rows are added up or listed."""

import subprocess
import sys

import pytest
from lint_order import PLACES, ROOT, left_to_chance, main, mended


@pytest.mark.parametrize(
    "text",
    [
        "mean = d.group_by('cell').agg(pl.max('x'))['x'].mean()",
        "for key, rows in table.group_by('cell'): pass",
        "names = run['ccas'].unique()",
        "rows = table.unique('scenario_id', keep='first')",
        "rows = table.group_by('a', maintain_order=False).len()",
        "a = other.join(table.unique('k'), on='k', how='full')",
        "first = table['x'].value_counts(sort=True)[0]",  # ties come in any order
        "usual = table['n'].mode()[0]",
        "a = pl.col('ccas').str.split('-').list.unique()",
        "lines = [str(x) for x in table['x'].unique()]",
    ],
)
def test_an_order_left_to_chance_is_found(text):
    assert len(list(left_to_chance(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "mean = d.group_by('cell', maintain_order=True).agg(pl.max('x'))['x'].mean()",
        "mean = d.group_by('cell').agg(pl.max('x')).filter(pl.col('x') > 1).sort('cell')",
        "names = sorted(run['ccas'].unique())",
        "names = run['ccas'].unique().sort()",
        "n = run.select('a', 'b').unique().sort('a', 'b')",
        "known = set(run['ccas'].unique())",
        "a = other.join(table.group_by('k').len(), on='k', how='left')",
        "a = np.unique(values)",
        "counts = dict(t['x'].value_counts().sort('x').rows())",
    ],
)
def test_an_order_that_is_set_or_does_not_matter_is_left_alone(text):
    assert list(left_to_chance(text)) == []
    assert mended(text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = t.group_by('µ').len()", "a = t.group_by('µ', maintain_order=True).len()"),
        ("a = t['µs'].unique()", "a = t['µs'].unique(maintain_order=True)"),
        ("a = t.unique(\n    'x',\n)\n", "a = t.unique(\n    'x',\nmaintain_order=True)\n"),
        (
            "a = t.unique('x').group_by('y').len()",
            "a = t.unique('x', maintain_order=True).group_by('y', maintain_order=True).len()",
        ),
        (
            "a = t.group_by(u['x'].unique()).len()",
            "a = t.group_by(u['x'].unique(maintain_order=True), maintain_order=True).len()",
        ),
    ],
)
def test_what_can_be_mended_is(before, after):
    assert mended(before) == after
    assert list(left_to_chance(after)) == []


def test_the_project_leaves_no_order_to_chance(capsys):
    assert main(ROOT, []) == 0, capsys.readouterr().out


def test_a_place_is_said_with_its_line_and_remedy(tmp_path, capsys):
    path = tmp_path / "reports/my-paper/tables.py"
    path.parent.mkdir(parents=True)
    path.write_text("def f(t):\n    return t['x'].unique()\n", encoding="utf-8")
    assert main(tmp_path, []) == 1
    assert "reports/my-paper/tables.py:2: unique" in capsys.readouterr().out
    assert main(tmp_path, ["--mend"]) == 0
    assert "unique(maintain_order=True)" in path.read_text(encoding="utf-8")


def test_every_room_of_the_library_and_every_paper_is_read():
    read = {path for place in PLACES for path in ROOT.glob(place)}
    assert {*ROOT.glob("workflow/evenflow/**/*.py"), *ROOT.glob("reports/*/*.py")} <= read


TWICE = """
import polars as pl
numbers = range(400)
x = [(i * 7919 % 1000) / 997 for i in numbers]
d = pl.DataFrame({"cell": [i % 97 for i in numbers], "x": x})
print(d.group_by("cell", maintain_order=True).agg(pl.col("x").max())["x"].mean().hex())
"""


def test_a_mean_over_groups_is_the_same_with_any_number_of_threads():
    """What the rule is for; without `maintain_order` five runs give up to five results."""
    found = set()
    for threads in ("1", "2", "3", "4"):
        env = {"POLARS_MAX_THREADS": threads}
        done = subprocess.run(
            [sys.executable, "-c", TWICE], env=env, capture_output=True, text=True
        )
        found.add(done.stdout)
    assert len(found) == 1 and found != {""}
