"""Printed values beside ours: the right metric, unit, role and pairing for each."""

import io

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.evidence.runs import split
from evenflow.evidence.say import tagged
from markdown_tables import rows_of

from ..printed import (
    COLUMNS,
    printed_and_computed,
    printed_and_measured,
    printed_surfaces,
    printed_table,
    printed_variables,
)

MINUS = "\u2212"
HEADER = ",".join(COLUMNS)
PATH = "reports/p/published.csv"
MEASURES = {"testbed": ["testbed", "testbed_alternative"], "ns2": ["simulation"]}


def read(*rows: str) -> pl.DataFrame:
    """Read published.csv as papers' functions are given it: a table of strings."""
    return pl.read_csv(io.StringIO("\n".join([HEADER, *rows]) + "\n"), infer_schema=False)


def published(*rows: str) -> pl.DataFrame:
    return printed_surfaces(read(*rows), list(MEASURES), PATH)


BIC_SELF = "p,fig3b,testbed,bic-self,throughput_flow2,Mbit/s,mean,31.5,Figure 3(b)"
BIC_JFI = "p,fig4c,ns2,newreno-vs-bic,jfi,1,min,0.94,Figure 4(c)"
ANALYTIC = "p,fig2,analytic,two-flows,jfi,1,min,0.51,Figure 2"


def test_cases_become_roles_and_pairings():
    table = published(BIC_SELF, BIC_JFI, ANALYTIC)
    assert table.select("item", "metric", "unit_si", "role", "ccas").rows() == [
        ("fig3b", "mean_throughput_bps_flow2", 1e6, "calibration", "bic-bic"),
        ("fig4c", "jfi", 1.0, "comparison", "newreno-bic"),
    ]


def summary(*rows: tuple) -> pl.DataFrame:
    columns = ["part", "dataset_id", "metric", "role", "ccas", "min", "mean", "max", "stddev"]
    return pl.DataFrame(
        [(*row, 15, 3, 3) for row in rows],
        schema=[*columns, "n_cells", "n_runs", "n_runs_max"],
        orient="row",
    )


def test_measured_values_stand_beside_the_printed_ones_in_their_unit():
    ours = summary(
        ("testbed", "a", "mean_throughput_bps_flow2", "calibration", "bic-bic", 1e6, 4e7, 9e7, 1e6),
        ("testbed_alternative", "b", "jfi", "comparison", "newreno-bic", 0.5, 0.6, 0.7, 0.1),
        ("simulation", "c", "jfi", "comparison", "newreno-bic", 0.55, 0.6, 0.7, 0.1),
    )
    table = printed_and_measured(published(BIC_SELF, BIC_JFI), ours, MEASURES)
    assert table.select("item", "part", "dataset_id", "value", "measured").rows() == [
        ("fig3b", "testbed", "a", 31.5, 40.0),
        ("fig3b", "testbed_alternative", "b", 31.5, None),  # it has no calibration of BIC
        ("fig4c", "simulation", "c", 0.94, 0.55),
    ]


def test_measured_values_have_the_runs_of_their_surface():
    ours = summary(("simulation", "c", "jfi", "comparison", "newreno-bic", 0.55, 0.6, 0.7, 0.1))
    ours = ours.with_columns(runs=pl.Series([["simulation/a/r1", "simulation/a/r2"]]))
    table, runs = split(printed_and_measured(published(BIC_JFI), ours, MEASURES))
    assert "runs" not in table.columns
    assert runs.rows() == [(0, "", "simulation/a/r1"), (0, "", "simulation/a/r2")]


def test_what_an_equation_says_stands_beside_what_is_printed_of_it():
    rows = read(BIC_SELF, ANALYTIC, ANALYTIC.replace("min,0.51", "max,1.00"))
    table = printed_and_computed(rows, {"min": 0.5, "max": 1.0}, PATH)
    assert table.select("item", "statistic", "value", "measured").rows() == [
        ("fig2", "min", 0.51, 0.5),
        ("fig2", "max", 1.0, 1.0),
    ]
    ours = summary(("testbed", "a", "jfi", "comparison", "x-y", 1.0, 1.0, 1.0, 0.0))
    measured = printed_and_measured(printed_surfaces(rows, list(MEASURES), PATH), ours, MEASURES)
    assert table.schema == measured.schema


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEADER.replace("case", "pairing") + "\n" + BIC_JFI, "the columns are"),
        (f"{HEADER}\n{BIC_JFI.replace('newreno-vs-bic', 'bic+newreno')}", "unknown case 'bic+new"),
        (f"{HEADER}\n{BIC_JFI.replace('jfi', 'jain')}", "unknown quantity 'jain'"),
    ],
)
def test_a_wrong_table_is_named(text, said):
    table = pl.read_csv(io.StringIO(text + "\n"), infer_schema=False)
    with pytest.raises(DataError) as error:
        printed_surfaces(table, list(MEASURES), PATH)
    assert str(error.value).startswith(PATH)
    assert said in error.value.problem
    assert error.value.remedy


PUBLISHED = pl.DataFrame(
    {
        "paper": ["p"] * 3,
        "item": ["fig4d", "fig4d", "fig4h"],
        "platform": ["testbed"] * 3,
        "case": ["newreno-vs-bic", "newreno-vs-bic", "newreno-vs-compound"],
        "quantity": ["jfi"] * 3,
        "unit": ["1"] * 3,
        "statistic": ["min", "max", "min"],
        "value": [0.37, 0.96, -0.21],
        "part": ["testbed"] * 3,
        "dataset_id": ["a"] * 3,
        "metric": ["jfi"] * 3,
        "role": ["comparison"] * 3,
        "ccas": ["newreno-bic", "newreno-bic", "newreno-compound"],
        "measured": [0.5, 0.994, None],
        "n_cells": [15, 15, None],
    }
)


def test_printed_variables():
    assert printed_variables(tagged(PUBLISHED, "printed")) == {
        "fig4d": {"max": "0.96", "min": "0.37"},
        "fig4h": {"min": f"{MINUS}0.21"},
    }


def test_the_printed_table_has_a_row_a_panel():
    header, first, second = rows_of(printed_table(PUBLISHED, ["simulation", "testbed"]))
    assert header == ["Panel", "Printed", "`a`"]
    assert first == ["Fig. 4(d), NewReno – BIC, JFI", "0.37 / 0.96", "0.50 / 0.99 (15)"]
    assert second == ["Fig. 4(h), NewReno – Compound, JFI", f"{MINUS}0.21", "–"]
