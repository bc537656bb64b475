"""The tables in print of hstcp-buffers' report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import product

import polars as pl
from evenflow.claims.judge import count_outcomes
from evenflow.claims.scorecard import case_numbers, scorecard
from evenflow.evidence.cells import made_of
from evenflow.kit.tables import fixed, groups, in_order, labelled, named, printed
from evenflow.markdown import (
    NOTHING,
    WORDS_OF_PRINT,
    Cell,
    counted,
    listed,
    markdown_table,
    number,
    percent,
    scientific,
    span_of,
    whole_percent,
    with_interval,
)
from evenflow.papers import paper
from evenflow.papers.completeness import completeness_table
from evenflow.reporting.setups import deviation_table, source_list
from evenflow.statistics.outcomes import OUTCOMES

from . import highspeed
from .crossed import SETS
from .design import (
    LINK,
    MODEL,
    PLACE,
    RANK,
    SHORTEST,
    SLOW,
    access_rates,
    changed_runs,
    configured_places,
    flow_shares,
    link_name,
    many_flows,
    place_name,
    places_of,
    printed_values,
    queue_name,
    rate_ratios,
    source_name,
    sources_of,
    two_flow_runs,
)
from .model import OF_DROPTAIL, OF_RED, READINGS

# reading of the model -> (place, as printed, as read)
READING_WORDS = {
    "response-literal": (
        "p(w), section II",
        "$\\exp(y(c+k))$",
        "$\\exp(yc+k)$, the paper's own first form; only then $p(w_l) = p_l$",
    ),
    "throughput-literal": (
        "eq. 3, first line",
        "divisor $(1-b)^{-1/(1+c/A)-1}$",
        "$(1-b)^{-(1+c/A)}-1$, as the line before it",
    ),
    "throughput-literal-outside": (
        "the same, only the $-1$ moved",
        "divisor $(1-b)^{-1/(1+c/A)}-1$",
        "as above",
    ),
    "throughput-approximate": (
        "eq. 3, second line",
        "$\\lambda = w_p / R$, the window at the loss",
        "the first line, the mean between two losses",
    ),
    "delay-literal": (
        "mean queue of M/M/1/K",
        "$K\\rho^K/(1-\\rho^K)$",
        "$(K+1)\\rho^{K+1}/(1-\\rho^{K+1})$, the textbook's",
    ),
    "service-literal": (
        "service time",
        "$\\mathrm{MSS}/C$, MSS in bytes",
        "$1/C$: eq. 4 has $C$ in packets/s",
    ),
    "p-low-formula": ("$p_l$", "$1.5/w_l^2$", "the RFC's value, which the evaluation uses"),
    "red-mm1k": (
        "$\\pi(n)$ of RED",
        "'the stationary distribution'; read as M/M/1/K of the offered load",
        "birth and death process of the packets that RED admits",
    ),
    "red-full-literal": (
        "RED's $p(K)$",
        "$p_{max}$: a full buffer still accepts packets",
        "a packet that finds the buffer full is lost",
    ),
    "red-p-max-1": ("RED's $p_{max}$", "not printed; read as one", "ns-2's default, a tenth"),
}

# the model with one place read as printed, as `errors` names it
SHORT_NAMES = {
    "taken": "none (all as read here)",
    "response-literal": "$p(w)$",
    "throughput-literal": "eq. 3",
    "throughput-literal-outside": "eq. 3, the $-1$ moved",
    "throughput-approximate": "eq. 3, second line",
    "delay-literal": "mean queue",
    "service-literal": "service time",
    "p-low-formula": "$p_l$",
    "red-mm1k": "RED's $\\pi(n)$",
    "red-full-literal": "RED's $p(K)$",
    "red-p-max-1": "RED's $p_{max}$",
}


QUEUE = {"Queue": named("aqm", queue_name)}
CODE = {"TCP": named("implementation", "`{}`".format)}  # as ns-2 names it
SOURCE = {"TCP": named("implementation", source_name)}
LINK_QUEUE = {"Link, queue": lambda row: place_name((row["bottleneck_bps"], row["aqm"]))}
BUFFER = {"Buffer (%)": named("fraction", lambda fraction: f"{100 * fraction:g}")}


@paper.table
def coverage(link_metric) -> str:
    """Return how many runs each link, queue, implementation and buffer has."""
    keys = ["n_flows", "bottleneck_bps", "aqm"]

    def buffers(runs: pl.DataFrame) -> str:
        counts = Counter(runs["fraction"].to_list())
        return ", ".join(f"{100 * fraction:g} ({n})" for fraction, n in counts.items())

    return printed(
        groups(link_metric.sort(*keys, RANK, "fraction"), *keys, "implementation"),
        {"Link": named("bottleneck_bps", link_name), "Flows": "n_flows"} | QUEUE | CODE,
        {"Runs": pl.len(), "Buffer in % of the largest (runs)": buffers},
        numeric_from=6,
    )


@paper.table
def response() -> str:
    """Return RFC 3649's table of windows beside ours, with its rounded constants and without."""
    known = pl.DataFrame([*highspeed.RFC_TABLE.items()], schema=["p", "w"], orient="row")

    def window(of: Callable[[float], object], digits: int = 1) -> Callable[[dict], str]:
        return lambda row: f"{float(of(row['p'])):,.{digits}f}"

    return printed(
        known,
        {
            "p": lambda row: scientific(row["p"], 0),
            "RFC 3649": named("w", "{:,}".format),
            "Its rounded formula": window(highspeed.rounded_window),
            "w(p), not rounded": window(highspeed.window),
            "p(w) as printed": window(partial(highspeed.window, reading="literal"), 0),
        },
        {},
        numeric_from=1,
    )


