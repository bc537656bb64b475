"""HighSpeed TCP against RFC 3649's tables; the throughput of a flow."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from .. import highspeed

# RFC 3649, section 5: average window at a loss rate, made there with 0.12 / p^0.835
RESPONSE = {
    1e-2: 12,
    1e-3: 38,
    1e-4: 263,
    1e-5: 1795,
    1e-6: 12279,
    1e-7: 83981,
    1e-8: 574356,
    1e-9: 3928088,
    1e-10: 26864653,
}
# RFC 3649, appendix B: windows from which a(w) is 1, 2, ... and b(w) there
TABLE = [
    (38, 1, 0.50),
    (118, 2, 0.44),
    (221, 3, 0.41),
    (347, 4, 0.38),
    (495, 5, 0.37),
    (1058, 8, 0.33),
    (2076, 12, 0.29),
    (10661, 30, 0.21),
    (84035, 71, 0.10),
]


@pytest.mark.parametrize(("p", "w"), RESPONSE.items())
def test_the_window_of_the_rfc(p, w):
    # the RFC prints whole packets, some rounded (262.5: 263), some cut (26864653.7: 26864653)
    assert int(highspeed.rounded_window(p)) == w or round(float(highspeed.rounded_window(p))) == w
    # without rounding the constants to 0.12 and 0.835 the ends are w_low and w_high themselves
    assert highspeed.window(p) == pytest.approx(w, rel=0.04)
    assert highspeed.window(1e-3) == pytest.approx(38)
    assert highspeed.window(1e-7) == pytest.approx(83000)


@pytest.mark.parametrize(("w", "a", "b"), TABLE)
def test_increase_and_decrease_of_the_rfc(w, a, b):
    assert round(float(highspeed.decrease(w)), 2) == pytest.approx(b, abs=0.011)
    # each window is where a(w) passes a whole packet, with the RFC's rounded 0.078 / w^1.2 for p(w)
    rounded = (
        2 * w**2 * float(highspeed.decrease(w)) * (0.078 / w**1.2) / (2 - highspeed.decrease(w))
    )
    assert rounded == pytest.approx(a, abs=0.5)
    assert float(highspeed.increase(w)) == pytest.approx(a, rel=0.04, abs=0.12)


def test_standard_tcp_up_to_w_low():
    assert highspeed.increase(38) == 1 and highspeed.increase(10) == 1
    assert highspeed.decrease(38) == 0.5 and highspeed.decrease(2) == 0.5


@given(w=st.floats(38, 83000))
def test_loss_rate_is_the_inverse_of_the_window(w):
    assert highspeed.window(highspeed.loss_rate(w)) == pytest.approx(w, rel=1e-9)


def test_the_throughput_is_what_the_window_averages_to():
    """The derived reading against the sawtooth itself, stepped a round trip at a time."""
    p = 1e-5
    top = float(highspeed.window(p))
    bottom = top * (1 - float(highspeed.decrease(top)))
    w, sent, steps = bottom, 0.0, 0
    while w < top:
        sent, steps, w = sent + w, steps + 1, w + float(highspeed.increase(w))
    mean = sent / steps
    assert float(highspeed.throughput(p, 1.0)) == pytest.approx(mean, rel=0.03)
    assert bottom < mean < top
    assert float(highspeed.throughput(p, 1.0, reading="approximate")) == pytest.approx(top)


def test_the_epoch_is_the_sawtooth_of_figure_1():
    """T_d and N_d in closed form: the curve's ends, its area, and their ratio, the throughput."""
    p, rtt_s = 1e-5, 0.12
    found = highspeed.epoch(p, rtt_s)
    top = float(highspeed.window(p))
    assert found.window[-1] == pytest.approx(top)
    assert found.window[0] == pytest.approx(top * (1 - float(highspeed.decrease(top))))
    assert np.all(np.diff(found.window) > 0)
    area = np.trapezoid(found.window, found.t_s) / rtt_s
    assert found.packets == pytest.approx(area, rel=1e-4)
    mean = float(highspeed.throughput(p, rtt_s))
    assert found.packets / found.duration_s == pytest.approx(mean, rel=1e-9)


@given(p=st.floats(1e-9, 0.5), q=st.floats(1e-9, 0.5))
def test_more_loss_is_less_window_and_throughput(p, q):
    low, high = sorted((p, q))
    assert highspeed.window(low) >= highspeed.window(high)
    assert highspeed.throughput(low, 0.1) >= highspeed.throughput(high, 0.1) * (1 - 1e-12)
    assert highspeed.throughput(low, 0.2) == pytest.approx(highspeed.throughput(low, 0.1) / 2)


def test_the_literal_response_is_another():
    """exp(y(c+k)) is p_high at w_high, as exp(yc+k) is, and 1 at w_low, where that is p_low."""
    assert highspeed.window(1e-7, reading="literal") == pytest.approx(83000)
    assert highspeed.window(1.0, reading="literal") == pytest.approx(38)
    assert highspeed.window(1e-3, reading="literal") > 20 * highspeed.window(1e-3)


def test_an_unknown_reading_is_named():
    with pytest.raises(ValueError, match="'new' is none of derived"):
        highspeed.throughput(1e-5, 0.1, reading="new")
    with pytest.raises(ValueError, match="'new' is none of derived"):
        highspeed.window(1e-5, reading="new")


def test_the_literal_throughputs_are_others():
    p = 1e-5
    derived = float(highspeed.throughput(p, 0.1))
    assert float(highspeed.throughput(p, 0.1, reading="literal")) < 0  # no throughput at all
    outside = float(highspeed.throughput(p, 0.1, reading="literal-outside"))
    assert outside > 0 and abs(outside / derived - 1) > 0.5
