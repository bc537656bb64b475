"""What a run and a scenario of the paper are, and which of them its text and figures name.

Foreground are four flows of different RTT, all of one variant; the background is the factor
`background` of a run ('pareto', 'exponential': on-off sources; 'ftp', 'http', 'none'), and `load`
names its parameters. In some runs one thing is changed, so that they are no scenarios of the
original but stand beside them: the factor `implementation` names senders that are not ns-2's own,
and where the load ends with `NO_WAITS` the senders do not wait at random before sending.
"""

from __future__ import annotations

import polars as pl

FACTORS = {
    "background": pl.String,
    "load": pl.String,
    "sources": pl.Float64,
    "source_kbps": pl.Float64,
    "aggregate_mbps": pl.Float64,
}
SCENARIO = ["scenario_id", "variant", "aqm", *FACTORS, "label"]
PART = "simulation"  # the only data set of paper.yml
OWN = "ns2"  # implementation of the senders of a run that names none
LINUX = "linux"  # Linux's, in the same simulations
NO_WAITS = "-nojitter"
# order in figures and tables
VARIANTS = ["sack", "highspeed", "scalable"]
AQMS = ["droptail", "red"]
BACKGROUNDS = ["pareto", "exponential", "ftp", "http", "none"]
# what the text and the figures of the paper name, in terms of our scenarios
SACK_DROPTAIL = {"variant": "sack", "aqm": "droptail"}
BURSTY_50 = {**SACK_DROPTAIL, "background": "pareto", "load": "pareto-10sources"}
SMOOTH_50 = {**BURSTY_50, "load": "pareto-1000sources"}
BURSTY_KBPS, SMOOTH_KBPS = 5000.0, 25.0
CASES = {
    "bursty-10-sources": BURSTY_50,
    "smooth-1000-sources": SMOOTH_50,
    "exponential-5Mbps-sources": {
        **SACK_DROPTAIL,
        "background": "exponential",
        "source_kbps": BURSTY_KBPS,
    },
    "exponential-25kbps-sources": {
        **SACK_DROPTAIL,
        "background": "exponential",
        "source_kbps": SMOOTH_KBPS,
    },
    **{
        f"{short}-droptail-{name}": {
            "variant": variant,
            "aqm": "droptail",
            "background": "exponential",
            "source_kbps": kbps,
        }
        for short, variant in (("hstcp", "highspeed"), ("stcp", "scalable"))
        for name, kbps in (("bursty", BURSTY_KBPS), ("smooth", SMOOTH_KBPS))
    },
}
# a case that is a ratio of RTTs: of all scenarios that a figure is about
CASES_OF_ITEM = {
    ("fig1", "flow1-flow2"): {"variant": "sack", "aqm": "droptail", "aggregate_mbps": 50.0},
    ("fig8", "flow1-flow2"): {"aqm": "droptail", "background": "exponential"},
}


def select(table: pl.DataFrame, **wanted) -> pl.DataFrame:
    """Return the rows (of runs or scenarios) whose columns have these values."""
    return table.filter(*(pl.col(name) == value for name, value in wanted.items()))


def source_rate(kbps: float) -> str:
    """Return the rate of a source in print: '5 Mb/s', '25 kb/s'."""
    return f"{kbps / 1000:g} Mb/s" if kbps >= 1000 else f"{kbps:g} kb/s"


def in_order(table: pl.DataFrame) -> pl.DataFrame:
    """Sort by variant, queue, background and the burstiness of its sources, smooth first."""
    ranks = [
        pl.col(name).replace_strict({v: i for i, v in enumerate(order)}, default=len(order))
        for name, order in (("variant", VARIANTS), ("aqm", AQMS), ("background", BACKGROUNDS))
    ]
    rest = [name for name in ("repeat", "run_id") if name in table.columns]
    return table.sort(*ranks, "aggregate_mbps", "source_kbps", "load", "scenario_id", *rest)
