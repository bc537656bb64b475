"""Does the size of the buffer matter with queue management? 'Queue management'.

The runs of `testbed-aqm` have hosts of today and DropTail, FQ-CoDel, CAKE or PIE at the bottleneck,
with the same seeds for each.
"""

from __future__ import annotations

import polars as pl
from evenflow.claims.headlines import headline
from evenflow.congestion_controls import in_order, pairing_name
from evenflow.evidence.runs import in_part
from evenflow.evidence.say import count, span
from evenflow.kit.tables import fixed, groups, named, pivoted, printed
from evenflow.kit.tables import in_order as rows_in_order
from evenflow.markdown import listed, word
from evenflow.papers import paper
from evenflow.statistics.surfaces import run_values

from .._grid.grid_runs import BUFFER, RTT
from .._grid.lines_by_rtt import Row, lines_by_rtt
from .._grid.surfaces import planned_runs
from .design import QUEUES
from .modern import share_table, with_drops

PART = "managed"


def runs_by_queue(
    run: pl.DataFrame, run_metric: pl.DataFrame, flow_metric: pl.DataFrame, planned: pl.DataFrame
) -> dict[str, pl.DataFrame]:
    """Return {queue discipline: its runs with what each measured and what was planned}.

    Args:
        run, run_metric, flow_metric: tables of `testbed-aqm`.
        planned: results/planned.csv.
    """
    return {
        aqm: planned_runs(PART, run.filter(aqm=aqm), run_metric, flow_metric, planned)
        for aqm in QUEUES
    }


@paper.metric(runs=True)
def managed_share(managed_run, managed_run_metric, managed_flow_metric) -> pl.DataFrame:
    values = run_values(managed_run, managed_run_metric, managed_flow_metric)
    values = with_drops(values, managed_run).join(
        managed_run.select("run_id", "aqm"), on="run_id", maintain_order="left"
    )
    shares = [share_table(values.filter(aqm=aqm)).with_columns(aqm=pl.lit(aqm)) for aqm in QUEUES]
    return pl.concat(shares).select("aqm", pl.exclude("aqm", "runs"), in_part("runs", PART))


def managed_variables(managed_share: pl.DataFrame, managed_run: pl.DataFrame) -> dict:
    """Return what the text says of shares with each queue discipline.

    Args:
        managed_share: result of the metric, tagged.
        managed_run: the table `run` of `testbed-aqm`, tagged.

    Returns:
        n_runs; n (of a cell); and {aqm: {pairing: {share (of flow 2, '50 to 55' %), use (of the
        link, %)}}}, of contested cells; below each pairing also {at_<RTT in ms>: the same of the
        contested cells of that RTT}.
    """
    tree: dict = {
        "n_runs": count(managed_run, words="all runs of the data set"),
        "n": span(managed_share, "n", words="runs of a cell"),
    }
    contested = managed_share.filter("contested")
    for (aqm, ccas), cells in contested.partition_by("aqm", "ccas", as_dict=True).items():
        by_rtt = {
            f"at_{1000 * rtt:g}": _share_and_use(cells.filter(pl.col(RTT) == rtt))
            for rtt in cells[RTT].unique().sort()
        }
        tree.setdefault(aqm, {})[word(ccas)] = _share_and_use(cells) | by_rtt
    return tree


def _share_and_use(cells: pl.DataFrame) -> dict:
    return {
        "share": span(cells, 100 * pl.col("share2"), words="share of flow 2, %"),
        "use": span(cells, 100 * pl.col("utilisation"), words="use of the link, %"),
    }


# ---- in print -----------------------------------------------------------------------------------


@paper.figure(of=["managed"])
def managed(managed_share, claim, headlines):
    compared = managed_share.filter(role="comparison").with_columns(value=100 * pl.col("share2"))
    rows = [
        Row(name, compared.filter(aqm=aqm), "Flow 2 (%)", 50.0, ends=(0.0, 100.0))
        for aqm, name in QUEUES.items()
    ]
    message = headline(claim, headlines, "managed", "Share of flow 2 with four queue disciplines")
    return lines_by_rtt(rows, message)


@paper.table(of=["managed"])
def managed_shares(managed_share) -> str:
    return share_by_buffer(managed_share)


def share_by_buffer(managed_share: pl.DataFrame) -> str:
    """Return a row a pair and queue: its share and use of the link by buffer, mean over RTTs.

    Args:
        managed_share: result of `managed_share`; of each pair and queue RTTs of which every buffer
            is contested.
    """
    whole = managed_share.filter(pl.col("contested").all().over("aqm", "role", "ccas", RTT))
    pairs = in_order(whole["ccas"].unique(maintain_order=True).to_list())
    buffers = whole[BUFFER].unique().sort().to_list()
    rows = rows_in_order(whole, ccas=pairs, aqm=QUEUES)
    names = {"Flow 1 – flow 2": named("ccas", pairing_name), "Queue": named("aqm", QUEUES)}
    share = fixed(pl.col("share2").mean(), 1, 100)
    use = fixed(pl.col("utilisation").mean(), 1, 100)
    values = {"RTTs (ms)": lambda of: listed(of[RTT].unique().sort() * 1000)}
    values |= pivoted(BUFFER, {b: f"Share of flow 2 at {100 * b:g} %" for b in buffers}, share)
    values |= pivoted(BUFFER, {b: f"Used at {100 * b:g} %" for b in buffers}, use)
    return printed(groups(rows, "ccas", "aqm"), names, values, once=1)
