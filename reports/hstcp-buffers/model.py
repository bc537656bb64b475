"""N flows of HighSpeed TCP and one buffer: the fixed point of hstcp-buffers (sections III and IV).

    rho = (1/C) sum_i lambda(p(rho, K), R_i(rho, K))                                  (eqs. 4 and 5)

with an M/M/1/K queue of K packets, or RED on one. Each reading of the paper's formulas is an option
of `Model`; model.md derives them, READINGS names those that the report compares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy  # loads scipy.optimize, which takes half a second, when it is first used

from .highspeed import RESPONSES, RFC3649, THROUGHPUTS, Parameters, known, throughput

QUEUES = ("droptail", "red")
DELAYS = ("derived", "literal")
SERVICES = ("derived", "literal")
STATIONARIES = ("thinned", "mm1k")
FULLS = ("derived", "literal")
MIN_SHARE = 0.4  # RED's min_th as a share of the buffer; max_th is the buffer (section IV.A)
LOAD_RANGE = (1e-6, 50.0)  # the fixed point is looked for between these loads
ROUNDING = 1e-9  # what sums of floats may differ by, of them
PACKET_BYTES = 1000  # 'packets of 1 KB'


class Model(NamedTuple):
    """How the paper's formulas are read; the defaults are the readings taken."""

    parameters: Parameters = RFC3649
    response: str = "derived"  # p(w): see `highspeed.window`
    throughput: str = "derived"  # eq. 3: see `highspeed.throughput`
    delay: str = "derived"  # M/M/1/K's mean queue: see `mean_queue`
    service: str = "derived"  # a packet's service time: 1/C, or 'literal' MSS/C, C in packets/s
    stationary: str = "thinned"  # pi of RED: see `red_distribution`
    full: str = "derived"  # RED drops a packet that finds the buffer full; 'literal': with p_max
    p_max: float = 0.1  # RED's drop rate at max_th: not printed, ns-2's default

    def check(self) -> Model:
        """Return the model.

        Raises:
            ValueError: an unknown reading.
        """
        known("response", self.response, RESPONSES)
        known("throughput", self.throughput, THROUGHPUTS)
        known("delay", self.delay, DELAYS)
        known("service", self.service, SERVICES)
        known("stationary", self.stationary, STATIONARIES)
        known("full", self.full, FULLS)
        return self


# one departure each from the readings taken
READINGS = {
    "taken": Model(),
    "response-literal": Model(response="literal"),
    "throughput-literal": Model(throughput="literal"),
    "throughput-literal-outside": Model(throughput="literal-outside"),
    "throughput-approximate": Model(throughput="approximate"),
    "delay-literal": Model(delay="literal"),
    "service-literal": Model(service="literal"),
    "p-low-formula": Model(parameters=Parameters(p_low=1.5 / RFC3649.w_low**2)),
    "red-mm1k": Model(stationary="mm1k"),
    "red-full-literal": Model(full="literal"),
    "red-p-max-1": Model(p_max=1.0),
}
OF_RED = ("red-mm1k", "red-full-literal", "red-p-max-1")  # the same as 'taken' for DropTail
OF_DROPTAIL = ("delay-literal",)  # the same as 'taken' for RED


def readings_of(queue: str) -> dict[str, Model]:
    """Return the readings that a queue's fixed point depends on."""
    others = {"droptail": OF_RED, "red": OF_DROPTAIL}[known("queue", queue, QUEUES)]
    return {name: model for name, model in READINGS.items() if name not in others}


def _normalised(log_weight: np.ndarray) -> np.ndarray:
    weight = np.exp(log_weight - log_weight.max())
    return weight / weight.sum()


def _expected(pi: np.ndarray, values: np.ndarray) -> float:
    # not pi @ values: BLAS adds up in an order that depends on its threads
    return float(np.sum(pi * values))


def queue_distribution(load: float, k: int) -> np.ndarray:
    """Return the probabilities of 0..K packets in an M/M/1/K queue; any load above 0."""
    return _normalised(np.arange(k + 1) * np.log(load))


def blocking(load: float, k: int) -> float:
    """Return the share of packets that find K in an M/M/1/K queue: rho^K (1-rho)/(1-rho^(K+1))."""
    return float(queue_distribution(load, k)[-1])


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
    if known("reading", reading, DELAYS) == "derived":
        return _expected(queue_distribution(load, k), np.arange(k + 1))
    if load >= 1:
        raise ValueError(f"load: {load} is not below 1, where the literal formula ends")
    return load / (1 - load) - k * load**k / (1 - load**k)


def red_drops(k: int, p_max: float = 0.1, full: str = "derived") -> np.ndarray:
    """Return RED's drop rate at 0..K packets (hstcp-buffers, section IV).

    0 up to min_th = 0.4 K, then rising linearly to p_max at max_th = K. The printed formula drops a
    packet that finds the buffer full with p_max ('literal'); there is no place for it ('derived').
    """
    rate = np.clip((np.arange(k + 1) - MIN_SHARE * k) / ((1 - MIN_SHARE) * k), 0, 1) * p_max
    if known("full", full, FULLS) == "derived":
        rate[-1] = 1.0
    return rate


