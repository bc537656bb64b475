"""HighSpeed TCP, one flow: its response function (RFC 3649) and throughput (hstcp-buffers, eq. 3).

RFC 3649 gives how the window w (packets) grows, a(w) a round trip, and shrinks, by b(w), so that
the average window at loss rate p is w(p). Barman, Smaragdakis and Matta (hstcp-buffers) derive the
throughput of a flow from it. Where their formulas are ambiguous or slip, the literal reading is a
keyword, so that it can be tested beside the one taken; model.md derives them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

RESPONSES = ("derived", "literal")
THROUGHPUTS = ("derived", "approximate", "literal", "literal-outside")


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
# section 5 there: loss rate to average window (packets)
RFC_TABLE = {
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


def known(name: str, value: str, choices: tuple[str, ...]) -> str:
    """Return `value`, one of `choices`.

    Raises:
        ValueError: it is none of them.
    """
    if value not in choices:
        raise ValueError(f"{name}: '{value}' is none of {', '.join(choices)}")
    return value


def window(
    p: np.ndarray | float, parameters: Parameters = RFC3649, reading: str = "derived"
) -> np.ndarray:
    """Return the window (packets) at loss rate p (RFC 3649, section 5).

    Above p_low it is standard TCP's, w_low (p_low / p)^(1/2), which meets it there (the RFC prints
    1.2 / p^(1/2)).

    Args:
        p: loss rate, above 0.
        parameters: of HighSpeed TCP.
        reading: 'derived', the RFC's; 'literal', the inverse of hstcp-buffers' exp(y(c + k)), which
            it prints after exp(yc + k): w_low p^(A / (c + k)), not w_low at p_low.

    Raises:
        ValueError: an unknown reading.
    """
    p = np.asarray(p, float)
    if known("reading", reading, RESPONSES) == "literal":
        exponent = np.log(parameters.w_high / parameters.w_low) / np.log(parameters.p_high)
        return parameters.w_low * p**exponent
    steep = np.where(p > parameters.p_low, -0.5, parameters.slope)
    return parameters.w_low * (p / parameters.p_low) ** steep


def rounded_window(p: np.ndarray | float) -> np.ndarray:
    """Return w(p) as RFC 3649 tabulates it, with constants rounded to two and three digits.

    0.12 / p^0.835, and standard TCP's 1.2 / p^0.5 above p_low (sections 4 and 5 there).
    """
    p = np.asarray(p, float)
    return np.where(p > RFC3649.p_low, 1.2 / np.sqrt(p), 0.12 / p**0.835)


def loss_rate(w: np.ndarray | float, parameters: Parameters = RFC3649) -> np.ndarray:
    """Return p(w), the inverse of `window`."""
    w = np.asarray(w, float)
    steep = np.where(w < parameters.w_low, -2.0, 1 / parameters.slope)
    return parameters.p_low * (w / parameters.w_low) ** steep


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
    response: str = "derived",
) -> np.ndarray:
    """Return the throughput of a flow (packets/s) at loss rate p (hstcp-buffers, eq. 3).

    Args:
        p: loss rate, 0 < p <= 1.
        rtt_s: round-trip time.
        parameters: of HighSpeed TCP.
        reading: 'derived', the line before eq. 3 with -1 outside the exponent; 'approximate', the
            second line of eq. 3, w(p)/R; 'literal', eq. 3 as printed, with the exponent
            -1/(1+c/A) - 1 (negative for HighSpeed TCP); 'literal-outside', the same with -1 outside
            of it.
        response: see `window`.

    Raises:
        ValueError: an unknown reading.
    """
    known("reading", reading, THROUGHPUTS)
    at_loss = window(p, parameters, response)
    if reading == "approximate":
        return at_loss / rtt_s
    kept = 1 - decrease(at_loss, parameters)
    x = 1 / parameters.slope  # c/A
    divisor = {
        "derived": kept ** -(1 + x) - 1,
        "literal": kept ** (-1 / (1 + x) - 1),
        "literal-outside": kept ** (-1 / (1 + x)) - 1,
    }[reading]
    return at_loss / rtt_s * (1 + 1 / x) * (kept**-x - 1) / divisor


class Epoch(NamedTuple):
    """The window between two losses (hstcp-buffers, Figure 1)."""

    t_s: np.ndarray  # since the loss
    window: np.ndarray  # packets, from (1 - b) w(p) to w(p)
    duration_s: float  # T_d
    packets: float  # N_d


def epoch(p: float, rtt_s: float, parameters: Parameters = RFC3649, n_points: int = 200) -> Epoch:
    """Return how the window grows between two losses: hstcp-buffers' w(t), T_d and N_d.

    w(t)^-(1+x) = ((1-b) w_p)^-(1+x) - (1+x) g t with x = c/A and dw/dt = g w^(2+x), b = b(w_p).

    Args:
        p: loss rate, at most p_low; w_p = w(p) is the window at the loss.
        rtt_s: round-trip time.
        parameters: of HighSpeed TCP.
        n_points: of the curve.
    """
    top = float(window(p, parameters))
    b = float(decrease(top, parameters))
    x = 1 / parameters.slope
    g = 2 * b * parameters.p_low * parameters.w_low**-x / ((2 - b) * rtt_s)
    low = (1 - b) * top
    duration = (low ** -(1 + x) - top ** -(1 + x)) / (g * (1 + x))
    packets = (low**-x - top**-x) / (g * x * rtt_s)
    t = np.linspace(0, duration, n_points)
    return Epoch(t, (low ** -(1 + x) - (1 + x) * g * t) ** (-1 / (1 + x)), duration, packets)


def standard_share(p: float, parameters: Parameters = RFC3649) -> float:
    """Return the share of the time between two losses in which the window is at most w_low.

    There HighSpeed TCP is standard TCP; 1 from p_low up.

    Args:
        p: loss rate, above 0.
        parameters: of HighSpeed TCP.
    """
    if p >= parameters.p_low:
        return 1.0
    return float(np.mean(epoch(p, 1.0, parameters).window <= parameters.w_low))
