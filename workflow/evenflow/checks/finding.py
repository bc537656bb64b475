"""What a check finds: a row a finding."""

from __future__ import annotations

import polars as pl

FINDING = {
    "check": pl.String,
    "severity": pl.String,
    "run_id": pl.String,
    "flow_id": pl.Int32,
    "path": pl.String,
    "line": pl.Int64,
    "message": pl.String,
    "remedy": pl.String,
    "yaml": pl.String,  # lines of dataset.yml that settle it (`settling`)
}
SEVERITIES = ["error", "warning", "note"]
MORE_DIGITS = 6  # at most, of two numbers that would be printed alike


def findings(rows: pl.DataFrame, check: str, severity: str, message, remedy: str) -> pl.DataFrame:
    """Make findings of rows: those of the columns of FINDING that `rows` has, and the words."""
    if rows.is_empty():  # of most checks in most data sets
        return pl.DataFrame(schema=FINDING)
    given = {"check": pl.lit(check), "severity": pl.lit(severity), "message": message}
    given["remedy"] = pl.lit(remedy)
    given |= {name: pl.lit(None) for name in FINDING if name not in (*rows.columns, *given)}
    return rows.with_columns(**given).select(pl.col(name).cast(k) for name, k in FINDING.items())


def fixed(column: str | pl.Expr, digits: int = 1) -> pl.Expr:
    """Return numbers as text with so many digits after the point at most."""
    value = pl.col(column) if isinstance(column, str) else column
    return value.round(digits).cast(pl.String).str.replace(r"\.0$", "")


def apart(
    one: str | pl.Expr, other: str | pl.Expr, digits: int = 1, of_other: int | None = None
) -> tuple[pl.Expr, pl.Expr]:
    """Return two numbers that differ as texts that differ.

    With so many digits after the point at most (`of_other`: of the other one, if not as many), or
    with as many more as it takes: 'carry 10 Mb/s, the bottleneck has 10 Mb/s' explains nothing.
    """
    a, b = (pl.col(value) if isinstance(value, str) else value for value in (one, other))
    least = digits, digits if of_other is None else of_other
    places = [tuple(n + more for n in least) for more in range(MORE_DIGITS + 1)]
    said = []
    for value, which in ((a, 0), (b, 1)):
        text = fixed(value, places[-1][which])
        for of_a, of_b in reversed(places[:-1]):
            alike = a.round(of_a) == b.round(of_b)
            text = pl.when(alike).then(text).otherwise(fixed(value, (of_a, of_b)[which]))
        said.append(text)
    return said[0], said[1]


def many(column: str, one: str) -> pl.Expr:
    """Return counts with what is counted: '1 sample', '2 samples'."""
    n = pl.col(column)
    return pl.when(n == 1).then(pl.lit(f"1 {one}")).otherwise(pl.format(f"{{}} {one}s", n))
