"""The tables and numbers of hstcp-buffers' report, as markdown and formatted strings."""

from __future__ import annotations

import json

import polars as pl

from . import hstcp
from .buffer_claims import Series, percent, scientific
from .buffers import PLACE, RANK, link_name, places_of, queue_name
from .charts.theme import in_source_order, source_name
from .errors import DataError
from .hstcp_model import OF_DROPTAIL, OF_RED, READINGS
from .markdown import NOTHING, markdown_table, number, span_of
from .roles import listed

MODEL = "Model"
# RFC 3649, section 5: loss rate to average window (packets)
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
        "birth and death process of what RED lets in",
    ),
    "red-full-literal": (
        "RED's $p(K)$",
        "$p_{max}$: a full buffer takes packets in",
        "a packet that finds it full is lost",
    ),
    "red-p-max-1": ("RED's $p_{max}$", "not printed; read as one", "ns-2's default, a tenth"),
}

SHORT_NAMES = {
    "taken": "all as taken",
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


def place_name(place: tuple[float, str]) -> str:
    """Return a link and queue in print: '1 Gb/s, DropTail'."""
    return f"{link_name(place[0])}, {queue_name(place[1])}"


def series_by_place(
    model: pl.DataFrame, cells: pl.DataFrame, errors: pl.DataFrame
) -> dict[tuple, dict[str, Series]]:
    """Return what `buffer_claims.claims_table` tests: {place: {source: its series}}.

    Args:
        model: `buffers.model_points`, the reading taken is selected here.
        cells: `buffers.buffer_cells`.
        errors: `buffers.model_errors`.
    """
    columns = ["fraction", "mean", "ci_low", "ci_high", "n"]
    taken = model.filter(pl.col("reading") == "taken").sort("fraction")
    nothing = [pl.lit(None, dtype=pl.Float64).alias(name) for name in ("ci_low", "ci_high")]
    found: dict = {}
    for place in places_of(taken, cells):
        mine = taken.filter(pl.col("bottleneck_bps") == place[0], pl.col("aqm") == place[1])
        curves = (
            mine.select("fraction", pl.col(name).alias("mean"), *nothing, n=pl.lit(None, pl.Int64))
            for name in ("utilisation", "loss_rate")
        )
        found[place] = {MODEL: Series(*curves, errors.clear())}
    names = in_source_order(cells["implementation"].unique().to_list())
    for place in found:
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
            found[place][source_name(name)] = Series(*tables, taken_error)
    return found


def coverage_table(placed: pl.DataFrame) -> str:
    """Return how many runs each link, queue, implementation and buffer has."""
    rows = []
    keys = ["n_flows", "bottleneck_bps", "aqm", "implementation"]
    groups = placed.group_by(*keys, "fraction").len().sort(*keys[:3], RANK, "fraction")
    for (n_flows, rate, aqm, name), part in groups.partition_by(
        keys, as_dict=True, maintain_order=True
    ).items():
        buffers = ", ".join(f"{100 * f:g} ({n})" for f, n in part.select("fraction", "len").rows())
        total = str(part["len"].sum())
        rows.append([link_name(rate), str(n_flows), queue_name(aqm), f"`{name}`", total, buffers])
    header = ["Link", "Flows", "Queue", "TCP", "Runs", "Buffer in % of the largest (runs)"]
    return markdown_table(header, rows, numeric_from=len(header))


def response_table() -> str:
    """Return RFC 3649's table of windows beside ours, with its rounded constants and without."""
    rows = [
        [
            scientific(p, 0),
            f"{w:,}",
            f"{float(hstcp.rounded_window(p)):,.1f}",
            f"{float(hstcp.window(p)):,.1f}",
            f"{float(hstcp.window(p, reading='literal')):,.0f}",
        ]
        for p, w in RFC_TABLE.items()
    ]
    header = ["p", "RFC 3649", "its rounded formula", "w(p), not rounded", "p(w) as printed"]
    return markdown_table(header, rows, numeric_from=1)


def comparison_table(cells: pl.DataFrame, errors: pl.DataFrame) -> str:
    """Return every cell beside the model: utilisation with its interval, loss, cuts, error."""
    rates = cells.pivot("metric", index=[*PLACE], values="mean")
    used = errors.filter(pl.col("reading") == "taken", pl.col("metric") == "utilisation")
    lost = errors.filter(pl.col("reading") == "taken", pl.col("metric") == "loss_rate")
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
    header += ["Model (%)", "Error (points)", "Queue (% of buffer)", "Drops a packet"]
    header += ["Cuts a packet", "Model's p"]
    return markdown_table(header, rows, numeric_from=2)


def error_table(errors: pl.DataFrame) -> str:
    """Return how far each reading is from the simulation: a column a link and queue.

    A value is the mean of |measured - model| over the cells, of all implementations, in points of
    utilisation; in brackets the largest.
    """
    used = errors.filter(pl.col("metric") == "utilisation")
    places = places_of(used)
    rows = []
    for reading in READINGS:
        cells = []
        for rate, aqm in places:
            if reading in {"droptail": OF_RED, "red": OF_DROPTAIL}[aqm]:
                cells.append("as taken")
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
        rows.append([reading_name(reading), *cells])
    counts = used.filter(pl.col("reading") == "taken").group_by("bottleneck_bps", "aqm").len()
    cells = {(rate, aqm): n for rate, aqm, n in counts.rows()}
    header = ["As printed", *(f"{place_name(p)}, {_cells(cells[p])}" for p in places)]
    return markdown_table(header, rows, numeric_from=1)


def _cells(n: int) -> str:
    return f"{n} cell" if n == 1 else f"{n} cells"


def reading_name(reading: str) -> str:
    """Return a reading's short name: of the model with this one place read as printed."""
    return SHORT_NAMES[reading]


def reading_table(model: pl.DataFrame) -> str:
    """Return the readings: place, printed, read as, and how far the literal moves the model.

    The effect is the largest change of the utilisation over all links, queues and buffers of the
    model's curves, and the factor on p at the same place.
    """
    keys = ["bottleneck_bps", "n_flows", "aqm", "fraction"]
    taken = model.filter(pl.col("reading") == "taken").select(*keys, "utilisation", "loss_rate")
    rows = []
    for reading, words in READING_WORDS.items():
        mine = model.filter(pl.col("reading") == reading).join(taken, on=keys, suffix="_taken")
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


def offered_table(printed: pl.DataFrame, places: pl.DataFrame) -> str:
    """Return what the flows would offer at the loss rates that the paper prints, with no queue.

    Args:
        printed: `read_printed`; its rows of the quantity loss_rate are used.
        places: `buffers.configured_places`.
    """
    links = places.unique("bottleneck_bps").select("bottleneck_bps", "rtt_s", "packet_bytes")
    used = printed.filter(pl.col("quantity") == "loss_rate")
    rows = []
    for row in used.join(links, on="bottleneck_bps", maintain_order="left").rows(named=True):
        capacity_pps = row["bottleneck_bps"] / 8 / row["packet_bytes"]
        rates = [float(hstcp.throughput(row["value"], rtt)) for rtt in row["rtt_s"]]
        need = capacity_pps / sum(1 / rtt for rtt in row["rtt_s"])
        rows.append(
            [
                place_name((row["bottleneck_bps"], row["aqm"])),
                scientific(row["value"], 0),
                f"{float(hstcp.window(row['value'])):,.0f}",
                percent(sum(rates) / capacity_pps),
                f"{need:,.0f}",
                scientific(float(hstcp.loss_rate(need))),
            ]
        )
    header = ["Link, queue", "Printed p", "w(p) (packets)", "Offered, of the capacity"]
    header += ["Window that fills the link", "p of that window"]
    return markdown_table(header, rows, numeric_from=1)


CASE = (
    r"^(?P<gbps>[\d.]+)Gbps-(?P<delay_ms>\d+)ms(-(?P<aqm>droptail|red))?"
    r"-buffer-(?P<low>\d+)(to(?P<high>\d+))?pct$"
)


def read_printed(path: str) -> pl.DataFrame:
    """Read published.csv: utilisation and loss rates by link, queue and range of the buffer.

    Returns:
        item, quantity, statistic, value, where, bottleneck_bps, aqm (DropTail where the case names
        none), low, high (the buffer's range as fractions).

    Raises:
        DataError: a case of another form.
    """
    table = pl.read_csv(path, schema_overrides={"unit": pl.String})
    bad = table.filter(~pl.col("case").str.contains(CASE))["case"]
    if len(bad):
        remedy = "write '1Gbps-50ms-red-buffer-10to100pct'"
        raise DataError(f"unknown case '{bad[0]}'", path=path, remedy=remedy)
    part = pl.col("case").str.extract_groups(CASE).struct
    return table.with_columns(
        (part.field("gbps").cast(pl.Float64) * 1e9).alias("bottleneck_bps"),
        part.field("aqm").fill_null("droptail").alias("aqm"),
        (part.field("low").cast(pl.Float64) / 100).alias("low"),
        (part.field("high").fill_null(part.field("low")).cast(pl.Float64) / 100).alias("high"),
    ).select(
        "item", "quantity", "statistic", "value", "where", "bottleneck_bps", "aqm", "low", "high"
    )


def printed_table(printed: pl.DataFrame, model: pl.DataFrame, cells: pl.DataFrame) -> str:
    """Return the printed values beside ours: the model's and each implementation's.

    A range of buffers has the smallest and the largest value over it.
    """
    names = in_source_order(cells["implementation"].unique().to_list())
    taken = model.filter(pl.col("reading") == "taken")
    rows = []
    for row in printed.rows(named=True):
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
                f"{row['statistic']} {value}",
                _range(taken.filter(*here)[row["quantity"]], show),
                *(_range(t["mean"], show, t["n"]) for t in by_name),
            ]
        )
    header = ["Place", "Quantity", "Buffer (%)", "Printed", MODEL, *map(source_name, names)]
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


