"""The originals' conclusions as tests on our surfaces: what was claimed, what is measured here.

A claim is a sentence of the paper, the measure that we read it as, and a function of the cells of
one data set (of a difference table for claims on agreement) that returns the evidence and whether
it holds. The thresholds below are readings of words such as 'fair', not fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from .reporting import NOTHING, PRINTED, markdown_table, number
from .surfaces import matched_ends
from .theme import variant_name

FAIR_JFI = 0.9  # reading of 'fair' and 'good fairness': one flow gets at most twice the other
LOW_RTT_S = 0.05  # 'at low values of RTT (at 50 ms and below)', on-path-buffering, section 5
OTHERS = ("bic", "cubic")  # variants that the papers and our testbed have, besides NewReno

Evidence = tuple[str, bool]


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper and how it is tested."""

    sentence: str
    measure: str
    test: Callable[[pl.DataFrame], Evidence | None]
    of_difference: bool = False


def cells_of(table: pl.DataFrame, metric: str, role: str, ccas: str) -> pl.DataFrame:
    """Return the cells of one surface."""
    return table.filter(
        (pl.col("metric") == metric) & (pl.col("role") == role) & (pl.col("ccas") == ccas)
    )


def _each(metric: str, role: str, variants: tuple[str, ...], summary, holds) -> Callable:
    """Test a number per variant: `summary` of the surface's cells, and whether it `holds`.

    A variant that has no cells, or of whose cells the summary is None, has no say.
    """
    unit, digits = PRINTED[metric]

    def test(table: pl.DataFrame) -> Evidence | None:
        found = []
        for cca in variants:
            ccas = f"{cca}-{cca}" if role == "calibration" else f"newreno-{cca}"
            cells = cells_of(table, metric, role, ccas).drop_nulls("mean")
            value = summary(cells) if len(cells) else None
            if value is not None:
                found.append((cca, value))
        if not found:
            return None
        words = [f"{variant_name(cca)} {_value(value, unit, digits)}" for cca, value in found]
        return "; ".join(words), all(holds(value) for _, value in found)

    return test


def _value(value: float | tuple, unit: float, digits: int) -> str:
    if isinstance(value, tuple) and isinstance(value[0], int):
        return f"{value[0]} of {value[1]}"
    if isinstance(value, tuple):
        low, high = (v / unit for v in value)
        if low != high:  # as many digits as tell the two apart
            enough = (d for d in range(digits, 5) if number(low, d) != number(high, d))
            digits = next(enough, digits)
        return f"{number(low, digits)} → {number(high, digits)}"
    return number(value / unit, digits)


def _mean(cells: pl.DataFrame) -> float:
    return cells["mean"].mean()


def _low_to_high(axis: str) -> Callable:
    return lambda cells: matched_ends(cells, axis)


def _negative_at_low_rtt(cells: pl.DataFrame) -> tuple[int, int] | None:
    low = cells.filter(pl.col("base_rtt_s") <= LOW_RTT_S + 1e-9)
    return (int((low["mean"] < 0).sum()), len(low)) if len(low) else None


def _share_significant(table: pl.DataFrame) -> Evidence | None:
    known = table.drop_nulls("significant_printed")  # cells with repeats on the testbed
    n = int(known["significant_printed"].sum())
    return (f"{n} of {len(known)} cells", 2 * n > len(known)) if len(known) else None


def _agree_at_high_bdp(table: pl.DataFrame) -> Evidence | None:
    high = (pl.col("base_rtt_s") >= 0.2 - 1e-9) & (pl.col("buffer_bdp") >= 0.6 - 1e-9)
    inside = table.filter(high)["d"].abs().mean()
    outside = table.filter(~high)["d"].abs().mean()
    if inside is None or outside is None:
        return None
    return f"{number(inside, 2)} inside, {number(outside, 2)} outside", inside < outside


def _poor_at_low_corner(table: pl.DataFrame) -> Evidence | None:
    corner = (pl.col("base_rtt_s") == pl.col("base_rtt_s").min()) & (
        pl.col("buffer_bdp") == pl.col("buffer_bdp").min()
    )
    inside, outside = table.filter(corner)["d"].abs().mean(), table["d"].abs().mean()
    if inside is None or len(table.filter(~corner)) == 0:
        return None
    return f"{number(inside, 2)} there, {number(outside, 2)} on average", inside > outside


def _rises(pair: tuple[float, float]) -> bool:
    return pair[1] > pair[0]


