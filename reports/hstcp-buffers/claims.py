"""hstcp-buffers' conclusions as tests, and what model and simulation say of them.

A claim is a sentence of the paper, the measure that we read it as, and a function of one series (a
link and queue as one source has it: the model, or ns-2 with one TCP implementation). The thresholds
of paper.yml are readings of the sentence's words, not fits; they were fixed before the campaign.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import polars as pl
from evenflow.markdown import number, percent, scientific
from evenflow.papers import paper
from evenflow.papers.claims import NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED, Claim, Found, judge

from .design import MODEL, counted, in_source_order, many_flows, place_name, places_of, source_name

FACTOR = 10**0.5  # a loss rate 'equal to', 'around' a power of ten: nearest to it on the logarithm
BETWEEN = ": "  # of a subject's place and source


class Series(NamedTuple):
    """A link and queue as one source has it; all columns by fraction, ascending."""

    place: tuple[float, str]  # bottleneck (bit/s), queue
    utilisation: pl.DataFrame  # fraction, mean, ci_low, ci_high, n (null: the model)
    loss_rate: pl.DataFrame
    error: pl.DataFrame  # fraction, error of the utilisation; empty for the model itself


Test = Callable[[Series], Found | None]


def found(holds: bool, evidence: str) -> Found:
    """Return what a test found that could tell."""
    return Found(REPRODUCED if holds else NOT_REPRODUCED, evidence)


def at(table: pl.DataFrame, fraction: float) -> dict | None:
    """Return the row of a fraction of the buffer; None where there is none."""
    rows = table.filter((pl.col("fraction") - fraction).abs() < 1e-9)
    return rows.row(0, named=True) if len(rows) else None


def at_least(fraction: float, threshold: float) -> Test:
    """Test that the utilisation at a fraction is at least a threshold; by the interval's ends."""

    def test(series: Series) -> Found | None:
        row = at(series.utilisation, fraction)
        if row is None:
            return None
        low, high = row["ci_low"], row["ci_high"]
        words = percent(row["mean"]) + counted(row)
        if low is not None:
            words = f"{percent(row['mean'])} [{percent(low)}, {percent(high)}]{counted(row)}"
            if low < threshold <= high:
                return Found(NOT_TESTABLE, f"the interval holds the threshold: {words}")
        return found(row["mean"] >= threshold, words)

    return test


def step(series: Series, small: float | None, large: float) -> tuple[float, str] | None:
    """Return how much utilisation a larger buffer adds; `small` None: the smallest there is."""
    table = series.utilisation
    high = at(table, large)
    low = table.row(0, named=True) if small is None and len(table) else at(table, small or 0)
    if low is None or high is None or low["fraction"] >= high["fraction"]:
        return None
    ends = (
        f"{percent(row['mean'])} at {number(100 * row['fraction'], 0)} %{counted(row)}"
        for row in (low, high)
    )
    return high["mean"] - low["mean"], " → ".join(ends)


def drops_below(drastic: float, smallest: float) -> Test:
    """Test that the utilisation falls by `drastic` from 10 % to the smallest buffer.

    Not testable where it does not and the smallest buffer there is is above `smallest`.
    """

    def test(series: Series) -> Found | None:
        added = step(series, None, 0.1)
        if added is None:
            return None
        looked = series.utilisation["fraction"].min() <= smallest + 1e-9
        if added[0] < drastic and not looked:
            return Found(NOT_TESTABLE, f"no buffer of {100 * smallest:g} % was run: {added[1]}")
        return found(added[0] >= drastic, added[1])

    return test


def little_above(drastic: float) -> Test:
    """Test that the utilisation rises by `drastic` at most from 10 % to the whole buffer."""

    def test(series: Series) -> Found | None:
        added = step(series, 0.1, 1.0)
        return added and found(added[0] <= drastic, added[1])

    return test


def rises(step_down: float) -> Test:
    """Test that no larger buffer has a utilisation lower by more than `step_down`."""

    def test(series: Series) -> Found | None:
        table = series.utilisation
        if len(table) < 2:
            return None
        steps = table.select("fraction", pl.col("mean").diff().alias("step")).drop_nulls()
        worst = steps.sort("step", "fraction").row(0, named=True)
        points = number(100 * worst["step"], 1)
        words = f"least step {points} points, to {number(100 * worst['fraction'], 0)} %"
        return found(worst["step"] >= -step_down, words)

    return test


def agrees(close: float) -> Test:
    """Test that model and simulation differ by at most `close` at every buffer."""

    def test(series: Series) -> Found | None:
        if series.error.is_empty():
            return None
        largest = series.error.sort(pl.col("error").abs(), descending=True).row(0, named=True)
        points = number(100 * largest["error"], 1)
        words = (
            f"largest difference {points} points at {number(100 * largest['fraction'], 0)} %, "
            f"{_buffers(len(series.error))}"
        )
        return found(abs(largest["error"]) <= close, words)

    return test


def loss_near(value: float, place: tuple[float, str], from_fraction: float = 0.0) -> Test:
    """Test, on one link and queue, that most buffers have a loss rate within FACTOR of a value."""

    def test(series: Series) -> Found | None:
        table = series.loss_rate.filter(pl.col("fraction") >= from_fraction - 1e-9)
        if series.place != place or table.is_empty():
            return None
        near = table["mean"].is_between(value / FACTOR, value * FACTOR).sum()
        low, high = (scientific(table["mean"].min()), scientific(table["mean"].max()))
        words = f"{near} of {_buffers(len(table))}; " + (low if low == high else f"{low} to {high}")
        return found(2 * near > len(table), words)

    return test


