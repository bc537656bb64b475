"""`make lint` finds turns that readers stumble over, in prose only."""

import pytest
from lint_prose import ROOT, code, messages, pages, prose, read_turns, stumbles

TURNS = read_turns(ROOT / "workflow/prose.yml")


@pytest.mark.parametrize(
    ("text", "line", "there"),
    [
        ("One.\nIt runs next to\nNewReno.", 2, "next to NewReno"),
        ("What BIC has beside another flow.", 1, "beside another flow"),
        ("It has more than its like.", 1, "its like"),
        ("Where no window binds.", 1, "window binds"),
        ("Cells in which a window can bind.", 1, "window can bind"),
        ("Hosts hold a flow there.", 1, "Hosts hold a flow"),
        ("It is held by its own window.", 1, "held by its own window"),
        ("40 packets on their way", 1, "packets on their way"),
        ("They lose in step.", 1, "lose in step"),
        ("They have not come to rest.", 1, "come to rest"),
        ("With hosts of today.", 1, "hosts of today"),
        ("Scalable starves with DropTail.", 1, "with DropTail"),
        ("The repeats do not decide it.", 1, "The repeats do not decide"),
        ("It cannot be told yet.", 1, "cannot be told yet"),
        ("What becomes of the original's statements", 1, "What becomes of the original"),
        ("The flow that came first leads.", 1, "flow that came first"),
        ("It grows, in a transient, for BIC.", 1, ", in a transient"),
        ("[It grows], as a transient.", 1, ", as a transient"),
        ("It has less, a transient: so it is.", 1, ", a transient"),
        ("It is judged neither here nor there.", 1, "is judged neither"),
        ("Both figures tell the same story.", 1, "tell the same story"),
        ("Made anew.", 1, "anew"),
        ("The reason stands\nin the table.", 1, "stands in"),
        ("All, but for\nthe last.", 1, "but for"),
        ("There is one run\na cell.", 1, "one run a cell"),
        ("One SQL query a table.", 1, "One SQL query a table"),
        ("It works. Who needs more asks.", 1, ". Who needs"),
        ("none if it is no log", 1, "is no log"),
        ("a name that can be no data set", 1, "can be no data"),
        ("Its last report is in no mean.", 1, "is in no mean"),
        ("Delete it, and say make again.", 1, "say make"),
        ("until the folder is mended", 1, "mended"),
        ("the key stands here a second time", 1, "stands here"),
        ("Dates part the logs.", 1, "Dates part"),
        ("a number that cannot be right, or text", 1, "that cannot be right"),
        ("not a line of a trace: cut?", 1, "cut?"),
        ('![A](a.svg){#fig-a fig-alt="BIC next to NewReno"}', 1, "next to NewReno"),
    ],
)
def test_a_turn_is_found_with_its_line(text, line, there):
    assert [found[:2] for found in stumbles(text, TURNS)] == [(line, there)]


@pytest.mark.parametrize(
    "text",
    [
        "`anew` is a function.",
        "```python\nanew(a, b)\n```\n",
        "So:\n\n    make it anew\n    hitherto\n\nEnd.",
        "> They made it anew.",
        "The paper says 'next to NewReno', and so do others.",
        "The paper says “made anew”.",
        "[A link](anew.md)",
        "<!-- verbatim -->\nanew\n<!-- /verbatim -->",
        "BIC competes with NewReno; the printed values are beside ours, tables next to the page.",
        "No flow is window-limited: it has 1,229 packets in flight, which the send buffer holds.",
        "The late-comer does not converge at a drop-tail queue: inconclusive.",
        '[NewReno loses]{.finding claim="x" is="no effect" case="fast, with DropTail"}.',
        "A claim on a transient is marked; one at long RTTs describes a transient.",
        "A run of a flow stands alone. One of a cell counts.",
        "Users who need more ask for it.",
        "There is no log. Where there is no run, there can be no effect: it is no longer needed.",
        "It is not a log. A line that cannot be read is in the ledger only.",
    ],
)
def test_code_quotations_and_plain_prose_pass(text):
    assert stumbles(text, TURNS) == []


def test_what_is_left_out_keeps_its_place():
    text = "a\n\n```\nb\n```\n`c` d anew"
    assert len(prose(text)) == len(text)
    assert prose(text).count("\n") == text.count("\n")


def test_what_code_says_is_read_and_not_its_docstrings():
    text = (
        '"""It is made anew, and so it is."""\n'
        "def f(x):\n"
        '    """Made anew: what is no log."""\n'
        '    raise Error(f"the file {x:>9} "\n'
        '        "is no log at all", name="a log")\n'
    )
    assert messages(text) == [(4, "the file X is no log at all")]
    [(_, said)] = messages(text)
    assert [found[1] for found in stumbles(said, TURNS)] == ["is no log"]


def test_what_a_rule_says_is_read():
    rule = 'rule a:\n    message:\n        "Making the page anew"\n    log:\n        "a.log"\n'
    assert messages(rule) == [(3, "Making the page anew")]


def test_the_code_that_speaks_to_users_is_read():
    names = {path.relative_to(ROOT).as_posix() for path in code(ROOT)}
    assert {"workflow/evenflow/checks/files.py", "workflow/rules/ingest.smk"} <= names


def test_the_pages_that_people_write_are_read():
    names = {path.relative_to(ROOT).as_posix() for path in pages(ROOT)}
    assert {"README.md", "docs/README.md", "config/README.md"} <= names
    assert any(name.startswith("reports/") and name.endswith("/index.qmd") for name in names)
    assert "CHANGELOG.md" in names and "docs/explanation/history-of-numbers.md" not in names
