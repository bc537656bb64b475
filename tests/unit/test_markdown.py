"""Numbers as reports print them."""

import pytest
from evenflow.markdown import percent, scientific


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.23e-5, "1.2·10⁻⁵"), (0.0, "0"), (None, "–"), (1e-10, "1.0·10⁻¹⁰"), (0.04, "4.0·10⁻²")],
)
def test_small_numbers(value, text):
    assert scientific(value) == text


def test_powers_of_ten_are_printed_bare():
    assert scientific(1e-3, 0) == "10⁻³" and scientific(2e-3, 0) == "2·10⁻³"


def test_a_share_is_printed_in_percent():
    assert percent(0.9275) == "92.8 %" and percent(-0.001) == "−0.1 %"
