"""What one thing changed of the testbed does: its hosts, its links, its timing."""

from __future__ import annotations

import polars as pl
import scipy  # loads scipy.special when it is first used
from evenflow.evidence.runs import gathered, in_part, together
from evenflow.papers import paper
from evenflow.statistics.surfaces import PLACE, run_values

from .models import factor

# what was changed, by the name of its folder in testbed-profiles
CHANGED = {
    "today": "current Linux defaults",
    "fast-access": "access links of 1000 Mb/s",
    "large-buffers": "socket buffers of 64 MiB",
    "no-jitter": "no jitter",
}


def change_table(
    base: pl.DataFrame, changed: pl.DataFrame, simulation: pl.DataFrame, confidence: float
) -> pl.DataFrame:
    """Set cells with one thing changed beside the same cells of the base.

    Args:
        base: result of `surfaces.run_values`.
        changed: the same with the column what: the thing that was changed.
        simulation: the same of ns-2.
        confidence: of the prediction interval, e.g. 0.95.

    Returns:
        A row a cell that both have: what, role, ccas, base_rtt_s, buffer_bdp, base_jfi, base_n,
        expected_low and expected_high (where a further run of the base would lie with that
        confidence: Student's t prediction interval over its repeats, ended where the index of two
        flows does; null of one repeat, or of repeats that are all the same), jfi, n, difference,
        outside (of that interval; null where there is none), base_utilisation, utilisation,
        simulation_jfi (mean over repeats; null where ns-2 has no run); and their runs.
    """
    value = pl.col("jfi")
    before = base.group_by(PLACE, maintain_order=True).agg(
        value.mean().alias("base_jfi"),
        value.count().cast(pl.Int64).alias("base_n"),
        value.std().alias("sd"),
        pl.col("utilisation").mean().alias("base_utilisation"),
        gathered("run_id").alias("runs_base"),
    )
    after = changed.group_by("what", *PLACE, maintain_order=True).agg(
        value.mean(),
        value.count().cast(pl.Int64).alias("n"),
        pl.col("utilisation").mean(),
        gathered("run_id").alias("runs_changed"),
    )
    rows = after.join(before, on=PLACE, maintain_order="left")
    simulated = simulation.group_by(PLACE, maintain_order=True).agg(
        value.mean().alias("simulation_jfi"), gathered("run_id").alias("runs_simulation")
    )
    rows = rows.join(simulated, on=PLACE, how="left", maintain_order="left")
    reach = [
        None if n < 2 or not sd else prediction_reach(sd, n, m, confidence)
        for sd, n, m in rows.select("sd", "base_n", "n").rows()
    ]
    rows = rows.with_columns(pl.Series("reach", reach, dtype=pl.Float64))
    return (
        rows.select(
            "what",
            *PLACE,
            "base_jfi",
            "base_n",
            (pl.col("base_jfi") - pl.col("reach")).clip(0.5).alias("expected_low"),
            (pl.col("base_jfi") + pl.col("reach")).clip(upper_bound=1.0).alias("expected_high"),
            "jfi",
            "n",
            (value - pl.col("base_jfi")).alias("difference"),
            ((value - pl.col("base_jfi")).abs() > pl.col("reach")).alias("outside"),
            "base_utilisation",
            "utilisation",
            "simulation_jfi",
            in_part("runs_base", "testbed").alias("runs_base,expected"),
            in_part("runs_changed", "profiles").alias("runs_jfi,n,utilisation"),
            in_part("runs_simulation", "simulation"),
        )
        .with_columns(runs=together("runs_base,expected", "runs_jfi,n,utilisation"))
        .sort("what", *PLACE)
    )


def prediction_reach(sd: float, n: int, m: int, confidence: float) -> float:
    """Return how far the mean of m further runs lies from that of n at most, with `confidence`.

    Student's t prediction interval, t(n - 1) sd sqrt(1/n + 1/m).
    """
    return float(scipy.special.stdtrit(n - 1, (1 + confidence) / 2)) * sd * (1 / n + 1 / m) ** 0.5


@paper.metric(runs=True)
def change(
    testbed_run, testbed_run_metric, testbed_flow_metric,
    simulation_run, simulation_run_metric, simulation_flow_metric,
    profiles_run, profiles_run_metric, profiles_flow_metric, confidence,
) -> pl.DataFrame:  # fmt: skip
    before = run_values(testbed_run, testbed_run_metric, testbed_flow_metric)
    after = run_values(profiles_run, profiles_run_metric, profiles_flow_metric)
    ns2 = run_values(simulation_run, simulation_run_metric, simulation_flow_metric)
    changed = after.with_columns(factor("changed").alias("what"))
    return change_table(before, changed, ns2, confidence)