@paper.table
def comparison(buffer_cell, model_error) -> str:
    """Return every cell beside the model: utilisation with its interval, loss, cuts, error."""
    cells = many_flows(buffer_cell)
    rates = cells.pivot("metric", index=PLACE, values="mean")
    taken = model_error.filter(reading="taken")
    lost = taken.filter(metric="loss_rate")
    table = (
        taken.filter(metric="utilisation")
        .join(rates, on=PLACE)
        .join(lost.select(*PLACE, p="model"), on=PLACE)
        .sort("aqm", "bottleneck_bps", RANK, "fraction")
    )

    def of(behind: pl.DataFrame, column: str, show: Callable[..., str]) -> Callable[[dict], Cell]:
        """Return a column that is of the rows of another table in the same place."""
        return lambda row: made_of(
            behind.filter(**{key: row[key] for key in PLACE}), show(row.get(column))
        )[0]

    return printed(
        table,
        LINK_QUEUE | CODE | BUFFER,
        {
            "n": "n",
            "Utilisation (%)": fixed("measured", 1, 100),
            "Interval": _interval_of_percent,
            "Model (%)": fixed("model", 1, 100),
            "Error (points)": fixed("error", 1, 100),
            "Queue (% of buffer)": of(cells, "queue_share", whole_percent),
            "Drops per packet": of(cells, "loss_rate", scientific),
            "Cuts per packet": of(cells, "cut_rate", scientific),
            "Model's p": of(lost, "p", scientific),
        },
        numeric_from=2,
        once=2,
    )


def _interval_of_percent(row: dict) -> str:
    if row["ci_low"] is None:
        return NOTHING
    return f"{number(100 * row['ci_low'], 1)} to {number(100 * row['ci_high'], 1)}"


@paper.table
def errors(model_error) -> str:
    """Return how far each reading is from the simulation: a column a link and queue.

    A value is the mean of |measured - model| over the cells, of all implementations, in points of
    utilisation; in brackets the largest.
    """
    used = model_error.filter(pl.col("metric") == "utilisation")
    places = places_of(used)
    rows = []
    for reading in READINGS:
        cells = []
        for rate, aqm in places:
            if reading in {"droptail": OF_RED, "red": OF_DROPTAIL}[aqm]:
                cells.append("the same")
                continue
            of = used.filter(reading=reading, bottleneck_bps=rate, aqm=aqm).drop_nulls("error")
            mine = of["error"].abs()
            cells += made_of(
                of,
                f"{number(100 * mine.mean(), 1)} ({number(100 * mine.max(), 1)})"
                if len(mine)
                else "no fixed point",
            )
        rows.append([SHORT_NAMES[reading], *cells])
    counts = (
        used.filter(pl.col("reading") == "taken")
        .group_by("bottleneck_bps", "aqm", maintain_order=True)
        .len()
    )
    cells = {(rate, aqm): n for rate, aqm, n in counts.rows()}
    header = ["As printed", *(f"{place_name(p)}, {counted(cells[p], 'cell')}" for p in places)]
    return markdown_table(header, rows, numeric_from=1)


