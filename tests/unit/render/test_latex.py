"""A paper's numbers as macros of LaTeX."""

import re

import pytest
from evenflow.render.errors import RenderError
from evenflow.render.latex import latex_numbers, latex_text, macro_name

# what TeX takes for more than a letter, where it is not escaped
ALIVE = re.compile(r"(?<!\\)[&%#_]")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("5.61", "5.61"),
        ("−0.5 % (50 to 60)", r"$-$0.5 \% (50 to 60)"),
        ("a & b_c", r"a \& b\_c"),
        ("10⁻⁵ and 2·10⁴", r"10$^{-5}$ and 2$\cdot$10$^{4}$"),
        (r"\x~^{}", r"\textbackslash{}x\textasciitilde{}\textasciicircum{}\{\}"),
        ("≤ 3 × 4", r"$\le$ 3 $\times$ 4"),
        ("Bücher", "Bücher"),
    ],
)
def test_text_prints_the_same_in_latex(words, text):
    assert latex_text(words) == text


def test_the_name_of_a_macro_has_letters_alone():
    assert macro_name("ns2-vs-testbed", "at.rtt_100.model") == "nsTwoVsTestbedAtRttOneZeroZeroModel"
    assert macro_name("2-papers", "n") == "twoPapersN"


def test_each_number_is_a_command_with_its_own_name_behind_it():
    made = latex_numbers("a-b", {"claim.n": "190", "of": "the set `x_y`, 5 %"})
    assert made.splitlines()[2:] == [
        r"\newcommand{\aBClaimN}{190}% claim.n",
        r"\newcommand{\aBOf}{the set \texttt{x\_y}, 5 \%}% of",
    ]
    assert all(not ALIVE.search(line.rpartition("% ")[0]) for line in made.splitlines()[2:])


def test_two_numbers_of_one_name_are_refused():
    with pytest.raises(RenderError, match=r"x_1 and x\.1 are both .aXOne"):
        latex_numbers("a", {"x_1": "1", "x.1": "2"})
