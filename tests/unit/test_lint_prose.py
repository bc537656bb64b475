"""`make lint` finds turns that readers stumble over, in prose only."""

import pytest
from lint_prose import ROOT, pages, prose, read_turns, stumbles

TURNS = read_turns(ROOT / "workflow/prose.yml")


@pytest.mark.parametrize(
    ("text", "line", "there"),
    [
        ("One.\nIt runs beside\nthe other.", 2, "beside"),
        ("Made anew.", 1, "anew"),
        ("The reason stands\nin the table.", 1, "stands in"),
        ("All, but for\nthe last.", 1, "but for"),
        ("There is one run\na cell.", 1, "one run a cell"),
        ("One SQL query a table.", 1, "One SQL query a table"),
        ("It works. Who needs more asks.", 1, ". Who needs"),
        ('![A](a.svg){#fig-a fig-alt="ns-2 beside the testbed"}', 1, "beside"),
    ],
)
def test_a_turn_is_found_with_its_line(text, line, there):
    assert [found[:2] for found in stumbles(text, TURNS)] == [(line, there)]


@pytest.mark.parametrize(
    "text",
    [
        "`beside` is a function.",
        "```python\nbeside(a, b)\n```\n",
        "So:\n\n    make it anew\n    beside\n\nEnd.",
        "> They set it beside ours.",
        "The paper says 'beside the other flow', and so do others.",
        "The paper says “made anew”.",
        "[A link](beside.md)",
        "<!-- verbatim -->\nbeside\n<!-- /verbatim -->",
        "A run of a flow stands alone. One of a cell counts.",
        "Users who need more ask for it.",
    ],
)
def test_code_quotations_and_plain_prose_pass(text):
    assert stumbles(text, TURNS) == []


def test_what_is_left_out_keeps_its_place():
    text = "a\n\n```\nb\n```\n`c` d beside"
    assert len(prose(text)) == len(text)
    assert prose(text).count("\n") == text.count("\n")


def test_the_pages_that_people_write_are_read():
    names = {path.relative_to(ROOT).as_posix() for path in pages(ROOT)}
    assert {"README.md", "docs/README.md", "config/README.md"} <= names
    assert any(name.startswith("reports/") and name.endswith("/index.qmd") for name in names)
    assert "CHANGELOG.md" not in names
