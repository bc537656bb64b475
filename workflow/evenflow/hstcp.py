"""HighSpeed TCP: its response function, and the fixed-point model of hstcp-buffers.

RFC 3649 gives how the window w (packets) grows, a(w) a round trip, and shrinks, by b(w), so that
the average window at loss rate p is w(p). Barman, Smaragdakis and Matta (hstcp-buffers) derive the
throughput of a flow from it, and the load of N flows on a buffer of K packets as the fixed point of

    rho = (1/C) sum_i lambda(p(rho, K), R_i(rho, K))

Their formulas leave gaps; docs/hstcp-model.md derives the readings taken. Each is a keyword, so
that the literal one can be tested beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

THROUGHPUTS = ("derived", "approximate", "literal")
DELAYS = ("derived", "literal")
QUEUES = ("droptail", "red")


class Parameters(NamedTuple):
    """RFC 3649, section 5; p_low is 1e-3 there, and 1.5 / w_low^2 by hstcp-buffers' formula."""

    w_low: float = 38.0  # packets: below it HighSpeed TCP is standard TCP
    w_high: float = 83000.0  # packets, reached at p_high
    p_high: float = 1e-7
    b_high: float = 0.1  # decrease at w_high
    p_low: float = 1e-3

    @property
    def slope(self) -> float:
        """S of RFC 3649: log-log slope of w(p), log(w_high/w_low) / log(p_high/p_low) = A/c."""
        return np.log(self.w_high / self.w_low) / np.log(self.p_high / self.p_low)


RFC3649 = Parameters()


def window(p: np.ndarray | float, parameters: Parameters = RFC3649) -> np.ndarray:
    """Return the average window (packets) at loss rate p (RFC 3649, section 5)."""
    return parameters.w_low * (np.asarray(p, float) / parameters.p_low) ** parameters.slope


def loss_rate(w: np.ndarray | float, parameters: Parameters = RFC3649) -> np.ndarray:
    """Return p(w), the inverse of `window`.

    hstcp-buffers prints exp(y(c + k)) after exp(yc + k): the second, from which its eq. 3 follows.
    """
    return parameters.p_low * (np.asarray(w, float) / parameters.w_low) ** (1 / parameters.slope)


def decrease(w: np.ndarray | float, parameters: Parameters = RFC3649) -> np.ndarray:
    """Return b(w), the fraction by which a loss shrinks the window (RFC 3649, section 5)."""
    y = np.log(np.asarray(w, float) / parameters.w_low)
    y = y / np.log(parameters.w_high / parameters.w_low)
    return np.clip(0.5 + y * (parameters.b_high - 0.5), parameters.b_high, 0.5)


def increase(w: np.ndarray | float, parameters: Parameters = RFC3649) -> np.ndarray:
    """Return a(w), packets a round trip: 2 w^2 b p / (2 - b), at least 1 (RFC 3649, section 5)."""
    b = decrease(w, parameters)
    grown = 2 * np.asarray(w, float) ** 2 * b * loss_rate(w, parameters) / (2 - b)
    return np.where(np.asarray(w, float) <= parameters.w_low, 1.0, np.maximum(grown, 1.0))


def throughput(
    p: np.ndarray | float,
    rtt_s: np.ndarray | float,
    parameters: Parameters = RFC3649,
    reading: str = "derived",
) -> np.ndarray:
    """Return the throughput of a flow (packets/s) at loss rate p (hstcp-buffers, eq. 3).

    Args:
        p: loss rate, 0 < p <= 1.
        rtt_s: round-trip time.
        parameters: of HighSpeed TCP.
        reading: 'derived', the line before eq. 3 with -1 outside the exponent; 'approximate', the
            second line of eq. 3, w(p)/R; 'literal', eq. 3 as printed, -1 inside the exponent.

    Raises:
        ValueError: an unknown reading.
    """
    if reading not in THROUGHPUTS:
        raise ValueError(f"reading: '{reading}' is none of {', '.join(THROUGHPUTS)}")
    at_loss = window(p, parameters)
    if reading == "approximate":
        return at_loss / rtt_s
    kept = 1 - decrease(at_loss, parameters)
    x = 1 / parameters.slope  # c/A
    if reading == "derived":
        mean = (kept**-x - 1) / (kept ** -(1 + x) - 1)
    else:
        mean = (kept**-x - 1) / kept ** (-1 / (1 + x) - 1)
    return at_loss / rtt_s * (1 + 1 / x) * mean


