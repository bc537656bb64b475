"""The tables in print of hstcp-buffers' report."""

from __future__ import annotations

import polars as pl
from evenflow.claims.judge import count_outcomes
from evenflow.claims.scorecard import case_numbers, scorecard
from evenflow.markdown import (
    NOTHING,
    STATISTIC,
    listed,
    markdown_table,
    number,
    percent,
    scientific,
    span_of,
)
from evenflow.papers import paper
from evenflow.papers.completeness import completeness_table
from evenflow.reporting.setups import deviation_table, source_list
from evenflow.statistics.outcomes import OUTCOMES

from . import highspeed
from .design import (
    MODEL,
    PLACE,
    RANK,
    SHORTEST,
    SLOW,
    access_rates,
    changed_runs,
    configured_places,
    flow_shares,
    in_source_order,
    link_name,
    many_flows,
    place_name,
    places_of,
    printed_values,
    queue_name,
    rate_ratios,
    source_name,
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


@paper.table
def coverage(link_metric) -> str:
    """Return how many runs each link, queue, implementation and buffer has."""
    rows = []
    keys = ["n_flows", "bottleneck_bps", "aqm", "implementation"]
    groups = link_metric.group_by(*keys, "fraction").len().sort(*keys[:3], RANK, "fraction")
    for (n_flows, rate, aqm, name), part in groups.partition_by(
        keys, as_dict=True, maintain_order=True
    ).items():
        buffers = ", ".join(f"{100 * f:g} ({n})" for f, n in part.select("fraction", "len").rows())
        total = str(part["len"].sum())
        rows.append([link_name(rate), str(n_flows), queue_name(aqm), f"`{name}`", total, buffers])
    header = ["Link", "Flows", "Queue", "TCP", "Runs", "Buffer in % of the largest (runs)"]
    return markdown_table(header, rows, numeric_from=len(header))


@paper.table
def response() -> str:
    """Return RFC 3649's table of windows beside ours, with its rounded constants and without."""
    rows = [
        [
            scientific(p, 0),
            f"{w:,}",
            f"{float(highspeed.rounded_window(p)):,.1f}",
            f"{float(highspeed.window(p)):,.1f}",
            f"{float(highspeed.window(p, reading='literal')):,.0f}",
        ]
        for p, w in highspeed.RFC_TABLE.items()
    ]
    header = ["p", "RFC 3649", "Its rounded formula", "w(p), not rounded", "p(w) as printed"]
    return markdown_table(header, rows, numeric_from=1)


@paper.table
def comparison(buffer_cell, model_error) -> str:
    """Return every cell beside the model: utilisation with its interval, loss, cuts, error."""
    rates = many_flows(buffer_cell).pivot("metric", index=PLACE, values="mean")
    used = model_error.filter(pl.col("reading") == "taken", pl.col("metric") == "utilisation")
    lost = model_error.filter(pl.col("reading") == "taken", pl.col("metric") == "loss_rate")
    table = (
        used.join(rates, on=PLACE)
        .join(lost.select(*PLACE, pl.col("model").alias("p")), on=PLACE)
        .sort("aqm", "bottleneck_bps", RANK, "fraction")
    )
    rows: list[list[str]] = []
    above = None
    for row in table.rows(named=True):
        here = place_name((row["bottleneck_bps"], row["aqm"])), f"`{row['implementation']}`"
        names = ("", "") if here == above else here  # once a group of rows
        above = here
        interval = NOTHING
        if row["ci_low"] is not None:
            interval = f"{number(100 * row['ci_low'], 1)} to {number(100 * row['ci_high'], 1)}"
        error = None if row["error"] is None else 100 * row["error"]
        model = None if row["model"] is None else 100 * row["model"]
        rows.append(
            [
                *names,
                f"{100 * row['fraction']:g}",
                str(row["n"]),
                number(100 * row["measured"], 1),
                interval,
                number(model, 1),
                number(error, 1),
                number(100 * row["queue_share"], 0) if row.get("queue_share") is not None else "–",
                scientific(row.get("loss_rate")),
                scientific(row.get("cut_rate")),
                scientific(row["p"]),
            ]
        )
    header = ["Link, queue", "TCP", "Buffer (%)", "n", "Utilisation (%)", "Interval"]
    header += ["Model (%)", "Error (points)", "Queue (% of buffer)", "Drops per packet"]
    header += ["Cuts per packet", "Model's p"]
    return markdown_table(header, rows, numeric_from=2)


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
            mine = used.filter(
                pl.col("reading") == reading,
                pl.col("bottleneck_bps") == rate,
                pl.col("aqm") == aqm,
            )["error"].drop_nulls()
            cells.append(
                f"{number(100 * mine.abs().mean(), 1)} ({number(100 * mine.abs().max(), 1)})"
                if len(mine)
                else "no fixed point"
            )
        rows.append([SHORT_NAMES[reading], *cells])
    counts = (
        used.filter(pl.col("reading") == "taken")
        .group_by("bottleneck_bps", "aqm", maintain_order=True)
        .len()
    )
    cells = {(rate, aqm): n for rate, aqm, n in counts.rows()}
    header = ["As printed", *(f"{place_name(p)}, {_cells(cells[p])}" for p in places)]
    return markdown_table(header, rows, numeric_from=1)


def _cells(n: int) -> str:
    return f"{n} cell" if n == 1 else f"{n} cells"


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
    used = printed_values(published).filter(pl.col("quantity") == "loss_rate")
    rows = []
    for row in used.join(links, on="bottleneck_bps", maintain_order="left").rows(named=True):
        capacity_pps = row["bottleneck_bps"] / 8 / row["packet_bytes"]
        rates = [float(highspeed.throughput(row["value"], rtt)) for rtt in row["rtt_s"]]
        need = capacity_pps / sum(1 / rtt for rtt in row["rtt_s"])
        rows.append(
            [
                place_name((row["bottleneck_bps"], row["aqm"])),
                scientific(row["value"], 0),
                f"{float(highspeed.window(row['value'])):,.0f}",
                percent(sum(rates) / capacity_pps),
                f"{need:,.0f}",
                scientific(float(highspeed.loss_rate(need))),
            ]
        )
    header = ["Link, queue", "Printed p", "w(p) (packets)", "Offered load / capacity"]
    header += ["Window that would fill the link (packets)", "p at that window"]
    return markdown_table(header, rows, numeric_from=1)


@paper.table
def published(published, model_point, buffer_cell) -> str:
    """Return the printed values beside ours: the model's and each implementation's.

    A range of buffers has the smallest and the largest value over it.
    """
    cells = many_flows(buffer_cell)
    names = in_source_order(cells["implementation"].unique(maintain_order=True).to_list())
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
                f"{STATISTIC.get(row['statistic'], row['statistic'])} {value}",
                _range(taken.filter(*here)[row["quantity"]], show),
                *(_range(t["mean"], show, t["n"]) for t in by_name),
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
    rows = []
    for subject, name in _sources(claim).items():
        n = count_outcomes(claim.filter(pl.col("subject") == subject))
        rows.append([name, *(str(n[said]) for said in OUTCOMES), str(sum(n.values()))])
    return markdown_table(["", *OUTCOMES, "of"], rows, numeric_from=1)


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
    found = in_source_order(claim["subject"].unique(maintain_order=True).to_list())
    return {name: source_name(name) for name in found}


@paper.table
def completeness(completeness, paper_name) -> str:
    """Return what of the original is here, and why not."""
    return completeness_table(completeness, f"reports/{paper_name}/completeness.csv")


@paper.table
def named_buffers(buffer_cell, model_point) -> str:
    """Return utilisation at the buffers that the original names, a tenth and a fifth."""
    cells = many_flows(buffer_cell).filter(pl.col("metric") == "utilisation")
    taken = model_point.filter(pl.col("reading") == "taken")
    names = in_source_order(cells["implementation"].unique(maintain_order=True).to_list())
    rows = []
    for fraction in NAMED:
        near = (pl.col("fraction") - fraction).abs() < 1e-9
        for place in places_of(taken):
            here = (near, pl.col("bottleneck_bps") == place[0], pl.col("aqm") == place[1])
            model = taken.filter(*here)["utilisation"]
            said = (cells.filter(*here, pl.col("implementation") == name) for name in names)
            rows.append(
                [
                    f"{100 * fraction:g}",
                    place_name(place),
                    number(100 * model[0], 1) if len(model) else NOTHING,
                    *(_with_interval(cell) for cell in said),
                ]
            )
    header = ["Buffer (%)", "Link, queue", *map(source_name, (MODEL, *names))]
    return markdown_table(header, rows, numeric_from=2)


NAMED = (0.1, 0.2)  # buffers that the original's text names


def _with_interval(cell: pl.DataFrame) -> str:
    """Return a share of a cell in %: '92.8 (90.8 to 94.8), n = 3'; a dash without the cell."""
    if cell.is_empty():
        return NOTHING
    row = cell.row(0, named=True)
    text = number(100 * row["mean"], 1)
    if row["ci_low"] is not None:
        text += f" ({number(100 * row['ci_low'], 1)} to {number(100 * row['ci_high'], 1)})"
    return f"{text}, n = {row['n']}"


@paper.table
def shares(link_metric, flow, flow_metric, shares_at) -> str:
    """Return how the flows share the link where implementations differ, a row a source and queue.

    Throughputs are means over the runs.
    """
    runs = flow_shares(link_metric, flow, flow_metric, shares_at)
    keys = ["aqm", "implementation"]
    rows = []
    for (aqm, name), part in (
        runs.sort("aqm", RANK, "base_rtt_s")
        .partition_by(keys, as_dict=True, maintain_order=True)
        .items()
    ):
        first = part.filter(SHORTEST)
        others = part.filter(~SHORTEST)
        n = part["run_id"].n_unique()
        rows.append(
            [
                queue_name(aqm),
                source_name(name),
                str(n),
                number(first["mbps"].mean(), 0),
                number(100 * first["share"].mean(), 0),
                number(others["mbps"].sum() / n, 0),
                number(part["jfi"].mean(), 2),
                number(100 * part["drift"].max(), 0),
            ]
        )
    header = ["Queue", "TCP", "Runs", "Shortest RTT (Mb/s)", "Its share (%)", "The others (Mb/s)"]
    header += ["Jain's index", "Largest drift (points)"]
    return markdown_table(header, rows or [["no runs"] + [NOTHING] * 7], numeric_from=2)


@paper.table
def ablation(buffer_cell) -> str:
    """Return utilisation of the fast link at a tenth of the buffer with one thing changed."""
    rows = []
    ours = changed_runs(buffer_cell).filter(pl.col("metric") == "utilisation")
    for row in ours.sort("changed", RANK, "implementation").iter_slices(1):
        said = row.row(0, named=True)
        words = CHANGES.get(said["changed"], said["changed"])
        rows.append([said["tcp"], words, _with_interval(row)])
    rows = rows or [["none made yet", NOTHING, NOTHING]]
    return markdown_table(["TCP", "Changed", "Utilisation (%)"], rows, numeric_from=2)


CHANGES = {"starts": "the start times of the other", "slow-start": "no limited slow start"}


@paper.table
def losses(buffer_cell, model_error) -> str:
    """Return drops and cuts a packet over the model's p, a row a source: median and range."""
    ratios = rate_ratios(buffer_cell, model_error)
    rows = []
    for (name,), part in ratios.partition_by(
        "implementation", as_dict=True, maintain_order=True
    ).items():
        of_metric = (part.filter(pl.col("metric") == m)["ratio"] for m in ("loss_rate", "cut_rate"))
        rows.append(
            [
                source_name(name),
                str(part.select("bottleneck_bps", "aqm", "fraction").n_unique()),
                *(f"{number(r.median(), 1)} ({span_of(r, 1)})" if len(r) else NOTHING
                  for r in of_metric),
            ]
        )  # fmt: skip
    header = ["TCP", "Cells", "Drop rate / model's p", "Cut rate / model's p"]
    return markdown_table(header, rows or [["no runs"] + [NOTHING] * 3], numeric_from=1)


@paper.table
def two_flows(link_metric, flow, flow_metric) -> str:
    """Return the runs of two flows, a row a run: throughput, ratio, Jain's index, utilisation."""
    two = two_flow_runs(link_metric, flow, flow_metric)
    rows = [
        [
            f"`{row['implementation']}`",
            f"{row['k']:,} ({100 * row['fraction']:g} %)",
            number(row["long_bps"] / 1e6, 1),
            number(row["short_bps"] / 1e6, 1),
            number(row["short_bps"] / row["long_bps"], 2) if row["long_bps"] else NOTHING,
            number(row["jfi"], 3),
            number(100 * row["utilisation"], 1),
            scientific(row["loss_rate"]),
        ]
        for row in two.rows(named=True)
    ]
    header = ["TCP", "Buffer (packets)", "Long RTT (Mb/s)", "Short RTT (Mb/s)", "Short / long"]
    header += ["JFI", "Utilisation (%)", "Drops per packet"]
    return markdown_table(header, rows or [["no runs"] + [NOTHING] * 7], numeric_from=1)


@paper.table
def sensitivity(buffer_sensitivity, link_metric) -> str:
    """Return how utilisation and loss rate move with the start of the steady state."""
    table = buffer_sensitivity.join(
        link_metric.select("run_id", pl.col("utilisation").alias("kept")), on="run_id"
    ).with_columns((pl.col("utilisation") - pl.col("kept")).abs().alias("moved"))
    starts = table.group_by("start", maintain_order=True).agg(
        pl.len(),
        pl.col("warmup_s").mean(),
        pl.col("utilisation").mean(),
        pl.col("loss_rate").mean(),
        pl.col("moved").max(),
    )
    rows = [
        [
            row["start"]
            if row["start"] != "MSER-5"
            else f"MSER-5 ({row['warmup_s']:.0f} on average)",
            str(row["len"]),
            number(100 * row["utilisation"], 2),
            scientific(row["loss_rate"]),
            number(100 * row["moved"], 2),
        ]
        for row in starts.sort(pl.col("start") == "MSER-5", "warmup_s").rows(named=True)
    ]
    header = ["Steady state from (s)", "Runs", "Mean utilisation (%)", "Mean loss rate"]
    header += ["Largest change of a run (points)"]
    return markdown_table(header, rows, numeric_from=1)


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
        "runs": str(len(placed)),
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
