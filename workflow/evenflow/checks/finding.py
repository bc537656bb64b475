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


def findings(rows: pl.DataFrame, check: str, severity: str, message, remedy: str) -> pl.DataFrame:
    """Make findings of rows: those of the columns of FINDING that `rows` has, and the words."""
    given = {"check": pl.lit(check), "severity": pl.lit(severity), "message": message}
    given["remedy"] = pl.lit(remedy)
    given |= {name: pl.lit(None) for name in FINDING if name not in (*rows.columns, *given)}
    return rows.with_columns(**given).select(pl.col(name).cast(k) for name, k in FINDING.items())


def fixed(column: str | pl.Expr, digits: int = 1) -> pl.Expr:
    """Return numbers as text with so many digits after the point at most."""
    value = pl.col(column) if isinstance(column, str) else column
    return value.round(digits).cast(pl.String).str.replace(r"\.0$", "")