@paper.table
def readings(model_point) -> str:
    """Return the readings: place, printed, read as, and how far the literal moves the model.

    The effect is the largest change of the utilisation over all links, queues and buffers of the
    model's curves, and the factor on p at the same place.
    """
    keys = ["bottleneck_bps", "n_flows", "aqm", "fraction"]
    taken = model_point.filter(pl.col("reading") == "taken").select(
        *keys, "utilisation", "loss_rate"
    )
    rows = []
    for reading, words in READING_WORDS.items():
        mine = model_point.filter(pl.col("reading") == reading).join(
            taken, on=keys, suffix="_taken"
        )
        known = mine.drop_nulls("utilisation").with_columns(
            (pl.col("utilisation") - pl.col("utilisation_taken")).alias("change"),
            (pl.col("loss_rate") / pl.col("loss_rate_taken")).alias("factor"),
        )
        if known.is_empty():
            effect = "no fixed point anywhere"
        else:
            row = known.sort(pl.col("change").abs(), *keys, descending=[True] + [False] * 4).row(
                0, named=True
            )
            where = (
                f"{place_name((row['bottleneck_bps'], row['aqm']))}, {100 * row['fraction']:g} %"
            )
            effect = (
                f"{_signed(100 * row['change'])} points, p × {_factor(row['factor'])} ({where})"
            )
            (effect,) = made_of(row, effect)
        rows.append([*words, effect])
    header = ["Place", "Printed", "Read as", "Largest effect of the printed one"]
    return markdown_table(header, rows, numeric_from=len(header))


def _signed(points: float) -> str:
    text = number(points, 2)
    if not float(text.replace("−", "-")):
        return "less than ± 0.01"
    return text if points < 0 else f"+{text}"


def _factor(value: float) -> str:
    return f"{value:.2g}" if value < 100 else f"{value:,.0f}"


@paper.table
def offered(published, links, fractions, packet_bytes) -> str:
    """Return what the flows would offer at the loss rates that the paper prints, with no queue."""
    places = configured_places(links, fractions, packet_bytes)
    links = places.unique("bottleneck_bps", maintain_order=True).select(
        "bottleneck_bps", "rtt_s", "packet_bytes"
    )
    used = printed_values(published).filter(quantity="loss_rate")

    def capacity_pps(row: dict) -> float:
        return row["bottleneck_bps"] / 8 / row["packet_bytes"]

    def load(row: dict) -> float:
        rates = [float(highspeed.throughput(row["value"], rtt)) for rtt in row["rtt_s"]]
        return sum(rates) / capacity_pps(row)

    def needed(row: dict) -> float:
        return capacity_pps(row) / sum(1 / rtt for rtt in row["rtt_s"])

    return printed(
        used.join(links, on="bottleneck_bps", maintain_order="left"),
        LINK_QUEUE
        | {
            "Printed p": lambda row: scientific(row["value"], 0),
            "w(p) (packets)": lambda row: f"{float(highspeed.window(row['value'])):,.0f}",
            "Offered load / capacity": lambda row: percent(load(row)),
            "Window that would fill the link (packets)": lambda row: f"{needed(row):,.0f}",
            "p at that window": lambda row: scientific(float(highspeed.loss_rate(needed(row)))),
        },
        {},
        numeric_from=1,
    )


@paper.table
def published(published, model_point, buffer_cell) -> str:
    """Return the printed values beside ours: the model's and each implementation's.

    A range of buffers has the smallest and the largest value over it.
    """
    cells = many_flows(buffer_cell)
    names = sources_of(cells)
    taken = model_point.filter(pl.col("reading") == "taken")
    rows = []
    for row in printed_values(published).rows(named=True):
        here = (
            (pl.col("bottleneck_bps") - row["bottleneck_bps"]).abs() < 1,
            pl.col("aqm") == row["aqm"],
            pl.col("fraction").is_between(row["low"] - 1e-9, row["high"] + 1e-9),
        )
        show = percent if row["quantity"] == "utilisation" else scientific
        ours = cells.filter(*here, pl.col("metric") == row["quantity"])
        by_name = (ours.filter(pl.col("implementation") == name) for name in names)
        buffers = f"{100 * row['low']:g}"
        buffers += "" if row["low"] == row["high"] else f" to {100 * row['high']:g}"
        value = show(row["value"]) if show is percent else scientific(row["value"], 0)
        rows.append(
            [
                f"{_item(row['item'])}, {place_name((row['bottleneck_bps'], row['aqm']))}",
                row["quantity"].replace("_", " "),
                buffers,
                f"{WORDS_OF_PRINT.get(row['statistic'], row['statistic'])} {value}",
                *made_of(of := taken.filter(*here), _range(of[row["quantity"]], show)),
                *(made_of(t, _range(t["mean"], show, t["n"]))[0] for t in by_name),
            ]
        )
    header = ["Place", "Quantity", "Buffer (%)", "Printed", *map(source_name, (MODEL, *names))]
    return markdown_table(header, rows, numeric_from=len(header))


