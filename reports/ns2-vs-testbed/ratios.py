"""Throughputs of ns-2 over those of a testbed by RTT, beside Jain's index, and harm on both.

Jain's index near one half cannot tell a ratio of 12 from one of 33: a margin of 0.05 accepts a
factor of 2.7 there. NewReno's throughput in ns-2 over that on the testbed can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import altair as alt
import numpy as np
import polars as pl
from evenflow.charts.panels import titled
from evenflow.charts.theme import series_colours
from evenflow.claims.headlines import headline
from evenflow.congestion_controls import variant_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.runs import LIST, once
from evenflow.evidence.say import say, second, tags_of
from evenflow.kit.tables import interval
from evenflow.markdown import NOTHING, markdown_table, number
from evenflow.papers import paper
from evenflow.statistics.stratified import Estimate, estimate

from .._grid.grid_runs import RTT
from .._grid.surfaces import (
    COLUMN,
    QUANTITIES,
    Place,
    Subject,
    contested_places,
    pairing,
    subjects_of,
)
from .design import (
    HALF_HOUR,
    LONG,
    LONG_OPEN,
    OVER_HALF_AN_HOUR,
    PLATFORMS,
    SETUPS,
    SIMULATION,
)
from .half_hour import beside_simulation

VARIANTS = ("newreno", "bic", "cubic", "compound")
FLOW1, JFI = COLUMN["flow1"], COLUMN["jfi"]
IN_PRINT = {**SETUPS, HALF_HOUR: OVER_HALF_AN_HOUR}


def flow_ratios(surface: pl.DataFrame) -> pl.DataFrame:
    """Return NewReno's throughput over flow 2's in each cell of the comparison runs.

    Args:
        surface: the table `surface`, of all parts.

    Returns:
        part, ccas, base_rtt_s, buffer_bdp, contested, n (runs), value (ratio of the means over the
        runs), sorted; of a tagged table the rows of both.
    """
    cell = ["part", "ccas", RTT, "buffer_bdp", "contested", "n"]
    one, two = (
        surface.filter(role="comparison", metric=f"mean_throughput_bps_flow{flow}")
        for flow in (1, 2)
    )
    two = second(two)
    both = one.join(two.select(*cell, *tags_of(two), other="mean"), on=cell)
    return both.select(*cell, *tags_of(both), value=pl.col("mean") / pl.col("other")).sort(cell)


def over_the_buffers(mean_of_place: Callable[[Place], float], places: Sequence[Place]) -> float:
    """Return the mean over the buffers of an RTT."""
    return float(np.mean([mean_of_place(place) for place in places]))


def statistics_of(cca: str, places: Sequence[Place]) -> dict[str, Callable[[Mapping], float]]:
    """Return the statistics of a variant at an RTT: of {cell: its means}.

    ratio: log of NewReno's throughput in the simulation over that on the testbed; index: Jain's
    index, simulation less testbed; harm_here (testbed) and harm_there (simulation): log of what
    NewReno has against the variant over what flow 1 has against another NewReno flow.
    """
    compared, alone = pairing("comparison", cca), pairing("calibration", "newreno")
    natural = np.log(10) / 10  # of one dB

    def level(means: Mapping, side: str, surface: tuple, place: Place) -> float:
        return natural * float(means[side, *surface, *place][FLOW1])

    def ratio(means: Mapping) -> float:
        return over_the_buffers(
            lambda p: level(means, "there", compared, p) - level(means, "here", compared, p), places
        )

    def index(means: Mapping) -> float:
        return over_the_buffers(
            lambda p: float(means["there", *compared, *p][JFI] - means["here", *compared, *p][JFI]),
            places,
        )

    def left(side: str) -> Callable[[Mapping], float]:
        return lambda means: over_the_buffers(
            lambda p: level(means, side, compared, p) - level(means, side, alone, p), places
        )

    return {"ratio": ratio, "index": index, "harm_here": left("here"), "harm_there": left("there")}


def ratio_table(subjects: Mapping[str, Subject], confidence: float) -> pl.DataFrame:
    """Return the statistics of each testbed, variant and RTT with their intervals.

    Of the cells that are contested for each variant on both sides.

    Returns:
        part, cca, base_rtt_s, n_cells, n_unsteady (of them, on either side or in a calibration), n
        (least runs of a cell); ratio, ratio_low, ratio_high (factors), index, index_low,
        index_high, harm_here, harm_there (shares of its throughput that NewReno loses).
    """
    rows = []
    for part, subject in subjects.items():
        if subject.against is None:
            continue
        surfaces = [pairing("comparison", cca) for cca in VARIANTS]
        every = list(subject.grid.rows())
        places = contested_places(subject, surfaces, every, both_sides=True)
        for cca in VARIANTS:
            for rtt in dict.fromkeys(rtt for rtt, _ in places):
                mine = [place for place in places if place[0] == rtt]
                rows.append(_row(subject, part, cca, mine, confidence))
    schema = {"part": pl.String, "cca": pl.String, RTT: pl.Float64}
    schema |= dict.fromkeys(("n_cells", "n_unsteady", "n"), pl.Int64)
    ends = [f"{name}{end}" for name in ("ratio", "index") for end in ("", "_low", "_high")]
    schema |= dict.fromkeys((*ends, "harm_here", "harm_there"), pl.Float64)
    schema |= dict.fromkeys(("runs", "runs_harm,n_unsteady"), LIST)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _row(subject: Subject, part: str, cca: str, places: Sequence[Place], confidence: float):
    found = {
        name: estimate(subject.cells, statistic, QUANTITIES, confidence=confidence)
        for name, statistic in statistics_of(cca, places).items()
    }
    asked = {key for of in found.values() for key in of.cells}
    unsteady = {key[-2:] for key in asked if subject.cells[key].unsteady}
    ratio, index = found["ratio"], found["index"]
    harms = [
        None if found[name].value is None else 1 - float(np.exp(found[name].value))
        for name in ("harm_here", "harm_there")
    ]
    return (
        part, cca, places[0][0], len(places), len(unsteady), ratio.n, *factors(ratio),
        index.value, index.low, index.high, *harms, once(ratio.runs),
        once(run for of in found.values() for run in of.runs),
    )  # fmt: skip


def factors(log: Estimate) -> list[float | None]:
    """Return the factor that a logarithm stands for, and the ends of its interval."""
    return [None if v is None else float(np.exp(v)) for v in (log.value, log.low, log.high)]


@paper.metric(runs=True)
def ratio(claim_run, grids, weight_from, confidence) -> pl.DataFrame:
    subjects = subjects_of(
        claim_run, PLATFORMS, grids[-1], weight_from=weight_from, simulation=SIMULATION
    )
    long = (claim_run.filter(part=part) for part in (LONG_OPEN, LONG))
    return ratio_table(subjects | {HALF_HOUR: beside_simulation(*long)}, confidence)


# ---- in print -----------------------------------------------------------------------------------


@paper.table
def ratios(ratio) -> str:
    return ratio_markdown(ratio)


def ratio_markdown(ratio: pl.DataFrame) -> str:
    """Return a row a variant and RTT: of each testbed the ratio, the index and harm on both sides.

    Args:
        ratio: result of `ratio_table`.
    """
    rows, before = [], None
    for row in ratio.rows(named=True):
        named = (row["part"], row["cca"])
        first = [IN_PRINT[row["part"]] if named[0] != (before or (None,))[0] else ""]
        first.append(variant_name(row["cca"]) if named != before else "")
        marked = f"{1000 * row[RTT]:g}{' *' if row['n_unsteady'] else ''}"
        rows.append(
            [
                *first,
                marked,
                *made_of(
                    row,
                    interval("ratio")(row),
                    interval("index", 3)(row),
                    f"{number(row['harm_there'], 2)} / {number(row['harm_here'], 2)}",
                ),
            ]
        )
        before = named
    header = ["Testbed", "Variant", "RTT (ms)", "NewReno, ns-2 / testbed", "Jain's index, D"]
    header.append("Harm, ns-2 / testbed")
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=2)


def ratio_variables(ratio: pl.DataFrame) -> dict:
    """Return {part, with _ for blanks: {variant: {RTT in ms: ratio with its interval}}}."""
    tree: dict = {}
    for i, row in enumerate(ratio.rows(named=True)):
        of = tree.setdefault(row["part"].replace(" ", "_"), {}).setdefault(row["cca"], {})
        ends = "" if row["ratio_low"] is None else " ({ratio_low} to {ratio_high})"
        of[f"{1000 * row[RTT]:g}"] = say(ratio[i], f"{{ratio}}{ends}", digits=2)
    return tree


@paper.figure
def ratios_by_rtt(ratio, readings, claim, headlines) -> dict:
    message = headline(claim, headlines, "ratios_by_rtt", ratio_message(ratio))
    return ratio_chart(ratio, readings["equal"], message)


def ratio_chart(ratio: pl.DataFrame, equal: float, message: str) -> dict:
    """Return the ratio against the RTT, a panel a variant, a line a testbed, with intervals.

    Args:
        ratio: result of `ratio_table`.
        equal: factor either way within which throughputs count as the same; a band.
        message: what the figure shows.
    """
    names = [IN_PRINT[part] for part in ratio["part"].unique(maintain_order=True)]
    table = ratio.with_columns(
        rtt_ms=pl.col(RTT) * 1000,
        testbed=pl.col("part").replace_strict(IN_PRINT),
        variant=pl.col("cca").map_elements(variant_name, return_dtype=pl.String),
    )
    panels = [variant_name(cca) for cca in VARIANTS]
    legend = alt.Legend(title=None, orient="top")
    base = alt.Chart(table, width=150, height=150).encode(
        x=alt.X(
            "rtt_ms:Q",
            title="RTT (ms)",
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(values=sorted(table["rtt_ms"].unique())),
        ),
        color=alt.Color("testbed:N", sort=names, scale=series_colours(names), legend=legend),
    )
    y = alt.Y("ratio:Q", title="NewReno's throughput, ns-2 / testbed", scale=alt.Scale(type="log"))
    rules = [
        base.mark_rule(strokeDash=dash, color="black", strokeWidth=0.6, opacity=1).encode(
            x=alt.value(0), x2=alt.value(150), y=alt.datum(at), color=alt.value("gray")
        )
        for at, dash in ((1.0, [1, 0]), (equal, [3, 3]), (1 / equal, [3, 3]))
    ]
    drawn = alt.layer(
        *rules,
        base.mark_line(opacity=1).encode(y=y),
        base.mark_rule(opacity=1).encode(y=alt.Y("ratio_low:Q"), y2="ratio_high:Q"),
        base.mark_point(filled=True, size=40, opacity=1).encode(
            y=y,
            shape=alt.Shape("testbed:N", sort=names, scale=alt.Scale(domain=names), legend=legend),
        ),
    ).facet(column=alt.Column("variant:N", title=None, sort=panels))
    return titled(drawn, message)


def ratio_message(ratio: pl.DataFrame) -> str:
    """Return what the figure shows: the range of ratios of CUBIC and BIC where nothing limits."""
    said = []
    of_open = ratio.filter(part="open")
    for cca in ("bic", "cubic"):
        values = of_open.filter(cca=cca)["ratio"].drop_nulls()
        if len(values):
            ends = f"{number(values.min(), 2)} to {number(values.max(), 2)}"
            said.append(f"{ends} against {variant_name(cca)}")
    if not said:
        return "NewReno's throughput in ns-2 over that on the testbeds"
    return f"Without window limits, NewReno in ns-2 over NewReno on Linux: {', '.join(said)}"
