"""How many flows lose in a drop event, given their window: starved flows have little to lose.

The share of flows that lose, P, is a consequence of starvation as much as a cause: a flow of a few
packets in flight often has none in an event. Of flows with as many packets in flight the share can
be compared between variants.
"""

from __future__ import annotations

import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.runs import gathered, run_ref
from evenflow.evidence.say import given, nothing, phrase, say
from evenflow.markdown import NOTHING, markdown_table, number
from evenflow.papers import paper

from .design import AQMS, BURSTY_KBPS, LINUX, OWN, PART, SMOOTH_KBPS, VARIANTS, source_rate
from .metrics import placed_runs
from .words import queue_name

BOUNDS = (20, 200)  # packets in flight: ends of the classes
CLASSES = ("below 20", "20 to 200", "200 and more")
ALL = "all"
PLACE = ["variant", "implementation", "aqm", "background", "source_kbps"]
# background traffic of the table's rows: its kind and the rate of a source, None without sources
SHOWN = [("exponential", BURSTY_KBPS), ("exponential", SMOOTH_KBPS), ("none", None)]
FEWEST = 20  # flows and events of which a share is printed


def flow_events(
    events: pl.DataFrame, drops: pl.DataFrame, samples: pl.DataFrame, flows: pl.DataFrame
) -> pl.DataFrame:
    """Return each foreground flow at each drop event: its window, and whether it lost a packet.

    Args:
        events: the table `drop_event`: run_id, event, t_start_s, t_end_s.
        drops: of `packet_drop` run_id, t_s, flow_id of foreground flows.
        samples: of `sample` run_id, flow_id, t_end_s, cwnd_bytes.
        flows: of `flow` run_id, flow_id, mss_bytes of foreground flows.

    Returns:
        run_id, event, flow_id, window (packets, the last value logged before the event; a flow
        without one is left out), lost.
    """
    at = ["run_id", "flow_id"]
    asked = events.select("run_id", "event", "t_start_s", "t_end_s").join(flows, on="run_id")
    windows = samples.drop_nulls("cwnd_bytes").select(*at, "cwnd_bytes", t="t_end_s").sort("t")
    asked = _nearest(asked, windows, at, "backward")
    lost = drops.drop_nulls("flow_id").select(*at, t="t_s").sort("t")
    next_loss = lost.with_columns(t_loss="t")
    found = _nearest(asked, next_loss, at, "forward")
    return (
        found.drop_nulls("cwnd_bytes")
        .select(
            "run_id",
            "event",
            "flow_id",
            window=pl.col("cwnd_bytes") / pl.col("mss_bytes"),
            lost=(pl.col("t_loss") <= pl.col("t_end_s")).fill_null(False),
        )
        .sort("run_id", "event", "flow_id")
    )


def _nearest(
    asked: pl.DataFrame, logged: pl.DataFrame, by: list[str], strategy: str
) -> pl.DataFrame:
    """Return each flow at the beginning of an event beside what was logged last before or after."""
    return asked.sort("t_start_s").join_asof(
        logged,
        left_on="t_start_s",
        right_on="t",
        by=by,
        strategy=strategy,
        check_sortedness=False,
    )


