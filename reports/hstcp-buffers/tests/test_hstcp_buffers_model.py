"""The fixed point of hstcp-buffers: textbook values of the queue, limits, directions, readings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .. import highspeed, model
from ..model import READINGS, fixed_point

TEN_RTTS_S = np.linspace(0.1155, 0.1245, 10)
CAPACITY_PPS = 1e9 / 8 / 1000  # 1 Gb/s in packets of 1 KB
LARGEST_K = 12500


@settings(max_examples=40)
@given(load=st.floats(0.05, 3), k=st.integers(1, 400))
def test_the_queue_has_its_textbook_values(load, k):
    pi = model.queue_distribution(load, k)
    assert pi.sum() == pytest.approx(1) and len(pi) == k + 1
    if abs(load - 1) > 1e-3:
        blocked = load**k * (1 - load) / (1 - load ** (k + 1))
        assert model.blocking(load, k) == pytest.approx(blocked, rel=1e-6)
        mean = load / (1 - load) - (k + 1) * load ** (k + 1) / (1 - load ** (k + 1))
        assert model.mean_queue(load, k) == pytest.approx(mean, rel=1e-5, abs=1e-9)


def test_the_literal_delay_ends_at_full_load():
    derived = model.mean_queue(0.5, 5000)
    assert model.mean_queue(0.5, 5000, "literal") == pytest.approx(derived)
    with pytest.raises(ValueError, match="literal formula ends"):
        model.mean_queue(1.2, 10, "literal")


def test_red_by_hand():
    """K = 5: min_th 2, then a third of p_max a packet; a full buffer has no place."""
    assert model.red_drops(5, 0.3) == pytest.approx([0, 0, 0, 0.1, 0.2, 1])
    assert model.red_drops(5, 0.3, "literal")[-1] == pytest.approx(0.3)
    drops = np.array([0, 0.5, 1.0])
    # load 1: pi(1) = pi(0), pi(2) = pi(1) / 2
    assert model.red_distribution(1.0, drops) == pytest.approx([0.4, 0.4, 0.2])
    assert model.red_distribution(1.0, drops, "mm1k") == pytest.approx([1 / 3] * 3)


@settings(max_examples=25, deadline=None)
@given(load=st.floats(0.3, 2), k=st.integers(5, 300))
def test_what_red_lets_in_is_served(load, k):
    """Flow balance of the birth and death process: load (1 - p) = 1 - pi(0)."""
    drops = model.red_drops(k)
    pi = model.red_distribution(load, drops)
    assert load * (1 - pi @ drops) == pytest.approx(1 - pi[0], rel=1e-6)


@pytest.mark.parametrize("queue", model.QUEUES)
@pytest.mark.parametrize("reading", ["taken", "throughput-approximate", "response-literal"])
def test_load_rises_with_the_buffer(queue, reading):
    shares = [0.02, 0.05, 0.1, 0.2, 0.5, 1.0]
    read = READINGS[reading]
    points = [
        fixed_point(CAPACITY_PPS, round(s * LARGEST_K), TEN_RTTS_S, queue, read) for s in shares
    ]
    utilisation = [point.utilisation for point in points]
    assert utilisation == sorted(utilisation)
    assert all(0 < u <= 1 for u in utilisation)
    losses = [point.loss_rate for point in points]
    assert losses == sorted(losses, reverse=True)


@settings(max_examples=15, deadline=None)
@given(k=st.integers(5, 3000), more=st.floats(1.2, 4))
def test_a_larger_buffer_is_never_worse(k, more):
    for queue in model.QUEUES:
        small, large = (
            fixed_point(CAPACITY_PPS, n, TEN_RTTS_S, queue) for n in (k, int(more * k) + 1)
        )
        assert large.utilisation > small.utilisation
        assert large.queue_packets > small.queue_packets


@pytest.mark.parametrize("queue", model.QUEUES)
def test_the_point_is_fixed(queue):
    point = fixed_point(CAPACITY_PPS, 1250, TEN_RTTS_S, queue)
    offered = model.offered_load(point.load, CAPACITY_PPS, 1250, TEN_RTTS_S, queue)
    assert offered == pytest.approx(point.load, rel=1e-6)
    p, packets = model.queue_state(point.load, 1250, queue)
    assert (point.loss_rate, point.queue_packets) == (p, packets)
    rates = highspeed.throughput(p, TEN_RTTS_S + packets / CAPACITY_PPS)
    assert rates.sum() / CAPACITY_PPS == pytest.approx(point.load, rel=1e-6)


def test_limits_of_small_and_large_buffers():
    small = fixed_point(CAPACITY_PPS, 1, TEN_RTTS_S)
    large = fixed_point(CAPACITY_PPS, 200_000, TEN_RTTS_S)
    assert small.utilisation < 0.5 < 0.99 < large.utilisation
    # one place, M/M/1/1: loss rho / (1 + rho)
    assert small.loss_rate == pytest.approx(small.load / (1 + small.load))


def test_iterating_diverges_where_bracketing_does_not():
    loads = model.iterated_loads(CAPACITY_PPS, 1250, TEN_RTTS_S)
    assert max(loads[-2:]) > 1e3 and min(loads[-2:]) < 0.1
    assert 0.9 < fixed_point(CAPACITY_PPS, 1250, TEN_RTTS_S).load < 1.1


@pytest.mark.parametrize("reading", [name for name in READINGS if name != "taken"])
def test_every_reading_can_be_selected_and_differs(reading):
    """On the queue that it is of, each reading gives another fixed point than the one taken.

    The literal delay differs by thousandths of a packet; the negative throughput has none.
    """
    queue = "red" if reading in model.OF_RED else "droptail"
    assert reading in model.readings_of(queue)
    arguments = (CAPACITY_PPS, 60, TEN_RTTS_S, queue)
    taken = fixed_point(*arguments)
    if reading == "throughput-literal":
        with pytest.raises(ValueError, match="no fixed point for K = 60"):
            fixed_point(*arguments, READINGS[reading])
    else:
        other = fixed_point(*arguments, READINGS[reading])
        assert abs(other.queue_packets - taken.queue_packets) > 1e-4


def test_unknown_names_are_errors():
    with pytest.raises(ValueError, match="'tail' is none of droptail"):
        fixed_point(1e5, 10, [0.1], queue="tail")
    with pytest.raises(ValueError, match="full: 'half' is none of derived"):
        fixed_point(1e5, 10, [0.1], model=model.Model(full="half"))


@pytest.mark.parametrize("queue", model.QUEUES)
@pytest.mark.parametrize("k", [1, 10, 300])
def test_there_is_one_fixed_point_and_it_is_the_one_found(queue, k):
    count, falls = model.crossings(CAPACITY_PPS, k, TEN_RTTS_S, queue, n_loads=200)
    assert (count, falls) == (1, True)
    load = fixed_point(CAPACITY_PPS, k, TEN_RTTS_S, queue).load
    assert model.offered_load(load, CAPACITY_PPS, k, TEN_RTTS_S, queue) == pytest.approx(load)


def test_crossings_are_counted(monkeypatch):
    """A load that the flows offer at three places: log(offered) = 2 x - x^3, x = log(assumed)."""

    def offered(load: float, *_) -> float:
        return float(np.exp(2 * np.log(load) - np.log(load) ** 3))

    monkeypatch.setattr(model, "offered_load", offered)
    monkeypatch.setattr(model, "LOAD_RANGE", (0.1, 10.0))
    assert model.crossings(CAPACITY_PPS, 10, TEN_RTTS_S) == (3, False)