CLAIMS = {
    "on-path-buffering": [
        Claim(
            "BIC and CUBIC get more against NewReno than against their like",
            "mean flow-NRU of flow 2 above 0 dB",
            _each("flow_nru_db_flow2", "comparison", OTHERS, _mean, lambda v: v > 0),
        ),
        Claim(
            "At RTTs of 50 ms and below they get less than their share",
            "flow-NRU of flow 2 below 0 dB in most cells of RTT ≤ 50 ms",
            _each(
                "flow_nru_db_flow2",
                "comparison",
                OTHERS,
                _negative_at_low_rtt,
                lambda v: 2 * v[0] > v[1],
            ),
        ),
        Claim(
            "Two NewReno flows are close to fair to each other",
            "mean flow-NRU of flow 2 within ± 0.5 dB",
            _each("flow_nru_db_flow2", "comparison", ("newreno",), _mean, lambda v: abs(v) <= 0.5),
        ),
        Claim(
            "BIC and CUBIC are unfair to NewReno system-wide",
            "mean system-NRU below 0 dB",
            _each("system_nru_db", "comparison", OTHERS, _mean, lambda v: v < 0),
        ),
        Claim(
            "In self-fairness flow 2 gets less at low buffers, more as they grow",
            "mean throughput of flow 2 (Mb/s), smallest → largest buffer, rises",
            _each(
                "mean_throughput_bps_flow2",
                "calibration",
                ("newreno", *OTHERS),
                _low_to_high("buffer_bdp"),
                _rises,
            ),
        ),
        Claim(
            "NewReno's flow 2 gets less as the RTT increases",
            "mean throughput of flow 2 (Mb/s), smallest → largest RTT, falls",
            _each(
                "mean_throughput_bps_flow2",
                "calibration",
                ("newreno",),
                _low_to_high("base_rtt_s"),
                lambda v: v[1] < v[0],
            ),
        ),
        Claim(
            "Fairness improves as the buffer increases",
            "mean system-NRU (dB), smallest → largest buffer, rises",
            _each("system_nru_db", "comparison", OTHERS, _low_to_high("buffer_bdp"), _rises),
        ),
        Claim(
            "Fairness improves as the RTT increases",
            "mean system-NRU (dB), smallest → largest RTT, rises",
            _each("system_nru_db", "comparison", OTHERS, _low_to_high("base_rtt_s"), _rises),
        ),
    ],
    "ns2-vs-testbed": [
        Claim(
            "TCP NewReno is fair to itself",
            f"mean JFI at least {FAIR_JFI}",
            _each("jfi", "comparison", ("newreno",), _mean, lambda v: v >= FAIR_JFI),
        ),
        Claim(
            "BIC and CUBIC show poor fairness to NewReno",
            f"mean JFI below {FAIR_JFI} (the paper: on the testbed, not in ns-2)",
            _each("jfi", "comparison", OTHERS, _mean, lambda v: v < FAIR_JFI),
        ),
        Claim(
            "Fairness improves when the buffer increases",
            "mean JFI, smallest → largest buffer, rises",
            _each("jfi", "comparison", OTHERS, _low_to_high("buffer_bdp"), _rises),
        ),
        Claim(
            "Fairness improves when the RTT increases",
            "mean JFI, smallest → largest RTT, rises",
            _each("jfi", "comparison", OTHERS, _low_to_high("base_rtt_s"), _rises),
        ),
        Claim(
            "ns-2 and the testbed differ significantly",
            "W ≥ 0 in most cells",
            _share_significant,
            of_difference=True,
        ),
        Claim(
            "They agree best at RTTs and buffers that are high",
            "mean \\|D\\| at RTT ≥ 200 ms and buffer ≥ 60 % below that elsewhere",
            _agree_at_high_bdp,
            of_difference=True,
        ),
        Claim(
            "They agree poorly at low RTT and low buffer",
            "mean \\|D\\| in the cell of lowest RTT and buffer above the average",
            _poor_at_low_corner,
            of_difference=True,
        ),
    ],
}


def claims_table(
    paper: str, surface: pl.DataFrame, differences: dict[str, pl.DataFrame] | None = None
) -> str:
    """Return the scorecard of a paper: a row a claim, a column a data set.

    Args:
        paper: key of CLAIMS.
        surface: the paper's surfaces, with the columns part and dataset_id.
        differences: difference table by the testbed's part, for claims on agreement.
    """
    parts = surface["part"].unique(maintain_order=True).to_list()
    names = dict(surface.select("part", "dataset_id").unique().rows())
    rows = []
    for claim in CLAIMS[paper]:
        cells = []
        for part in parts:
            table = (
                (differences or {}).get(part)
                if claim.of_difference
                else surface.filter(pl.col("part") == part)
            )
            found = None if table is None or table.is_empty() else claim.test(table)
            cells.append(
                NOTHING if found is None else f"**{'yes' if found[1] else 'no'}**: {found[0]}"
            )
        rows.append([claim.sentence, claim.measure, *cells])
    header = ["The original says", "Read as", *(f"`{names[part]}`" for part in parts)]
    return markdown_table(header, rows, numeric_from=len(header))
