"""Statistics over repeats: the run, not the second, is the unit (samples are correlated)."""

from __future__ import annotations

import numpy as np
import polars as pl
import scipy  # loads its parts, which takes up to a second, when they are first used

DIFFERENT, EQUIVALENT, BOTH, INCONCLUSIVE = "different", "equivalent", "both", "inconclusive"
UNTESTABLE = "no variance"  # repeats that are all the same, on both sides
SINGLE = "one run"  # a side has no repeats


def mean_interval(values: np.ndarray, confidence: float) -> dict:
    """Return mean, sample standard deviation and Student's t interval of repeats.

    Args:
        values: one value a run, shape (n,).
        confidence: of the two-sided interval, e.g. 0.95.

    Returns:
        mean, sd (n-1; null for n < 2), n, ci_low, ci_high, deterministic. Repeats without variance
        (deterministic: True) give no interval, rather than one of width 0.
    """
    values = np.asarray(values, dtype=float)
    n = len(values)
    mean = float(values.mean())
    sd = float(values.std(ddof=1)) if n > 1 else None
    flat = n > 1 and bool(np.ptp(values) == 0)
    low = high = None
    if sd is not None and not flat:
        half = float(scipy.special.stdtrit(n - 1, (1 + confidence) / 2)) * sd / np.sqrt(n)
        low, high = mean - half, mean + half
    return {"mean": mean, "sd": sd, "n": n, "ci_low": low, "ci_high": high, "deterministic": flat}


def cell_statistics(values: pl.DataFrame, confidence: float) -> pl.DataFrame:
    """Return mean and interval over the repeats of every scenario and metric.

    Args:
        values: scenario_id, metric, value; one row a run. Null values are left out and not counted.
        confidence: of the intervals.

    Returns:
        scenario_id, metric and what `mean_interval` gives for each, sorted.
    """
    value = pl.col("value")
    cells = (
        values.drop_nulls("value")
        .sort("scenario_id", "metric", "run_id")
        .group_by("scenario_id", "metric", maintain_order=True)
        .agg(
            value.cast(pl.Float64).mean().alias("mean"),
            value.cast(pl.Float64).std().alias("sd"),
            pl.len().cast(pl.Int64).alias("n"),
            ((pl.len() > 1) & (value.max() == value.min())).alias("deterministic"),
        )
    )
    n, quantile = cells["n"].to_numpy(), np.full(len(cells), np.nan)
    if (several := n > 1).any():  # else a tenth of a second is not spent on loading scipy.special
        quantile[several] = scipy.special.stdtrit(n[several] - 1, (1 + confidence) / 2)
    half = pl.when(~pl.col("deterministic")).then(
        pl.lit(pl.Series(quantile, dtype=pl.Float64)) * pl.col("sd") / pl.col("n").sqrt()
    )
    return cells.select(
        "scenario_id",
        "metric",
        "mean",
        "sd",
        "n",
        (pl.col("mean") - half).alias("ci_low"),
        (pl.col("mean") + half).alias("ci_high"),
        "deterministic",
    )


def with_geometric_means(
    cells: pl.DataFrame, ratios: pl.DataFrame, confidence: float
) -> pl.DataFrame:
    """Return cells in which means and intervals of ratios are those of the logarithm, taken back.

    Where a run's ratio is 0 or infinite, they are null: no factor lies in the middle. sd, n and
    deterministic are of the values themselves.

    Args:
        cells: result of `cell_statistics`.
        ratios: values as `cell_statistics` takes them, of the ratios alone; infinite where what
            they are divided by is 0.
        confidence: of the intervals.
    """
    logs = cell_statistics(ratios.with_columns(pl.col("value").log()), confidence)
    known = pl.col("mean").is_finite()
    ends = (pl.when(known).then(pl.col(end).exp()).alias(end) for end in ("ci_low", "ci_high"))
    mean = pl.when(known).then(pl.col("mean").exp()).alias("mean")
    back = logs.select("scenario_id", "metric", mean, *ends)
    return cells.update(back, on=["scenario_id", "metric"], include_nulls=True)


def cut_intervals(cells: pl.DataFrame, least: pl.Expr, most: pl.Expr) -> pl.DataFrame:
    """Cut the intervals at the ends of what a metric can be.

    A symmetric interval that reaches further than the mean can is cut there: no value that the mean
    can have is lost, so the cut interval covers it as often as the uncut one does.

    Args:
        cells: result of `cell_statistics`, with what the bounds are made of.
        least, most: smallest and largest value of the metric in each row, null where there is none.

    Returns:
        `cells` with the column `cut`: whether an end of the interval was moved.
    """
    low, high = pl.col("ci_low"), pl.col("ci_high")
    return cells.with_columns(
        ((low < least).fill_null(False) | (high > most).fill_null(False)).alias("cut"),
        pl.when(low < least).then(least).otherwise(low).alias("ci_low"),
        pl.when(high > most).then(most).otherwise(high).alias("ci_high"),
    )