def red_distribution(load: float, drops: np.ndarray, reading: str = "thinned") -> np.ndarray:
    """Return the probabilities of 0..K packets in a queue with RED.

    Args:
        load: offered, above 0.
        drops: drop rate at 0..K packets.
        reading: 'thinned', the birth and death process whose births at n packets are the packets
            that RED lets in, pi(n+1) = rho (1 - p(n)) pi(n); 'mm1k', M/M/1/K of the offered load,
            as if RED dropped nothing before the buffer is full.
    """
    if known("reading", reading, STATIONARIES) == "mm1k":
        return queue_distribution(load, len(drops) - 1)
    births = np.log(load) + np.log1p(-np.minimum(drops[:-1], 1 - 1e-12))
    return _normalised(np.concatenate([[0.0], np.cumsum(births)]))


class FixedPoint(NamedTuple):
    """Where flows and queue agree."""

    load: float  # offered, of the link's capacity
    loss_rate: float
    utilisation: float  # load x (1 - loss rate)
    queue_packets: float


def queue_state(load: float, k: int, queue: str, model: Model = READINGS["taken"]) -> tuple:
    """Return the loss rate (above 0) and the mean queue (packets) at an offered load.

    Raises:
        ValueError: an unknown queue, or `mean_queue`'s.
    """
    if known("queue", queue, QUEUES) == "droptail":
        return max(blocking(load, k), 1e-300), mean_queue(load, k, model.delay)
    drops = red_drops(k, model.p_max, model.full)
    pi = red_distribution(load, drops, model.stationary)
    return max(_expected(pi, drops), 1e-300), _expected(pi, np.arange(k + 1))


def offered_load(
    load: float,
    capacity_pps: float,
    k: int,
    rtt_s: Sequence[float],
    queue: str = "droptail",
    model: Model = READINGS["taken"],
) -> float:
    """Return the right side of eq. 5: what the flows offer when the load on the queue is `load`."""
    p, packets = queue_state(load, k, queue, model)
    service_s = (PACKET_BYTES if model.service == "literal" else 1) / capacity_pps
    rtts = np.asarray(rtt_s, float) + packets * service_s
    rates = throughput(p, rtts, model.parameters, model.throughput, model.response)
    return float(rates.sum() / capacity_pps)


def fixed_point(
    capacity_pps: float,
    k: int,
    rtt_s: Sequence[float],
    queue: str = "droptail",
    model: Model = READINGS["taken"],
) -> FixedPoint:
    """Solve for the load of N flows on one queue (hstcp-buffers, eqs. 4 and 5).

    The offered load of the flows falls as the load on the queue rises (more loss, more delay), so
    there is one crossing, found by bracketing; iterating diverges (`iterated_loads`).

    Args:
        capacity_pps: C in packets per second (the paper's MSS/C is then 1/C).
        k: buffer in packets, at least 1.
        rtt_s: round-trip times without queueing, one a flow.
        queue: 'droptail' (M/M/1/K) or 'red'.
        model: the readings.

    Raises:
        ValueError: an unknown queue or reading, or no crossing (eq. 3 as printed is negative).
    """
    model.check()

    def excess(log_load: float) -> float:
        offered = offered_load(float(np.exp(log_load)), capacity_pps, k, rtt_s, queue, model)
        return float(np.log(offered) - log_load) if offered > 0 else -np.inf

    # the literal delay is of loads below 1 only, and meant for DropTail
    ends_at_one = model.delay == "literal" and queue == "droptail"
    low, high = np.log(LOAD_RANGE[0]), np.log(1 - 1e-6 if ends_at_one else LOAD_RANGE[1])
    if not excess(low) > 0 > excess(high):
        raise ValueError(f"no fixed point for K = {k} with these readings")
    load = float(np.exp(scipy.optimize.brentq(excess, low, high, xtol=1e-12)))
    p, packets = queue_state(load, k, queue, model)
    return FixedPoint(load, p, load * (1 - p), packets)


def crossings(
    capacity_pps: float,
    k: int,
    rtt_s: Sequence[float],
    queue: str = "droptail",
    model: Model = READINGS["taken"],
    n_loads: int = 400,
) -> tuple[int, bool]:
    """Return how many fixed points eq. 5 has, and whether the offered load never rises.

    Both are looked at between neighbouring loads, evenly spaced on the logarithm over LOAD_RANGE: a
    fixed point is where offered less assumed load changes its sign. A load that the flows offer
    less of, the more of it is assumed, has one.

    Args:
        capacity_pps, k, rtt_s, queue, model: see `fixed_point`.
        n_loads: that eq. 5 is looked at.
    """
    loads = np.geomspace(*LOAD_RANGE, n_loads)
    offered = np.array([offered_load(load, capacity_pps, k, rtt_s, queue, model) for load in loads])
    falls = np.diff(offered) <= ROUNDING * offered[:-1]
    return int(np.sum(np.diff(offered > loads))), bool(falls.all())


def iterated_loads(
    capacity_pps: float, k: int, rtt_s: Sequence[float], start: float = 0.9, n: int = 8
) -> list[float]:
    """Return what iterating eq. 5 gives, rho -> offered(rho), from `start` on (DropTail)."""
    loads = [start]
    for _ in range(n):
        loads.append(offered_load(loads[-1], capacity_pps, k, rtt_s))
    return loads[1:]
