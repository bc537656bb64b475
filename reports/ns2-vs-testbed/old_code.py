"""NewReno competing with BIC and CUBIC as they were in Linux 2.6.22, on the testbed too.

The runs of `testbed-2622` are those of `testbed-open`, with the same seeds, in which BIC and CUBIC
are modules of the algorithms that the original's hosts had and ns-2 has. Those of
`ns2-delayed-acks` are runs of `ns2-dumbbell`, with the same seeds, whose receivers delay ACKs, as
those of the testbed do.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl
from evenflow.congestion_controls import variant_name
from evenflow.evidence.say import say
from evenflow.kit.tables import groups, named, pivoted, printed
from evenflow.markdown import word
from evenflow.papers import paper

from .._grid.grid_runs import RTT
from .._grid.surfaces import subjects_of
from .cubic_parts import AS_SHIPPED, marked, part_table
from .design import OPEN, PLATFORMS, SIMULATION

OLD, DELAYED = "old", "delayed"
VARIANTS = ("bic", "cubic")
LINUX_2622 = "linux2622"
IN_PRINT = {AS_SHIPPED: "of Linux 6.12", LINUX_2622: "of Linux 2.6.22"}
NAMES = {cca: variant_name(cca) for cca in VARIANTS}
# what NewReno's throughput is compared with
SIDES = {
    "simulation": "ns-2 / testbed",
    "delayed": "ns-2 with delayed ACKs / testbed",
    "shipped": "testbed: Linux 6.12 / 2.6.22",
    "acks": "ns-2: ACKs of every packet / delayed",
}
MARK = "2622"  # behind a variant's name in testbed-2622


def old_runs(claim_run: pl.DataFrame) -> pl.DataFrame:
    """Return the runs with the old modules, under the names of the variants that these are of.

    Args:
        claim_run: runs that claims are judged on; those of the part `old` count.
    """
    return claim_run.filter(part=OLD).with_columns(pl.col("ccas").str.replace_all(MARK, ""))


@paper.metric(runs=True)
def old_code(claim_run, grids, confidence) -> pl.DataFrame:
    return old_table(claim_run, grids[-1], confidence)


def old_table(claim_run: pl.DataFrame, grid: dict, confidence: float) -> pl.DataFrame:
    """Compare what NewReno gets against BIC and CUBIC of either age, and with ACKs of either kind.

    Args:
        claim_run: runs that claims are judged on.
        grid: the cells, of paper.yml.
        confidence: of the intervals.

    Returns:
        cca, and what `cubic_parts.part_table` gives; side: of SIDES; what: as-shipped or linux2622.
    """
    testbed = subjects_of(claim_run, PLATFORMS, grid, simulation=SIMULATION)[OPEN]
    runs, delayed = old_runs(claim_run), claim_run.filter(part=DELAYED)
    ns2 = replace(testbed, runs=testbed.against)
    tables = []
    for cca in VARIANTS:
        of_cca = pl.col("ccas").str.ends_with(f"-{cca}")
        old, late = ({LINUX_2622: of.filter(of_cca)} for of in (runs, delayed))
        beside_late = replace(testbed, against=late[LINUX_2622])
        compared = {
            "simulation": (testbed, old, "simulation"),
            "delayed": (beside_late, old, "simulation"),
            "shipped": (testbed, old, "shipped"),
            "acks": (ns2, late, "shipped"),
        }
        for side, (subject, changed, of) in compared.items():
            table = part_table(subject, changed, confidence, cca).filter(side=of)
            tables.append(
                table.select(pl.lit(cca).alias("cca"), pl.all()).with_columns(side=pl.lit(side))
            )
    return pl.concat(tables)


# ---- in print -----------------------------------------------------------------------------------


@paper.table
def old_codes(old_code) -> str:
    return old_markdown(old_code)


def old_markdown(old_code: pl.DataFrame) -> str:
    """Return a row a comparison, variant and its age, a column an RTT: the ratio and its interval.

    Args:
        old_code: result of `old_table`.
    """
    rtts = {rtt: f"{1000 * rtt:g} ms" for rtt in old_code[RTT].unique().sort()}
    names = {
        "NewReno's throughput": named("side", SIDES),
        "Competing with": named("cca", NAMES),
        "Code": named("what", IN_PRINT),
    }
    return printed(
        groups(old_code, "side", "cca", "what"), names, pivoted(RTT, rtts, marked), once=2
    )


def old_variables(old_code: pl.DataFrame) -> dict:
    """Return {side: {variant: {what: {RTT in ms: ratio}}}}, as of SIDES and IN_PRINT."""
    tree: dict = {}
    for i, row in enumerate(old_code.rows(named=True)):
        of = tree.setdefault(row["side"], {}).setdefault(row["cca"], {})
        of.setdefault(word(row["what"]), {})[f"{1000 * row[RTT]:g}"] = say(
            old_code[i], "ratio", digits=2
        )
    return tree
