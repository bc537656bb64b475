"""Do ns-2 and the testbed agree where no flow is window-limited? The same cells, three set-ups.

Differences are of Jain's index, as the original has them, and factors between ratios of the two
flows' throughputs: the index near one half cannot tell a ratio of 12 from one of 33.

On `testbed-router` a flow is limited by its host's send buffer; in ns-2 and on the testbed
with socket buffers of 64 MiB losses end its growth. Each cell of such a *free* testbed is set
beside the same cell of ns-2 and of the testbed whose window *binds*.
"""

from __future__ import annotations

import math

import altair as alt
import polars as pl
from evenflow.charts.panels import titled
from evenflow.charts.theme import series_colours
from evenflow.congestion_controls import in_order, pairing_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.runs import entered, gathered, run_ref, together
from evenflow.evidence.say import given, say, span, tags_of
from evenflow.markdown import NOTHING, markdown_table, number, span_of
from evenflow.papers import paper
from evenflow.statistics.surfaces import PLACE, is_contested, on_the_grid

from .models import factor

FREE = {"profiles": "testbed-profiles", "open": "testbed-open"}  # sets of cells, in their order
LARGE_BUFFERS = "large-buffers"  # of the factor `changed` of testbed-profiles
CELL = ["ccas", "base_rtt_s", "buffer_bdp"]
VARIANTS = ("newreno-bic", "newreno-cubic")  # whose difference is in question
# rows of the table and of the text: name, pairings
TOGETHER = ("variants", VARIANTS)


def compared_runs(run: pl.DataFrame, run_metric: pl.DataFrame, part: str = "") -> pl.DataFrame:
    """Return the comparison runs on the grid: CELL, run_id, repeat, contested, jfi, log_ratio (of
    flow 1's throughput over flow 2's), utilisation, drift; run, of the part.
    """
    placed = on_the_grid(run).with_columns(pl.col("base_rtt_s", "buffer_bdp").round(6))
    placed = placed.with_columns(is_contested(placed, [*PLACE, "factors"]))
    return (
        placed.filter(role="comparison")
        .select(*CELL, "run_id", "repeat", "contested", "factors", run=run_ref(part))
        .join(
            run_metric.select(
                "run_id", "jfi", "utilisation", "drift", log_ratio=pl.col("throughput_ratio").log()
            ),
            on="run_id",
        )
    )


def repeat_difference(runs: pl.DataFrame) -> pl.DataFrame:
    """Return, of cells with repeats, the mean |difference| of Jain's index between two runs."""
    both = runs.join(runs, on=CELL, suffix="_2").filter(pl.col("repeat") < pl.col("repeat_2"))
    difference = (pl.col("jfi") - pl.col("jfi_2")).abs().mean()
    return both.group_by(CELL, maintain_order=True).agg(difference.alias("repeat_difference"))


def agreement_table(
    simulation: pl.DataFrame, bound: pl.DataFrame, free: dict[str, pl.DataFrame]
) -> pl.DataFrame:
    """Set each cell of a free testbed beside ns-2 and beside the window-limited testbed.

    Args:
        simulation, bound: results of `compared_runs`.
        free: the same of each set of FREE.

    Returns:
        A row a cell that all three have: set, CELL, simulation_jfi, bound_jfi, free_jfi,
        simulation_log_ratio, bound_log_ratio, free_log_ratio (means over repeats), simulation_n,
        bound_n, free_n (repeats), bound_d, free_d (simulation less testbed), bound_contested,
        free_contested, bound_utilisation, free_utilisation, free_drift (mean over repeats),
        repeat_difference (of two runs of the simulation; null of one).
    """

    def cells(runs: pl.DataFrame, name: str, *more: str) -> pl.DataFrame:
        return runs.group_by(CELL, maintain_order=True).agg(
            pl.col("jfi").mean().alias(f"{name}_jfi"),
            pl.col("log_ratio").mean().alias(f"{name}_log_ratio"),
            pl.len().cast(pl.Int64).alias(f"{name}_n"),
            pl.col("contested").any().alias(f"{name}_contested"),
            pl.col("utilisation").mean().alias(f"{name}_utilisation"),
            *(pl.col(column).mean().alias(f"{name}_{column}") for column in more),
            gathered().alias(f"runs_{name}"),
        )

    base = cells(simulation, "simulation").join(cells(bound, "bound"), on=CELL)
    base = base.join(repeat_difference(simulation), on=CELL, how="left")
    tables = [
        base.join(cells(runs, "free", "drift"), on=CELL).select(pl.lit(name).alias("set"), pl.all())
        for name, runs in free.items()
    ]
    simulated = pl.col("simulation_jfi")
    return (
        pl.concat(tables)
        .select(
            "set",
            *CELL,
            *(f"{name}_jfi" for name in ("simulation", "bound", "free")),
            *(f"{name}_log_ratio" for name in ("simulation", "bound", "free")),
            *(f"{name}_n" for name in ("simulation", "bound", "free")),
            (simulated - pl.col("bound_jfi")).alias("bound_d"),
            (simulated - pl.col("free_jfi")).alias("free_d"),
            "bound_contested",
            "free_contested",
            "bound_utilisation",
            "free_utilisation",
            "free_drift",
            "repeat_difference",
            pl.col("runs_simulation").alias("runs_simulation,repeat_difference"),
            "runs_bound",
            "runs_free",
            together("runs_simulation", "runs_bound").alias("runs_bound_d"),
            together("runs_simulation", "runs_free").alias("runs_free_d"),
            together("runs_simulation", "runs_bound", "runs_free").alias("runs"),
        )
        .sort("set", *CELL)
    )


