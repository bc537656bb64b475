"""Reports hold no typed number that a rule could have computed.

A number may stand in a variable, a citation or cross-reference, math, code, or in a span
`[...]{.printed}`, which marks a fact of the original paper; every other word with a digit must be
one of NAMES.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REPORTS = sorted((ROOT / "reports").glob("*/index.qmd"))

# names that hold a digit and are no measurement; longer ones before those that begin them
NAMES = [
    r"ns-?2",  # the simulator
    r"iperf 2",
    r"TCP/IP|IPv4|IPv6|802\.\d\w*",
    r"RFC \d+",
    r"MSER-5",
    r"C95",
    r"3-D",
    r"1-s reports",  # iperf -i 1
    r"[Ff]lows? [12]( and 2)?",
    # places in the original and in what is cited
    r"(Figures|Tables|[Ee]quations) \d+(, \d+)*( to| and) \d+",
    r"(Figures?|Fig\.|Tables?|[Ee]quations?) (\d+|[IVX]+)(\([a-h]\))?",
    r"[Ss]ections? \d+(\.\d+)*",
    r"pp?\. \d+(-\d+)?",
]
# keys of the front matter whose values are settings and no text
STRUCTURAL = r"(date|lang|toc-depth|number-depth|bibliography|csl|format|css|template)"
ATTRIBUTE_TEXT = r"(fig-alt|fig-cap|tbl-cap|title|alt)=\"([^\"]*)\""


def blank(match: re.Match) -> str:
    """Return a match as spaces, its line breaks kept, so that lines keep their numbers."""
    return re.sub(r"[^\n]", " ", match[0])


def keep_attribute_text(match: re.Match) -> str:
    """Return an attribute block of which only the texts that are read out are left."""
    kept = list(blank(match))
    for text in re.finditer(ATTRIBUTE_TEXT, match[0]):
        kept[text.start(2) : text.end(2)] = text[2]
    return "".join(kept)


def typed_numbers(text: str) -> list[tuple[int, str]]:
    """Return (line, word) of every typed number in the text of an index.qmd."""
    front = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
    if front:
        head = re.sub(rf"(?m)^{STRUCTURAL}:.*$", blank, front[0])
        text = head + text[front.end() :]
    for pattern in (
        r"<!--.*?-->",
        r"(?ms)^```.*?^```",
        r"\{\{<.*?>\}\}",
        r"\$\$.*?\$\$",
        r"(?<!\\)\$(?! )[^$\n]+(?<! )\$(?!\d)",
        r"`[^`\n]*`",
        r"\[[^\[\]]*\]\{\.printed\}",  # a fact of the original, marked so
    ):
        text = re.sub(pattern, blank, text, flags=re.DOTALL)
    text = re.sub(r"\{[#.][^{}]*\}|(?<=\))\{[^{}]*\}", keep_attribute_text, text)
    for pattern in (
        r"-?@[\w:.#$%&+?<>~/-]*\w",  # citations and cross-references
        r"(?<=\])\([^()\n]*\)",  # targets of links and images
        r"https?://\S+",
    ):
        text = re.sub(pattern, blank, text)
    for name in NAMES:
        text = re.sub(rf"(?<![\w.]){name}(?![\w])(?!\.\d)", blank, text)
    return [
        (number, word)
        for number, line in enumerate(text.split("\n"), 1)
        for word in re.findall(r"\S*\d\S*", line)
    ]


def test_there_are_reports_to_check():
    assert REPORTS


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.parent.name)
def test_no_number_is_typed_that_a_rule_could_have_computed(path):
    found = typed_numbers(path.read_text(encoding="utf-8"))
    name = path.relative_to(ROOT)
    remedy = "use a variable, or [...]{.printed} for a fact of the original"
    assert not found, f"typed numbers ({remedy}):\n" + "\n".join(
        f"{name}:{line}: {word}" for line, word in found
    )


@pytest.mark.parametrize("path", REPORTS, ids=lambda path: path.parent.name)
def test_marked_facts_are_short(path):
    """A span .printed excuses what it holds: it must not become a way to excuse a sentence."""
    for span in re.findall(r"\[([^\[\]]*)\]\{\.printed\}", path.read_text(encoding="utf-8")):
        assert len(span) <= 120, f"too long to be a fact: [{span}]{{.printed}}"


@pytest.mark.parametrize(
    "line",
    [
        "The index is 0.57 on average.",
        "# Results of 2 routers",
        "It falls to −3.01 dB.",
        "A margin of 5% of it.",
        "| a | 0.57 |",
        "from [25]{.other} ms",
        "see @fig-x, 0.57",
        "![A panel with 12 cells](figures/a.svg){#fig-a}",
        '![A panel](figures/a.svg){#fig-a fig-alt="Twelve cells of 0.57"}',
        '::: {.callout-note title="All 270 runs"}',
        "costs $5 and 7 $",
        "flow 3 got nothing",
        "ns-2.35 was used",
        "Flow 2 had 47.2 Mb/s",
        "in Figure 3, 0.57 of them",
        "about 1e-3 of it",
    ],
)
def test_a_typed_number_is_found(line):
    text = f"---\ntitle: A\n---\n\nText.\n{line}\n"
    assert typed_numbers(text), line
    assert {number for number, _ in typed_numbers(text)} == {6}


def test_a_typed_number_in_the_abstract_is_found():
    assert typed_numbers("---\ntitle: A\nabstract: |\n  We got 0.57.\n---\n") == [(4, "0.57.")]


@pytest.mark.parametrize(
    "line",
    [
        "{{< var summary.testbed.comparison.jfi.newreno_bic.mean >}} Mb/s",
        "as @bhatti2009 and [@ha2008, p. 3] say, -@xu2004",
        "see @fig-throughput-2, @tbl-x1 and @eq-jfi",
        "where $J = 0.5$ and `sleep 5`",
        "$$\nJ = \\frac{1}{2}\n$$ {#eq-half}",
        "```\n0.57\n```",
        "[100 Mb/s]{.printed} and [RTT 25 to 400 ms]{.printed}",
        "ns-2, ns2, iperf 2, RFC 3649, MSER-5, IPv4, flow 1, Flow 2, flows 1 and 2",
        "the original's Figure 4(a), Figures 3 to 5, Table I, section 4.1, equation 7",
        "[docs](docs/ns2-0.57.md) and ![Curve](figures/fig2.svg){#fig-2 width=80%}",
        "<!-- 0.57 -->",
        '::: {#tbl-1 .column-2 title="Data sets"}',
    ],
)
def test_a_number_that_nobody_measured_is_not(line):
    assert typed_numbers(f"---\ntitle: A\ntoc-depth: 2\n---\n{line}\n") == []


def test_every_line_keeps_its_number():
    text = "---\ntitle: A\n---\n$$\n1\n$$\n<!--\n1\n-->\n```\n1\n```\nhere 7\n"
    assert typed_numbers(text) == [(13, "7")]