def _item(item: str) -> str:
    return item.replace("fig", "Fig. ")


def _range(values: pl.Series, show, n: pl.Series | None = None) -> str:
    values = values.drop_nulls()
    if values.is_empty():
        return NOTHING
    low, high = show(values.min()), show(values.max())
    text = low if low == high else f"{low} to {high}"
    return text if n is None else f"{text} (n = {span_of(n)})"


@paper.table
def claims(claim) -> str:
    """Return the scorecard: a row a claim, a column a source; the numbers are in `evidence`.

    Sources with slow senders, of two buffers only, are there, too.
    """
    names = {k: v for k, v in _sources(claim).items() if not k.endswith(SLOW)}
    return scorecard(claim, names)


@paper.table
def outcome_counts(claim) -> str:
    """Return how many of the original's claims have which outcome, a row a source."""

    def count(outcome: str) -> Callable[[pl.DataFrame], str]:
        return lambda mine: str(count_outcomes(mine)[outcome])

    sources = {name: claim.filter(subject=subject) for subject, name in _sources(claim).items()}
    counts = {outcome: count(outcome) for outcome in OUTCOMES}
    total = {"of": lambda mine: str(sum(count_outcomes(mine).values()))}
    return labelled(sources, "", counts | total)


@paper.table
def evidence(claim) -> str:
    """Return what each sentence of the original measured, a row a case."""
    return case_numbers(claim, _sources(claim), on="Source")


@paper.table
def findings(claim) -> str:
    """Return findings of our own, a row a case."""
    return case_numbers(claim, _sources(claim), own=True, on="Source")


def _sources(claim: pl.DataFrame) -> dict[str, str]:
    """Return {source: its name in print} of a table of claims, in order."""
    found = sources_of(claim, "subject")
    return {name: source_name(name) for name in found}


@paper.table
def completeness(completeness, paper_name) -> str:
    """Return what of the original is here, and why not."""
    return completeness_table(completeness, f"reports/{paper_name}/completeness.csv")


@paper.table
def named_buffers(buffer_cell, model_point) -> str:
    """Return utilisation at the buffers that the original names, a tenth and a fifth."""
    cells = many_flows(buffer_cell).filter(metric="utilisation")
    taken = model_point.filter(reading="taken")
    names = sources_of(cells)
    rows = []
    for fraction, place in product(NAMED, places_of(taken)):
        near = (pl.col("fraction") - fraction).abs() < 1e-9
        here = {"bottleneck_bps": place[0], "aqm": place[1]}
        modelled = taken.filter(near, **here)
        rows.append([f"{100 * fraction:g}", place_name(place)])
        rows[-1] += made_of(modelled, fixed("utilisation", 1, 100)(modelled))
        rows[-1] += [_with_interval(cells.filter(near, **here, implementation=n)) for n in names]
    header = ["Buffer (%)", "Link, queue", *map(source_name, (MODEL, *names))]
    return markdown_table(header, rows, numeric_from=2)


NAMED = (0.1, 0.2)  # buffers that the original's text names


def _with_interval(cell: pl.DataFrame) -> str:
    """Return a share of a cell in %: '92.8 (90.8 to 94.8), n = 3'; a dash without the cell."""
    if cell.is_empty():
        return NOTHING
    row = cell.row(0, named=True)
    text = with_interval(row["mean"], row["ci_low"], row["ci_high"], 1, 100)
    return made_of(row, f"{text}, n = {row['n']}")[0]


@paper.table
def crossed(crossed_cell) -> str:
    """Return utilisation in %: a row an implementation and buffer, a column a rate and RTTs."""
    links = crossed_cell.select("bottleneck_bps", *SETS).unique(maintain_order=True)
    links = links.sort("bottleneck_bps", "spread_ms").rows()
    rows = []
    for (implementation, fraction), of in crossed_cell.sort(RANK, "fraction").group_by(
        "implementation", "fraction", maintain_order=True
    ):
        cells = [_with_interval(of.filter(bottleneck_bps=r, rtts=rtts)) for r, _, rtts in links]
        rows.append([source_name(implementation), f"{100 * fraction:g} %", *cells])
    header = ["Source", "Buffer", *(f"{link_name(rate)}, {rtts}" for rate, _, rtts in links)]
    return markdown_table(header, rows or [["none made yet", NOTHING]], numeric_from=1)