@paper.metric(runs=True)
def agreement(
    run, run_metric, profiles_run, profiles_run_metric, open_run, open_run_metric
) -> pl.DataFrame:
    simulation, bound = (
        compared_runs(run[part], run_metric[part], part) for part in ("simulation", "testbed")
    )
    changed = compared_runs(profiles_run, profiles_run_metric, "profiles")
    free = {
        "profiles": changed.filter(factor("changed") == LARGE_BUFFERS),
        "open": compared_runs(open_run, open_run_metric, "open"),
    }
    return agreement_table(simulation, bound, free)


@paper.metric(runs=True)
def gap(agreement, readings) -> pl.DataFrame:
    return gap_summary(agreement, readings["high_rtt_ms"], readings["margin_jfi"])


def gap_summary(agreement: pl.DataFrame, high_rtt_ms: float, margin: float) -> pl.DataFrame:
    """Return how far the testbed is from ns-2, window-limited and not, by pairing.

    Args:
        agreement: result of `agreement_table`.
        high_rtt_ms: from this RTT on a cell counts as one of high RTT.
        margin: of the index; cells that differ by less are counted.

    Returns:
        set, ccas (a pairing, or 'variants': BIC and CUBIC together), n_cells, n_high (of high RTT),
        n_uncontested (where flows may be window-limited), bound, free, bound_high, free_high,
        bound_low, free_low (mean |D|; high and low: of high RTT and of the others), bound_within,
        free_within (cells within the margin), repeat (mean |difference| of two runs of ns-2),
        drift_high (mean drift of the free runs of high RTT), n_runs_min, n_runs_max (repeats of the
        free cells).
    """
    together = agreement.filter(pl.col("ccas").is_in(TOGETHER[1]))
    rows = pl.concat([agreement, together.with_columns(ccas=pl.lit(TOGETHER[0]))])
    high = pl.col("base_rtt_s") * 1000 > high_rtt_ms - 1e-6
    gaps = {name: pl.col(f"{name}_d").abs() for name in ("bound", "free")}
    simulated = pl.col("simulation_log_ratio")
    factors = {name: (simulated - pl.col(f"{name}_log_ratio")).abs() for name in ("bound", "free")}
    return (
        rows.group_by("set", "ccas")
        .agg(
            pl.len().cast(pl.Int64).alias("n_cells"),
            high.sum().cast(pl.Int64).alias("n_high"),
            (~pl.col("bound_contested")).sum().cast(pl.Int64).alias("n_uncontested"),
            *(gap.mean().alias(name) for name, gap in gaps.items()),
            *(gap.filter(high).mean().alias(f"{name}_high") for name, gap in gaps.items()),
            *(gap.filter(~high).mean().alias(f"{name}_low") for name, gap in gaps.items()),
            *(of.mean().exp().alias(f"{name}_factor") for name, of in factors.items()),
            *(
                of.filter(high).mean().exp().alias(f"{name}_factor_high")
                for name, of in factors.items()
            ),
            *(
                (gap < margin).sum().cast(pl.Int64).alias(f"{name}_within")
                for name, gap in gaps.items()
            ),
            pl.col("repeat_difference").mean().alias("repeat"),
            pl.col("free_drift").filter(high).mean().alias("drift_high"),
            pl.col("free_n").min().alias("n_runs_min"),
            pl.col("free_n").max().alias("n_runs_max"),
            *_runs_of_gaps(high),
        )
        .sort("set", "ccas")
    )