def pearson(x: np.ndarray, y: np.ndarray) -> float | None:
    """Return Pearson's r of paired values, shape (n,); null of fewer than three, or a constant."""
    return float(np.corrcoef(x, y)[0, 1]) if _can_correlate(x, y) else None


def _can_correlate(x: np.ndarray, y: np.ndarray) -> bool:
    return len(x) >= 3 and bool(np.ptp(x) and np.ptp(y))


def correlation(x: np.ndarray, y: np.ndarray, method: str, confidence: float) -> dict:
    """Return the correlation of paired values with an interval.

    Args:
        x, y: shape (n,).
        method: 'pearson' (interval by Fisher's z, scipy) or 'spearman' (of the ranks; Fisher's z
            with variance (1 + r^2 / 2) / (n - 3), Bonett and Wright 2000).
        confidence: of the two-sided interval.

    Returns:
        n, r, ci_low, ci_high, p_value (of no correlation). r and p_value are null for fewer than
        three values or without variance, the interval for fewer than four or where |r| is 1.
    """
    n = len(x)
    found: dict[str, float | None] = {"n": n, "r": None, "ci_low": None, "ci_high": None}
    found["p_value"] = None
    if not _can_correlate(x, y):
        return found
    test = scipy.stats.pearsonr(x, y) if method == "pearson" else scipy.stats.spearmanr(x, y)
    r = float(np.clip(test.statistic, -1, 1))
    found |= {"r": r, "p_value": float(test.pvalue)}
    if n < 4 or abs(r) == 1:
        return found
    if method == "pearson":
        low, high = test.confidence_interval(confidence)
    else:
        half = scipy.stats.norm.ppf((1 + confidence) / 2) * np.sqrt((1 + r**2 / 2) / (n - 3))
        low, high = np.tanh(np.arctanh(r) + np.array([-half, half]))
    return found | {"ci_low": float(low), "ci_high": float(high)}


def printed_difference(simulation: np.ndarray, testbed: np.ndarray) -> dict:
    """Return the difference surface's values at one cell (Bateman and Bhatti 2010, IV-A).

    D = S - T of the means, C95 = 2 sd of the testbed's repeats, W = |D| - C95; significant where
    W >= 0. The spread of the simulation and the number of repeats do not enter. Where all
    repeats of both are identical, W = |D| = 0: there is no difference that could be significant.
    """
    same = np.ptp(np.concatenate([simulation, testbed])) == 0
    d = 0.0 if same else float(np.mean(simulation) - np.mean(testbed))
    c95 = 2 * float(np.std(testbed, ddof=1)) if len(testbed) > 1 else None
    w = None if c95 is None else abs(d) - c95
    significant = None if w is None else w >= 0 and not same
    return {"d": d, "c95": c95, "w": w, "significant_printed": significant}


def tests_of_cells(
    cells: list[tuple[np.ndarray, np.ndarray]], margin: float, confidence: float
) -> list[dict]:
    """Return Welch's interval and test, and two one-sided tests of equivalence, of many cells.

    Args:
        cells: of each the values of simulation and testbed, one a run, shapes (n,) and (m,).
        margin: means that differ by less than this are equivalent; fixed beforehand.
        confidence: of the interval of the difference.

    Returns:
        Of each cell welch_low, welch_high, welch_p, tost_p, hedges_g; all null where a test is not
        possible (a side with fewer than two runs, or both sides without variance). Where one side
        has no variance, Welch's test is the other side's one-sample test against its mean.
    """
    names = ("welch_low", "welch_high", "welch_p", "tost_p", "hedges_g")
    found = [dict.fromkeys(names) for _ in cells]
    tested = [
        i
        for i, (s, t) in enumerate(cells)
        if min(len(s), len(t)) > 1 and (np.ptp(s) > 0 or np.ptp(t) > 0)
    ]
    if not tested:
        return found
    (mean_s, sd_s, n), (mean_t, sd_t, m) = (
        np.array([(np.mean(c[side]), np.std(c[side], ddof=1), len(c[side])) for c in picked]).T
        for picked in [[cells[i] for i in tested]]
        for side in (0, 1)
    )

    def p_value(shift: float, alternative: str) -> np.ndarray:
        simulation, testbed = (mean_s - shift, sd_s, n), (mean_t, sd_t, m)
        return scipy.stats.ttest_ind_from_stats(
            *simulation, *testbed, equal_var=False, alternative=alternative
        ).pvalue

    d, (v_s, v_t) = mean_s - mean_t, (sd_s**2 / n, sd_t**2 / m)
    freedom = (v_s + v_t) ** 2 / (v_s**2 / (n - 1) + v_t**2 / (m - 1))  # Satterthwaite 1946
    half = scipy.special.stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(v_s + v_t)
    tost_p = np.maximum(p_value(-margin, "greater"), p_value(margin, "less"))  # Schuirmann 1987
    pooled = np.sqrt(((n - 1) * sd_s**2 + (m - 1) * sd_t**2) / (n + m - 2))
    g = (1 - 3 / (4 * (n + m) - 9)) * d / pooled  # Hedges 1981, small samples
    values = zip(d - half, d + half, p_value(0, "two-sided"), tost_p, g, strict=True)
    for i, row in zip(tested, values, strict=True):
        found[i] = dict(zip(names, map(float, row), strict=True))
    return found