def two_flow_runs(
    link: pl.DataFrame, flows: pl.DataFrame, flow_metrics: pl.DataFrame
) -> pl.DataFrame:
    """Return the runs of two flows with both means.

    Args:
        link: the paper's table link_metric.
        flows, flow_metrics: the tables `flow` and `flow_metric`.

    Returns:
        `link` with rtt_long_s, rtt_short_s, long_bps, short_bps; sorted.
    """
    means = (
        flows.join(flow_metrics, on=["run_id", "flow_id"])
        .sort("run_id", "base_rtt_s")
        .group_by("run_id", maintain_order=True)
        .agg(
            pl.col("base_rtt_s").last().alias("rtt_long_s"),
            pl.col("base_rtt_s").first().alias("rtt_short_s"),
            pl.col("mean_throughput_bps").last().alias("long_bps"),
            pl.col("mean_throughput_bps").first().alias("short_bps"),
        )
    )
    two = link.filter(pl.col("n_flows") == 2).join(means, on="run_id")
    return two.sort(RANK, "fraction", "run_id")


def two_flow_table(two: pl.DataFrame) -> str:
    """Return the runs of two flows, a row a run: throughput, ratio, Jain's index, utilisation."""
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
    header += ["JFI", "Utilisation (%)", "Drops a packet"]
    return markdown_table(header, rows or [["no runs"] + [NOTHING] * 7], numeric_from=1)