def _runs_of_gaps(high: pl.Expr) -> list[pl.Expr]:
    """Return, in a group_by, the runs of the columns of `gap_summary`."""
    of = {"": True, "_high": high, "_low": ~high}
    both = [
        entered(f"runs_{name}_d", where).alias(f"runs_{name}{suffix}")
        for name in ("bound", "free")
        for suffix, where in of.items()
    ]
    return [
        *both,
        entered("runs_simulation,repeat_difference").alias("runs_repeat"),
        entered("runs_free").alias("runs_n_runs"),
        entered("runs_free", high).alias("runs_drift_high"),
        entered("runs_bound").alias("runs_n_uncontested"),
        pl.concat([pl.col("runs_bound_d"), pl.col("runs_free_d")])
        .explode()
        .drop_nulls()
        .unique()
        .sort()
        .alias("runs"),
    ]


def _order(gap: pl.DataFrame) -> list[dict]:
    """Return the rows by set and pairing, BIC and CUBIC together last of their set."""
    pairings = [
        *in_order(
            gap.filter(pl.col("ccas") != TOGETHER[0])["ccas"].unique(maintain_order=True).to_list()
        )
    ]
    places = [*pairings, TOGETHER[0]]
    sets = list(FREE)
    return sorted(
        gap.rows(named=True), key=lambda row: (sets.index(row["set"]), places.index(row["ccas"]))
    )


def gap_markdown(gap: pl.DataFrame) -> str:
    """Return the table in print.

    Args:
        gap: result of `gap_summary`.
    """
    rows = []
    before = None
    for row in _order(gap):
        rows.append(
            [
                f"`{FREE[row['set']]}`" if row["set"] != before else "",
                "BIC and CUBIC" if row["ccas"] == TOGETHER[0] else pairing_name(row["ccas"]),
                *made_of(
                    row,
                    f"{row['n_cells']} ({row['n_uncontested']})",
                    span_of(pl.Series([row["n_runs_min"], row["n_runs_max"]])),
                    *(_both(row, "", end, 3) for end in ("", "_high")),
                    f"{row['bound_within']} → {row['free_within']}",
                    *(_both(row, "_factor", end, 2) for end in ("", "_high")),
                ),
            ]
        )
        before = row["set"]
    header = ["Free runs", "Flow 1 – flow 2", "Cells (uncontested)", "Runs", "Mean \\|D\\|"]
    header += ["Mean \\|D\\|, high RTT", "Within", "Factor", "Factor, high RTT"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=2)


def _both(row: dict, quantity: str, cells: str, digits: int) -> str:
    """Return a quantity where flows may be window-limited and where not: '0.265 → 0.046'."""
    sides = (number(row[f"{side}{quantity}{cells}"], digits) for side in ("bound", "free"))
    return " → ".join(sides)


def gap_variables(gap: pl.DataFrame, agreement: pl.DataFrame, high_rtt_ms: float) -> dict:
    """Return what the text says.

    Returns:
        {set: {ccas: {n_cells, n_uncontested, n_high, bound, free, bound_high, free_high, bound_low,
        free_low, bound_factor, free_factor, bound_factor_high, free_factor_high, bound_within,
        free_within, repeat, runs, max_rtt_ms, max_drift, max_used (drift, and least utilisation in
        %, of the free cells of the largest RTT)}}} and high_rtt_ms.
    """
    tree: dict = {"high_rtt_ms": given("readings.high_rtt_ms", f"{high_rtt_ms:g}", high_rtt_ms)}
    for name, ccas in gap.select("set", "ccas").rows():
        row = gap.filter(set=name, ccas=ccas)
        of = pl.col("ccas").is_in(TOGETHER[1]) if ccas == TOGETHER[0] else pl.col("ccas") == ccas
        cells = agreement.filter(of, set=name)
        top = cells.filter(pl.col("base_rtt_s") == pl.col("base_rtt_s").max())
        leaf = {key: say(row, key) for key in COUNTS}
        leaf |= {key: say(row, key, digits=3) for key in DISTANCES}
        leaf |= {key: say(row, key, digits=2) for key in FACTORS}
        leaf |= {
            "runs": span(cells, "free_n"),
            "max_rtt_ms": say(top, pl.col("base_rtt_s") * 1000, style="g"),
            "max_drift": say(top, pl.col("free_drift").max(), digits=2),
            "max_used": say(top, 100 * pl.col("free_utilisation").min()),
        }
        tree.setdefault(name, {})[ccas.replace("-", "_")] = leaf
    return tree


