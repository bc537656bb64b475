"""HighSpeed TCP against RFC 3649's tables; the model's limits and directions."""

import numpy as np
import pytest
from evenflow import hstcp
from hypothesis import given, settings
from hypothesis import strategies as st

# RFC 3649, section 5: average window at a loss rate, made there with 0.12 / p^0.835
RESPONSE = {
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
TEN_RTTS_S = np.linspace(0.1155, 0.1245, 10)
CAPACITY_PPS = 1e9 / 8 / 1000  # 1 Gb/s in packets of 1 KB
LARGEST_K = 12500


@pytest.mark.parametrize(("p", "w"), RESPONSE.items())
def test_the_window_of_the_rfc(p, w):
    # the RFC rounds the function to two and three digits before it makes the table
    assert int(0.12 / p**0.835 + 0.5) in (w, w + 1)
    assert hstcp.window(p) == pytest.approx(w, rel=0.04)
    # without that rounding the ends are w_low and w_high themselves
    assert hstcp.window(1e-3) == pytest.approx(38)
    assert hstcp.window(1e-7) == pytest.approx(83000)


@pytest.mark.parametrize(("w", "a", "b"), TABLE)
def test_increase_and_decrease_of_the_rfc(w, a, b):
    assert round(float(hstcp.decrease(w)), 2) == pytest.approx(b, abs=0.011)
    # each window is where a(w) passes a whole packet, with the RFC's rounded 0.078 / w^1.2 for p(w)
    rounded = 2 * w**2 * float(hstcp.decrease(w)) * (0.078 / w**1.2) / (2 - hstcp.decrease(w))
    assert rounded == pytest.approx(a, abs=0.5)
    assert float(hstcp.increase(w)) == pytest.approx(a, rel=0.04, abs=0.12)


def test_standard_tcp_up_to_w_low():
    assert hstcp.increase(38) == 1 and hstcp.increase(10) == 1
    assert hstcp.decrease(38) == 0.5 and hstcp.decrease(2) == 0.5


@given(w=st.floats(38, 83000))
def test_loss_rate_is_the_inverse_of_the_window(w):
    assert hstcp.window(hstcp.loss_rate(w)) == pytest.approx(w, rel=1e-9)


def test_the_throughput_is_what_the_window_averages_to():
    """The derived reading against the sawtooth itself, stepped a round trip at a time."""
    p = 1e-5
    top = float(hstcp.window(p))
    bottom = top * (1 - float(hstcp.decrease(top)))
    w, sent, steps = bottom, 0.0, 0
    while w < top:
        sent, steps, w = sent + w, steps + 1, w + float(hstcp.increase(w))
    mean = sent / steps
    assert float(hstcp.throughput(p, 1.0)) == pytest.approx(mean, rel=0.03)
    assert bottom < mean < top
    assert float(hstcp.throughput(p, 1.0, reading="approximate")) == pytest.approx(top)


def test_an_unknown_reading_is_named():
    with pytest.raises(ValueError, match="'new' is none of derived"):
        hstcp.throughput(1e-5, 0.1, reading="new")
    with pytest.raises(ValueError, match="'tail' is none of droptail"):
        hstcp.fixed_point(1e5, 10, [0.1], queue="tail")


@settings(max_examples=40)
@given(load=st.floats(0.05, 3), k=st.integers(1, 400))
def test_the_queue_has_its_textbook_values(load, k):
    pi = hstcp.queue_distribution(load, k)
    assert pi.sum() == pytest.approx(1) and len(pi) == k + 1
    if abs(load - 1) > 1e-3:
        blocked = load**k * (1 - load) / (1 - load ** (k + 1))
        assert hstcp.blocking(load, k) == pytest.approx(blocked, rel=1e-6)
        mean = load / (1 - load) - (k + 1) * load ** (k + 1) / (1 - load ** (k + 1))
        assert hstcp.mean_queue(load, k) == pytest.approx(mean, rel=1e-5, abs=1e-9)


def test_the_literal_delay_ends_at_full_load():
    assert hstcp.mean_queue(0.5, 5000, "literal") == pytest.approx(hstcp.mean_queue(0.5, 5000))
    with pytest.raises(ValueError, match="literal formula ends"):
        hstcp.mean_queue(1.2, 10, "literal")


@pytest.mark.parametrize("queue", hstcp.QUEUES)
def test_load_rises_with_the_buffer(queue):
    shares = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
    points = [
        hstcp.fixed_point(CAPACITY_PPS, round(s * LARGEST_K), TEN_RTTS_S, queue) for s in shares
    ]
    utilisation = [point.utilisation for point in points]
    assert utilisation == sorted(utilisation)
    assert all(0 < u <= 1 for u in utilisation)
    losses = [point.loss_rate for point in points]
    assert losses == sorted(losses, reverse=True)


def test_the_point_is_fixed():
    point = hstcp.fixed_point(CAPACITY_PPS, 1250, TEN_RTTS_S)
    assert hstcp.blocking(point.load, 1250) == pytest.approx(point.loss_rate, rel=1e-6)
    rtt = TEN_RTTS_S + point.queue_packets / CAPACITY_PPS
    offered = hstcp.throughput(point.loss_rate, rtt).sum() / CAPACITY_PPS
    assert offered == pytest.approx(point.load, rel=1e-6)


def test_limits_of_small_and_large_buffers():
    small = hstcp.fixed_point(CAPACITY_PPS, 1, TEN_RTTS_S)
    large = hstcp.fixed_point(CAPACITY_PPS, 200_000, TEN_RTTS_S)
    assert small.utilisation < 0.5 < 0.99 < large.utilisation


def test_the_literal_throughput_is_another():
    p = 1e-5
    derived = float(hstcp.throughput(p, 0.1))
    literal = float(hstcp.throughput(p, 0.1, reading="literal"))
    assert abs(literal / derived - 1) > 0.5