def blocking(load: float, k: int) -> float:
    """Return the share of packets that find K in an M/M/1/K queue: rho^K (1-rho)/(1-rho^(K+1))."""
    return float(queue_distribution(load, k)[-1])


def queue_distribution(load: float, k: int) -> np.ndarray:
    """Return the probabilities of 0..K packets in an M/M/1/K queue; any load above 0."""
    log_weight = np.arange(k + 1) * np.log(load)
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum()


def mean_queue(load: float, k: int, reading: str = "derived") -> float:
    """Return the mean number of packets in an M/M/1/K queue.

    Args:
        load: arrivals over services, above 0.
        k: places.
        reading: 'derived', rho/(1-rho) - (K+1) rho^(K+1) / (1-rho^(K+1)); 'literal', as
            hstcp-buffers prints it with K for K+1, which holds for loads below 1 only.

    Raises:
        ValueError: an unknown reading, or a load from 1 up with the literal one.
    """
    if reading not in DELAYS:
        raise ValueError(f"reading: '{reading}' is none of {', '.join(DELAYS)}")
    if reading == "derived":
        return float(queue_distribution(load, k) @ np.arange(k + 1))
    if load >= 1:
        raise ValueError(f"load: {load} is not below 1, where the literal formula ends")
    return load / (1 - load) - k * load**k / (1 - load**k)


def red_drop_rate(load: float, k: int, min_share: float = 0.4, p_max: float = 0.1) -> float:
    """Return the drop rate of RED on an M/M/1/K queue, min_th = min_share K, max_th = K.

    hstcp-buffers, section IV: sum over n of pi(n) p(n), p rising linearly from min_th to p_max at
    max_th. p_max is not printed there; 0.1 is ns-2's default. A full queue drops all.
    """
    n = np.arange(k + 1)
    rate = np.clip((n - min_share * k) / ((1 - min_share) * k), 0, 1) * p_max
    rate[-1] = 1.0
    return float(queue_distribution(load, k) @ rate)


class FixedPoint(NamedTuple):
    """Where flows and queue agree."""

    load: float  # offered, of the link's capacity
    loss_rate: float
    utilisation: float  # load x (1 - loss rate)
    queue_packets: float


def fixed_point(
    capacity_pps: float,
    k: int,
    rtt_s: Sequence[float],
    queue: str = "droptail",
    parameters: Parameters = RFC3649,
    throughput_reading: str = "derived",
    delay_reading: str = "derived",
    p_max: float = 0.1,
) -> FixedPoint:
    """Solve for the load of N flows on one queue (hstcp-buffers, eqs. 4 and 5).

    The offered load of the flows falls as the load on the queue rises (more loss, more delay), so
    there is one crossing, found by bracketing; iterating diverges (docs/hstcp-model.md).

    Args:
        capacity_pps: C in packets per second (the paper's MSS/C is then 1/C).
        k: buffer in packets, at least 1.
        rtt_s: round-trip times without queueing, one a flow.
        queue: 'droptail' (M/M/1/K) or 'red'.
        parameters: of HighSpeed TCP.
        throughput_reading, delay_reading: see `throughput` and `mean_queue`.
        p_max: of RED.

    Raises:
        ValueError: an unknown queue, or no crossing (the literal readings have none for many K).
    """
    if queue not in QUEUES:
        raise ValueError(f"queue: '{queue}' is none of {', '.join(QUEUES)}")
    rtts = np.asarray(rtt_s, float)

    def state(load: float) -> tuple[float, float]:
        drop = blocking(load, k) if queue == "droptail" else red_drop_rate(load, k, p_max=p_max)
        return max(drop, 1e-300), mean_queue(load, k, delay_reading)

    def excess(log_load: float) -> float:
        load = float(np.exp(log_load))
        p, packets = state(load)
        rates = throughput(p, rtts + packets / capacity_pps, parameters, throughput_reading)
        return float(np.log(rates.sum() / capacity_pps) - log_load)

    low, high = np.log(1e-3), np.log(0.999999 if delay_reading == "literal" else 50.0)
    if not excess(low) > 0 > excess(high):
        raise ValueError(f"no fixed point for K = {k} with these readings")
    load = float(np.exp(brentq(excess, low, high, xtol=1e-12)))
    p, packets = state(load)
    return FixedPoint(load, p, load * (1 - p), packets)