def two_flow_verdict(two: pl.DataFrame) -> str:
    """Return whether the larger buffer is fairer, an implementation each, in words."""
    words = []
    for (name,), part in two.partition_by(
        "implementation", as_dict=True, maintain_order=True
    ).items():
        means = part.group_by("fraction").agg(pl.col("jfi").mean(), pl.len()).sort("fraction")
        if len(means) < 2:
            continue
        (small, low, n_low), *_, (large, high, n_high) = means.rows()
        verdict = "holds" if high > low else "fails"
        words.append(
            f"it {verdict} with `{name}`: Jain's index is {number(low, 3)} at "
            f"{100 * small:g} % (n = {n_low}) and {number(high, 3)} at {100 * large:g} % "
            f"(n = {n_high})"
        )
    return "; ".join(words) or "there are no runs of two flows at two buffers to test it on"


def sensitivity_table(sensitivity: pl.DataFrame, default: pl.DataFrame) -> str:
    """Return how utilisation and loss rate move with the start of the steady state.

    Args:
        sensitivity: `buffers.warmup_sensitivity` with LINK.
        default: run_id, utilisation of the default window.
    """
    table = sensitivity.join(
        default.select("run_id", pl.col("utilisation").alias("kept")), on="run_id"
    ).with_columns((pl.col("utilisation") - pl.col("kept")).abs().alias("moved"))
    starts = table.group_by("start").agg(
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


def facts(runs: pl.DataFrame, flows: pl.DataFrame, placed: pl.DataFrame) -> dict[str, str]:
    """Return what can be said of the data set in the words of the table of deviations.

    Args:
        runs, flows: the tables `run` and `flow`.
        placed: the paper's table link_metric.
    """
    many = placed.filter(pl.col("n_flows") > 2)
    two = placed.filter(pl.col("n_flows") == 2)
    rtts = flows.join(placed.select("run_id", "bottleneck_bps", "n_flows"), on="run_id")
    starts = flows["start_s"]
    tools = runs.select("tool", "tool_version").unique().sort("tool", "tool_version").rows()
    parameters = hstcp.RFC3649
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
        "repeats": span_of(many.group_by("scenario_id").len()["len"]) if len(many) else NOTHING,
        "runs": str(len(placed)),
        "duration": f"{listed(runs['duration_s'])} s",
        "window": f"{listed(placed['warmup_s'])} s",
    }


def _access(runs: pl.DataFrame) -> str:
    """Return the senders' links by the factor access_mbps, where the runs have it."""
    rates = [json.loads(text or "{}").get("access_mbps") for text in runs["factors"].unique()]
    known = sorted({float(rate) for rate in rates if rate is not None}, reverse=True)
    return ", ".join(link_name(rate * 1e6) for rate in known) or NOTHING


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