def _buffers(n: int) -> str:
    return f"{n} buffer" if n == 1 else f"{n} buffers"


def _points(share: float) -> str:
    return "1 point" if share == 0.01 else f"{100 * share:g} points"


def claims_of(thresholds: Mapping[str, float]) -> list[Claim]:
    """Return the claims of the paper, by the thresholds of paper.yml."""
    t = thresholds
    return [
        Claim(
            "buffer-of-10-pct",
            "A buffer of 10 % of the BDP sustains more than 90 % of the capacity",
            "Sections III.A and V",
            f"utilisation at 10 % at least {100 * t['at_10']:g} %",
            "fig-droptail",
            at_least(0.1, t["at_10"]),
        ),
        Claim(
            "buffer-of-20-pct",
            "At 20 % it is almost 98 %",
            "Section V",
            f"utilisation at 20 % at least {100 * t['at_20']:g} %",
            "fig-droptail",
            at_least(0.2, t["at_20"]),
        ),
        Claim(
            "drop-below-10-pct",
            "Below 10 % there is a drastic drop in the utilisation",
            "Section V",
            f"from 10 % to the smallest buffer at least {_points(t['drastic'])} less",
            "fig-droptail",
            drops_below(t["drastic"], t["smallest"]),
        ),
        Claim(
            "little-beyond-10-pct",
            "Beyond 10 % the utilisation increases marginally",
            "Section V",
            f"from 10 % to the whole buffer at most {_points(t['drastic'])} more",
            "fig-droptail",
            little_above(t["drastic"]),
        ),
        Claim(
            "rises-with-the-buffer",
            "The throughput increases as the buffer increases",
            "Section V",
            f"no larger buffer has {_points(t['step_down'])} less than the next smaller",
            "fig-droptail",
            rises(t["step_down"]),
        ),
        Claim(
            "model-is-close",
            "Model and simulation are quite close",
            "Sections III.A and IV.A",
            f"at every buffer within {_points(t['close'])} of the model",
            "fig-droptail",
            agrees(t["close"]),
        ),
        Claim(
            "loss-of-droptail",
            "The loss rate is mostly equal to $p_l$, a thousandth",
            "Section III.A",
            "in most buffers within a factor √10",
            "fig-loss",
            loss_near(1e-3, (1e9, "droptail")),
        ),
        Claim(
            "loss-of-red",
            "The loss rate is 10⁻⁵ for buffers of 10 % and more",
            "Section IV.A",
            "in most of these within a factor √10",
            "fig-loss",
            loss_near(1e-5, (1e9, "red"), 0.1),
        ),
        Claim(
            "loss-of-red-on-the-fast-link",
            "The loss rate is around 10⁻⁶",
            "Section IV.A",
            "in most buffers within a factor √10",
            "fig-loss",
            loss_near(1e-6, (2.5e9, "red")),
        ),
    ]


def series_by_place(
    model: pl.DataFrame, cells: pl.DataFrame, errors: pl.DataFrame
) -> dict[tuple, dict[str, Series]]:
    """Return what the claims are tested on: {place: {source, in print: its series}}.

    Args:
        model, errors: the tables `model_point` and `model_error`; the reading taken is selected
            here.
        cells: the table `buffer_cell`, of many flows.
    """
    columns = ["fraction", "mean", "ci_low", "ci_high", "n"]
    taken = model.filter(pl.col("reading") == "taken").sort("fraction")
    nothing = [pl.lit(None, dtype=pl.Float64).alias(name) for name in ("ci_low", "ci_high")]
    by_place: dict = {}
    for place in places_of(taken, cells):
        mine = taken.filter(pl.col("bottleneck_bps") == place[0], pl.col("aqm") == place[1])
        curves = (
            mine.select("fraction", pl.col(name).alias("mean"), *nothing, n=pl.lit(None, pl.Int64))
            for name in ("utilisation", "loss_rate")
        )
        by_place[place] = {source_name(MODEL): Series(place, *curves, errors.clear())}
    names = in_source_order(cells["implementation"].unique().to_list())
    for place in by_place:
        for name in names:
            these = (
                t.filter(
                    pl.col("bottleneck_bps") == place[0],
                    pl.col("aqm") == place[1],
                    pl.col("implementation") == name,
                ).sort("fraction")
                for t in (cells, errors)
            )
            mine, error = these
            if mine.is_empty():
                continue
            tables = (
                mine.filter(pl.col("metric") == m).select(columns)
                for m in ("utilisation", "loss_rate")
            )
            taken_error = error.filter(
                pl.col("reading") == "taken", pl.col("metric") == "utilisation"
            ).drop_nulls("error")
            by_place[place][source_name(name)] = Series(place, *tables, taken_error)
    return by_place


@paper.metric
def claim(model_point, buffer_cell, model_error, thresholds, paper_name) -> pl.DataFrame:
    """Return the outcome of every claim, for the model and each implementation on each link."""
    by_place = series_by_place(model_point, many_flows(buffer_cell), model_error)
    subjects = {
        f"{place_name(place)}{BETWEEN}{source}": series
        for place, of_source in by_place.items()
        for source, series in of_source.items()
    }
    return judge(paper_name, claims_of(thresholds), subjects)