@paper.table
def shares(link_metric, flow, flow_metric, shares_at) -> str:
    """Return how the flows share the link where implementations differ, a row a source and queue.

    Throughputs are means over the runs.
    """
    runs = flow_shares(link_metric, flow, flow_metric, shares_at)
    n = pl.col("run_id").n_unique()
    return printed(
        groups(runs.sort("aqm", RANK, "base_rtt_s"), "aqm", "implementation"),
        QUEUE | SOURCE,
        {
            "Runs": n,
            "Shortest RTT (Mb/s)": fixed(pl.col("mbps").filter(SHORTEST).mean(), 0),
            "Its share (%)": fixed(pl.col("share").filter(SHORTEST).mean(), 0, 100),
            "The others (Mb/s)": fixed(pl.col("mbps").filter(~SHORTEST).sum() / n, 0),
            "Jain's index": fixed(pl.col("jfi").mean(), 2),
            "Largest drift (points)": fixed(pl.col("drift").max(), 0, 100),
        },
        none="no runs",
    )


@paper.table
def ablation(buffer_cell) -> str:
    """Return utilisation of the fast link at a tenth of the buffer with one thing changed, and
    without."""
    cells = buffer_cell.filter(metric="utilisation")

    def unchanged(changed: pl.DataFrame) -> str:
        others = cells.filter(implementation=changed["tcp"].item())
        return _with_interval(others.join(changed, on=[*LINK, "fraction"], how="semi"))

    return printed(
        changed_runs(cells).sort("changed", RANK, "implementation").iter_slices(1),
        {"TCP": "tcp", "Changed": named("changed", lambda what: CHANGES.get(what, what))},
        {"Utilisation (%)": _with_interval, "Unchanged (%)": unchanged},
        none="none made yet",
    )


CHANGES = {"starts": "start times of the other's runs", "slow-start": "no limited slow start"}


@paper.table
def losses(buffer_cell, model_error) -> str:
    """Return drops and cuts a packet over the model's p, a row a source: median and range."""

    def of(metric: str) -> Callable[[pl.DataFrame], str]:
        def cell(part: pl.DataFrame) -> str:
            mine = part.filter(metric=metric)
            return made_of(mine, _median_and_range(mine["ratio"]))[0]

        return cell

    return printed(
        groups(rate_ratios(buffer_cell, model_error), "implementation"),
        SOURCE,
        {
            "Cells": pl.struct("bottleneck_bps", "aqm", "fraction").n_unique(),
            "Drop rate / model's p": of("loss_rate"),
            "Cut rate / model's p": of("cut_rate"),
        },
        none="no runs",
    )


def _median_and_range(values: pl.Series) -> str:
    return f"{number(values.median(), 1)} ({span_of(values, 1)})" if len(values) else NOTHING


@paper.table
def two_flows(link_metric, flow, flow_metric) -> str:
    """Return the runs of two flows, a row a run: throughput, ratio, Jain's index, utilisation."""
    two = two_flow_runs(link_metric, flow, flow_metric).with_columns(
        ratio=pl.when(pl.col("long_bps") != 0).then(pl.col("short_bps") / pl.col("long_bps"))
    )
    return printed(
        two,
        CODE | {"Buffer (packets)": lambda row: f"{row['k']:,} ({100 * row['fraction']:g} %)"},
        {
            "Long RTT (Mb/s)": fixed("long_bps", 1, 1e-6),
            "Short RTT (Mb/s)": fixed("short_bps", 1, 1e-6),
            "Short / long": fixed("ratio", 2),
            "JFI": fixed("jfi", 3),
            "Utilisation (%)": fixed("utilisation", 1, 100),
            "Drops per packet": named("loss_rate", scientific),
        },
        numeric_from=1,
        none="no runs",
    )