def adjusted(p_values: pl.Series) -> pl.Series:
    """Return p-values adjusted by Benjamini and Hochberg (1995); nulls stay null, uncounted."""
    known = p_values.drop_nulls().to_numpy()
    if len(known) == 0:
        return p_values
    replaced = iter(scipy.stats.false_discovery_control(known, method="bh"))
    return pl.Series(
        p_values.name, [None if p is None else float(next(replaced)) for p in p_values], pl.Float64
    )


def verdict(welch_p: float | None, tost_p: float | None, alpha: float) -> str:
    """Return what the two tests say of a cell.

    'different': the means differ; 'equivalent': they lie within the margin; 'both': they differ,
    but within the margin; 'inconclusive': neither could be shown.
    """
    if welch_p is None or tost_p is None:
        return UNTESTABLE
    differs, same = welch_p <= alpha, tost_p <= alpha
    if differs and same:
        return BOTH
    return DIFFERENT if differs else EQUIVALENT if same else INCONCLUSIVE


_SIDE = {"mean": pl.Float64, "sd": pl.Float64, "n": pl.Int64, "deterministic": pl.Boolean}
DIFFERENCE = {  # what `difference_surface` finds of a cell, but for what needs the whole surface
    f"{side}_{name}": dtype for side in ("simulation", "testbed") for name, dtype in _SIDE.items()
}
DIFFERENCE |= dict.fromkeys(("d", "c95", "w"), pl.Float64) | {"significant_printed": pl.Boolean}
DIFFERENCE |= dict.fromkeys(
    ("welch_low", "welch_high", "welch_p", "tost_p", "hedges_g"), pl.Float64
)


def difference_surface(
    simulation: pl.DataFrame,
    testbed: pl.DataFrame,
    *,
    surface: list[str],
    cell: list[str],
    margin: float,
    confidence: float,
    fdr: float,
) -> pl.DataFrame:
    """Compare simulation and testbed cell by cell, by the printed definition and by tests.

    Args:
        simulation, testbed: surface and cell columns, `value`; one row a run.
        surface: columns that name a surface (one pairing); false discovery is controlled over it.
        cell: columns that name a cell of it (RTT, buffer).
        margin, confidence, fdr: see `tests_of_cells` and `adjusted`.

    Returns:
        One row a cell that both have: surface, cell, DIFFERENCE, and welch_p_bh, tost_p_bh, verdict
        ('one run' where a side has no repeats); no row where they have no cell in common.
    """
    keys = [*surface, *cell]
    sides = [
        side.drop_nulls("value")
        .sort(*keys, "value")
        .group_by(keys, maintain_order=True)
        .agg(pl.col("value").alias(name))
        for side, name in ((simulation, "s"), (testbed, "t"))
    ]
    rows = sides[0].join(sides[1], on=keys).sort(keys).rows(named=True)
    cells = [(np.array(row.pop("s")), np.array(row.pop("t"))) for row in rows]
    for row, (s, t), tests in zip(
        rows, cells, tests_of_cells(cells, margin, confidence), strict=True
    ):
        for name, values in (("simulation", s), ("testbed", t)):
            found = mean_interval(values, confidence)
            row |= {f"{name}_{key}": found[key] for key in ("mean", "sd", "n", "deterministic")}
        row |= printed_difference(s, t) | tests
    of_keys = {key: simulation.schema[key] for key in keys}
    table = pl.DataFrame(rows, schema={**of_keys, **DIFFERENCE})
    if table.is_empty():
        more = {"welch_p_bh": pl.Float64, "tost_p_bh": pl.Float64, "verdict": pl.String}
        return table.with_columns(pl.lit(None, dtype).alias(name) for name, dtype in more.items())
    parts = []
    for part in table.partition_by(surface, maintain_order=True):
        part = part.with_columns(
            adjusted(part["welch_p"]).alias("welch_p_bh"),
            adjusted(part["tost_p"]).alias("tost_p_bh"),
        )
        pairs = part.select("welch_p_bh", "tost_p_bh").rows()
        tested = pl.Series("verdict", [verdict(welch, tost, fdr) for welch, tost in pairs])
        single = pl.min_horizontal("simulation_n", "testbed_n") < 2
        parts.append(
            part.with_columns(
                pl.when(single).then(pl.lit(SINGLE)).otherwise(tested).alias("verdict")
            )
        )
    return pl.concat(parts).sort(keys)
