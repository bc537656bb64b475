"""Fairness of flows whose losses are synchronised, and of flows whose are not, by theory."""

from __future__ import annotations

import numpy as np
import polars as pl

HSTCP_EXPONENT = 4.56  # of HSTCP under perfect synchronisation; section I, from Xu et al. 2004


def saw_teeth(rtts_s: list[float], period_s: float, periods: int) -> pl.DataFrame:
    """Return the windows of flows whose losses are perfectly synchronised, from the closed form.

    Each grows by a packet a round trip, from W/2 to W = 2 T / RTT, and is halved every T seconds
    (section II, Figure 3).

    Args:
        rtts_s: of each flow.
        period_s: T, time between losses.
        periods: how many.

    Returns:
        flow, rtt_s, t_s, window_packets: the corners of the saw teeth, in order.
    """
    rows = []
    for flow, rtt_s in enumerate(rtts_s, 1):
        top = 2 * period_s / rtt_s
        for i in range(periods):
            rows.append((flow, rtt_s, i * period_s, top / 2))
            rows.append((flow, rtt_s, (i + 1) * period_s, top))
        rows.append((flow, rtt_s, periods * period_s, top / 2))
    return pl.DataFrame(rows, schema=["flow", "rtt_s", "t_s", "window_packets"], orient="row")


def fairness_by_theory(rtt_ratio: float) -> dict[str, float]:
    """Return what FR is by theory: without synchronisation, with it, and with it for HSTCP."""
    return {
        "independent": rtt_ratio,
        "synchronised": rtt_ratio**2,
        "synchronised HSTCP": rtt_ratio**HSTCP_EXPONENT,
    }


def throughput_ratio(windows: pl.DataFrame) -> float:
    """Return the ratio of the mean throughputs of flows 1 and 2 of `saw_teeth`.

    The mean window is the area below its straight lines over the time; a window is sent every RTT.
    """
    means = []
    for flow in (1, 2):
        teeth = windows.filter(flow=flow)
        t_s, window = teeth["t_s"].to_numpy(), teeth["window_packets"].to_numpy()
        means.append(np.trapezoid(window, t_s) / np.ptp(t_s) / teeth["rtt_s"][0])
    return float(means[0] / means[1])