@paper.table
def sensitivity(buffer_sensitivity, link_metric) -> str:
    """Return how utilisation and loss rate move with the start of the steady state."""
    kept = link_metric.select("run_id", kept="utilisation")
    table = buffer_sensitivity.join(kept, on="run_id")
    means = table.group_by("start", maintain_order=True).agg(pl.col("warmup_s").mean())
    starts = means.sort(pl.col("start") == "MSER-5", "warmup_s")
    moved = (pl.col("utilisation") - pl.col("kept")).abs().max()

    def start(runs: pl.DataFrame) -> str:
        at = runs["start"][0]
        return f"{at} ({runs['warmup_s'].mean():.0f} on average)" if at == "MSER-5" else at

    return printed(
        groups(in_order(table, start=starts["start"]), "start"),
        {"Steady state from (s)": start},
        {
            "Runs": pl.len(),
            "Mean utilisation (%)": fixed(pl.col("utilisation").mean(), 2, 100),
            "Mean loss rate": named(pl.col("loss_rate").mean(), scientific),
            "Largest change of a run (points)": fixed(moved, 2, 100),
        },
    )


@paper.table
def deviations(authors, run, flow, link_metric, parts) -> str:
    """Return what the authors did, and what this run did."""
    return deviation_table(authors, {parts["simulation"]: facts(run, flow, link_metric)})


@paper.table
def sources(about, parts) -> str:
    """Return where the data are from."""
    return source_list({parts["simulation"]: about})


def facts(runs: pl.DataFrame, flows: pl.DataFrame, placed: pl.DataFrame) -> dict[str, str]:
    """Return what can be said of the data set in the words of the table of deviations.

    Args:
        runs, flows: the tables `run` and `flow`.
        placed: the paper's table link_metric.
    """
    many = many_flows(placed)
    two = placed.filter(pl.col("n_flows") == 2)
    rtts = flows.join(placed.select("run_id", "bottleneck_bps", "n_flows"), on="run_id")
    starts = flows["start_s"]
    tools = runs.select("tool", "tool_version").unique().sort("tool", "tool_version").rows()
    parameters = highspeed.RFC3649
    return {
        "platform": ", ".join(" ".join(filter(None, tool)) for tool in tools) or NOTHING,
        "implementation": ", ".join(f"`{n}`" for n in _sorted(placed["implementation"])),
        "parameters": f"{parameters.w_high:g}, {parameters.w_low:g}, "
        f"{scientific(parameters.p_high, 0)}, {scientific(parameters.p_low, 0)} (the model)",
        "flows": listed(many["n_flows"].cast(pl.Float64)) or NOTHING,
        "links": ", ".join(link_name(r) for r in _sorted(many["bottleneck_bps"])) or NOTHING,
        "rtts": _rtts(rtts.filter(pl.col("n_flows") > 2)),
        "largest": _largest(many),
        "access": _access(runs),
        "fractions": f"{listed(many['fraction'] * 100)} %" if len(many) else NOTHING,
        "packets": f"{listed(placed['packet_bytes'].cast(pl.Float64))} bytes",
        "queues": ", ".join(queue_name(a) for a in _sorted(placed["aqm"])),
        "two_flows": _largest(two) + f"; RTT {_rtts(rtts.filter(pl.col('n_flows') == 2))}",
        "starts": f"{span_of(starts, 1)} s, drawn from the seed",
        "repeats": span_of(many.group_by("scenario_id", maintain_order=True).len()["len"])
        if len(many)
        else NOTHING,
        "runs": f"{len(placed)} with the original's links, {len(runs)} in all",
        "duration": f"{listed(runs['duration_s'])} s",
        "window": f"{listed(placed['warmup_s'])} s",
    }


def _access(runs: pl.DataFrame) -> str:
    """Return the senders' links, where the runs say them."""
    return ", ".join(map(link_name, access_rates(runs))) or NOTHING


def _sorted(values: pl.Series) -> list:
    return values.unique().sort().to_list()


def _rtts(flows: pl.DataFrame) -> str:
    parts = []
    for (rate,), part in (
        flows.sort("bottleneck_bps")
        .partition_by("bottleneck_bps", as_dict=True, maintain_order=True)
        .items()
    ):
        ms = part["base_rtt_s"] * 1000
        parts.append(f"{ms.min():g} to {ms.max():g} ms ({link_name(rate)})")
    return "; ".join(parts) or NOTHING


def _largest(placed: pl.DataFrame) -> str:
    parts = []
    for (rate,), part in (
        placed.sort("bottleneck_bps", "k")
        .partition_by("bottleneck_bps", as_dict=True, maintain_order=True)
        .items()
    ):
        last = part.sort("fraction").row(-1, named=True)  # the least rounded
        parts.append(f"{last['k'] / last['fraction']:.0f} packets ({link_name(rate)})")
    return "; ".join(parts) or NOTHING