COUNTS = ("n_cells", "n_uncontested", "n_high", "bound_within", "free_within")
DISTANCES = ("bound", "free", "bound_high", "free_high", "bound_low", "free_low", "repeat")
FACTORS = ("bound_factor", "free_factor", "bound_factor_high", "free_factor_high")


SIDES = {
    "simulation": "ns-2",
    "bound": "testbed, window-limited",
    "free": "testbed, not window-limited",
}


def agreement_message(cells: pl.DataFrame) -> str:
    """Return by which factor the ratio of the flows on the testbed is off that of ns-2."""
    said = []
    for ccas in in_order(cells["ccas"].unique(maintain_order=True).to_list()):
        of = cells.filter(ccas=ccas)
        off = (
            (of["simulation_log_ratio"] - of[f"{side}_log_ratio"]).abs().mean()
            for side in ("bound", "free")
        )
        bound, free = (math.exp(mean) for mean in off)
        said.append(f"{pairing_name(ccas)} {bound:.1f} and {free:.1f}")
    return (
        "Factor between the throughput ratios of the testbed and of ns-2, with window limits and "
        f"without: {', '.join(said)}"
    )


def agreement_chart(agreement: pl.DataFrame) -> dict:
    """Return NewReno's throughput over flow 2's by RTT: ns-2, and the testbed, limited and not.

    A row a buffer, a column a pairing, of the cells of testbed-profiles.

    Args:
        agreement: result of `agreement_table`.
    """
    cells = agreement.filter(set="profiles")
    rows = cells.unpivot(
        [f"{side}_log_ratio" for side in SIDES],
        index=[*CELL, *tags_of(cells)],
        variable_name="side",
        value_name="log",
    ).with_columns(
        pl.col("side").str.strip_suffix("_log_ratio").replace_strict(SIDES),
        rtt_ms=pl.col("base_rtt_s") * 1000,
        buffer=pl.format("{} % of BDP", (pl.col("buffer_bdp") * 100).round(0).cast(pl.Int64)),
        pairing=pl.col("ccas").map_elements(pairing_name, return_dtype=pl.String),
        ratio=pl.col("log").exp(),
    )
    names = list(SIDES.values())
    legend = alt.Legend(title=None, orient="top")
    base = alt.Chart(rows, width=170, height=100).encode(
        x=alt.X(
            "rtt_ms:Q",
            title="RTT (ms)",
            scale=alt.Scale(type="log", nice=False),
            axis=alt.Axis(values=sorted(rows["rtt_ms"].unique())),
        ),
        y=alt.Y(
            "ratio:Q",
            title="NewReno / flow 2",
            scale=alt.Scale(type="log", nice=False, padding=6),
            axis=alt.Axis(values=[0.01, 0.03, 0.1, 0.3, 1], format="~g"),
        ),
        color=alt.Color("side:N", sort=names, scale=series_colours(names), legend=legend),
    )
    shape = alt.Shape("side:N", sort=names, scale=alt.Scale(domain=names), legend=legend)
    pairings = [
        pairing_name(ccas) for ccas in in_order(cells["ccas"].unique(maintain_order=True).to_list())
    ]
    drawn = alt.layer(
        base.mark_line(opacity=1),
        base.mark_point(filled=True, size=40, opacity=1).encode(shape=shape),
    ).facet(
        column=alt.Column("pairing:N", title=None, sort=pairings),
        row=alt.Row(
            "buffer:N", title=None, sort=rows["buffer"].unique(maintain_order=True).to_list()
        ),
    )
    return titled(drawn, agreement_message(cells))
