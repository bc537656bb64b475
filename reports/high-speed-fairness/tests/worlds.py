"""Planted runs of the whole design: worlds in which every statement is true, or false.

A world gives the throughput ratio of flow 1 to flow 2 in every cell.
"""

from pathlib import Path

import numpy as np
import polars as pl
import yaml
from evenflow.schema import read_document

from ..cells import LATE_COMER, LONG, Subject
from ..metrics import HIGH_SPEED, RTTS_MS, design

FOLDER = Path(__file__).parents[1]
PARAMETERS = yaml.safe_load((FOLDER / "paper.yml").read_text(encoding="utf-8"))["parameters"]
SAID = read_document(FOLDER / "claims.yml")
READINGS, RTT_LISTS = PARAMETERS["readings"], PARAMETERS["rtts_of_claims_ms"]
BOTH = 800e6  # bit/s of both flows
SPREAD = 0.003  # of the logarithm of a ratio between replicates


def ratio_of_jfi(jfi):
    """Flow 1 / flow 2 at which two flows have this Jain's index, flow 1 ahead."""
    share = (1 + np.sqrt(1 / jfi - 1)) / 2
    return share / (1 - share)


def jfi_of(ratio):
    return (1 + ratio) ** 2 / (2 * (1 + ratio**2))


def runs_of(world, replicates=3, spread=SPREAD, further=False):
    """Return `pair_metric` of a platform: `replicates` runs of every cell.

    further: with those of `late_metric`, flow 2 first, and of `long_metric`.
    """
    random = np.random.default_rng(1)
    rows, cells = [], design().rows(named=True)
    if further:
        late = [cell | {"view": LATE_COMER} for cell in cells if cell["view"] == "rtt"]
        cells += late + [cell | {"view": LONG + cell["view"]} for cell in cells]
    for cell in cells:
        for repeat in range(1, replicates + 1):
            ratio = world(cell) * np.exp(random.normal(0, spread))
            rows.append(cell | {
                "repeat": repeat, "run_id": f"{'/'.join(map(str, cell.values()))}/r{repeat}",
                "throughput1_bps": BOTH * ratio / (1 + ratio),
                "throughput2_bps": BOTH / (1 + ratio), "jfi": jfi_of(ratio), "drops": 100,
            })  # fmt: skip
    return pl.DataFrame(rows)


def subject_of(runs):
    return Subject(runs, RTT_LISTS, READINGS, "simulation")


# ---- as the original says, and the contrary -----------------------------------------------------

TRUE_FRIENDLY = {  # NewReno / variant at 16 ms and at all RTTs above
    "bic": (0.3, 0.05), "cubic": (0.9, 0.05), "htcp": (0.9, 0.03), "highspeed": (0.3, 0.15),
    "scalable": (0.3, 0.01),
}  # fmt: skip
FALSE_FRIENDLY = {
    "bic": (0.9, 0.3), "cubic": (0.3, 0.6), "htcp": (0.3, 0.9), "highspeed": (0.9, 0.2),
    "scalable": (0.9, 0.95),
}  # fmt: skip
TRUE_INTRA = {  # Jain's index at the lowest and at the highest RTT
    "htcp": (0.93, 0.995), "highspeed": (0.915, 0.98), "bic": (0.9, 0.965),
    "cubic": (0.9, 0.965), "scalable": (0.9, 0.965),
}  # fmt: skip
FALSE_INTRA = {
    "htcp": (0.8, 0.7), "highspeed": (0.82, 0.72), "bic": (0.99, 0.9), "cubic": (0.89, 0.8),
    "scalable": (0.89, 0.8),
}  # fmt: skip
TRUE_RTT = {  # flow 1 / flow 2 at the five RTTs
    "htcp": (0.17, 0.4, 0.75, 1.1, 1.65), "cubic": (0.16, 0.38, 0.75, 1.1, 1.6),
    "bic": (0.07, 0.18, 0.37, 1.5, 2.2), "highspeed": (0.07, 0.18, 0.37, 1.5, 2.2),
    "scalable": (0.055, 0.145, 0.33, 1.7, 2.5),
}  # fmt: skip
# with exponents so near to one no variant can be as much less fair than others as is said, too
PROPORTIONAL = dict.fromkeys(HIGH_SPEED, tuple(rtt / 162 for rtt in RTTS_MS))
FALSE_RTT = {
    **dict.fromkeys(("htcp", "cubic"), tuple((rtt / 162) ** 3 for rtt in RTTS_MS)),
    **dict.fromkeys(("bic", "highspeed"), (10.0, 4.0, 2.0, 3.0, 0.5)),
    "scalable": tuple((rtt / 162) ** -0.5 for rtt in RTTS_MS),
}
TRUE_STRENGTH = {  # of a variant beside others, at 16, at 42 and 82, at 162 and 324 ms
    "bic": (4, 2.2, 2), "cubic": (1, 2, 2.35), "htcp": (2, 4, 3), "highspeed": (1.5, 0.6, 0.5),
    "scalable": (60, 20, 3.3),
}  # fmt: skip
FALSE_STRENGTH = {
    "bic": (1, 1, 0.3), "cubic": (4, 3, 2), "htcp": (8, 2, 0.6), "highspeed": (9, 9, 9),
    "scalable": (2, 0.5, 1),
}  # fmt: skip


def friendliness(table):
    def world(cell):
        if cell["view"] != "friendliness":
            return 1.0
        return table[cell["cca2"]][cell["rtt2_ms"] > 16]

    return world


def intra(table):
    def world(cell):
        if cell["view"] != "intra" or cell["cca1"] not in HIGH_SPEED:
            return 1.0
        low, high = table[cell["cca1"]]
        step = np.log(cell["rtt1_ms"] / RTTS_MS[0]) / np.log(RTTS_MS[-1] / RTTS_MS[0])
        return ratio_of_jfi(low + (high - low) * step)

    return world


def rtt(table):
    def world(cell):
        if cell["cca1"] not in HIGH_SPEED or cell["rtt1_ms"] != 162:
            return 1.0
        return table[cell["cca1"]][RTTS_MS.index(cell["rtt2_ms"])]

    return world


def inter(table):
    place = {16: 0, 42: 1, 82: 1, 162: 2, 324: 2}

    def world(cell):
        if cell["view"] != "inter":
            return 1.0
        at = place[cell["rtt1_ms"]]
        return table[cell["cca1"]][at] / table[cell["cca2"]][at]

    return world


TRUE = {
    "friendliness": friendliness(TRUE_FRIENDLY),
    "intra": intra(TRUE_INTRA),
    "rtt": rtt(TRUE_RTT),
    "inter": inter(TRUE_STRENGTH),
}
FALSE = {
    "friendliness": friendliness(FALSE_FRIENDLY),
    "intra": intra(FALSE_INTRA),
    "rtt": rtt(FALSE_RTT),
    "inter": inter(FALSE_STRENGTH),
}