def shares_given_window(found: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the table `given_window`: the share of flows that lose, by window.

    Args:
        found: result of `flow_events`.
        runs: run_id and PLACE.

    Returns:
        PLACE, window (a class, or all), n (flows and events), lost (share of them), runs; sorted.
    """
    few, some, many = map(pl.lit, CLASSES)
    window = pl.col("window")
    classes = pl.when(window < BOUNDS[0]).then(few).when(window < BOUNDS[1]).then(some)
    placed = found.join(runs, on="run_id").with_columns(window=classes.otherwise(many))
    both = pl.concat([placed, placed.with_columns(window=pl.lit(ALL))])
    return (
        both.group_by(*PLACE, "window", maintain_order=True)
        .agg(
            n=pl.len().cast(pl.Int64),
            lost=pl.col("lost").mean(),
            runs=gathered(run_ref(PART)),
        )
        .sort(*PLACE, "window")
    )


@paper.metric(runs=True)
def given_window(run, flow, drop_event, packet_drop, sample) -> pl.DataFrame:
    """Return the share of flows that lose in an event by their window.

    Of runs with exponential background, or without any.
    """
    kinds = [kind for kind, _ in SHOWN]
    runs = placed_runs(run, changed=True).filter("waits", pl.col("background").is_in(kinds))
    kept = pl.col("run_id").is_in(runs["run_id"].to_list())
    found = flow_events(
        drop_event.filter(kept),
        packet_drop.filter(kept).select("run_id", "t_s", "flow_id").collect(),
        sample.filter(kept).select("run_id", "flow_id", "t_end_s", "cwnd_bytes").collect(),
        flow.filter(kept).select("run_id", "flow_id", "mss_bytes"),
    )
    return shares_given_window(found, runs.select("run_id", *PLACE))


@paper.table
def given_window_shares(given_window) -> str:
    """Return the share of flows that lose in an event: a row a variant, a column a window."""
    rows = []
    order = [(aqm, shown, v, i) for aqm in AQMS for shown in SHOWN
             for v in VARIANTS for i in (OWN, LINUX)]  # fmt: skip
    for aqm, (background, kbps), variant, implementation in order:
        mine = given_window.filter(
            pl.col("source_kbps").eq_missing(kbps),
            aqm=aqm,
            background=background,
            variant=variant,
            implementation=implementation,
        )
        if mine.is_empty():
            continue
        of = {row["window"]: row for row in mine.rows(named=True)}
        name = variant_name(variant) + ("" if implementation == OWN else ", Linux's")
        shares = [_share(of.get(window)) for window in (*CLASSES, ALL)]
        sources = "none" if kbps is None else source_rate(kbps)
        rows.append([queue_name(aqm), sources, name, *shares])
    header = [
        "Queue",
        "Sources",
        "Variant",
        *(f"{name.capitalize()} packets" for name in CLASSES),
        "All flows",
    ]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=3)


def _share(row: dict | None) -> str:
    if row is None or row["n"] < FEWEST:
        return NOTHING
    return made_of(row, f"{number(100 * row['lost'], 0)} % ({row['n']:,})")[0]


def given_window_numbers(given_window: pl.DataFrame) -> dict:
    """Return the share of flows that lose in an event at a drop-tail queue.

    Args:
        given_window: the table, tagged.

    Returns:
        {variant: {many: of those with the most packets in flight, all; large: how many these are
        of all}}, of ns-2's own senders with fast sources; none: the same without background;
        bound: from how many packets in flight; fewest: flows and events of which a share is
        printed.
    """
    own = given_window.filter(aqm="droptail", implementation=OWN)
    fast = own.filter(background="exponential", source_kbps=BURSTY_KBPS)
    return by_variant(fast) | {
        "none": by_variant(own.filter(background="none")),
        "bound": given("given_window.BOUNDS", BOUNDS[-1]),
        "fewest": given("given_window.FEWEST", FEWEST),
    }


def by_variant(rows: pl.DataFrame) -> dict[str, dict]:
    """Return {variant: {many, all, large}} of one queue and background, see above."""
    words = "share of flows and events in which the flow lost a packet, %"
    words_of_large = "share of flows and events in which the flow had the most packets in flight, %"
    found: dict = {}
    for variant in VARIANTS:
        found[variant] = {}
        for name, window in (("many", CLASSES[-1]), ("all", ALL)):
            of = rows.filter(variant=variant, window=window)
            share = say(of, 100 * pl.col("lost"), words=words)
            found[variant][name] = phrase("{} %", share) if len(of) else share
        both = rows.filter(pl.col("window").is_in([CLASSES[-1], ALL]), variant=variant)
        large = pl.col("n").filter(pl.col("window") == CLASSES[-1]).sum()
        every = pl.col("n").filter(pl.col("window") == ALL).sum()
        found[variant]["large"] = (
            phrase("{} %", say(both, 100 * large / every, words=words_of_large))
            if len(both)
            else nothing()
        )
    return found
