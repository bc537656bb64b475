"""Printed values beside ours: the right metric, unit, role and pairing for each."""

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.published import COLUMNS, printed_and_computed, printed_and_measured, read_published
from raw_data import ROOT

HEADER = ",".join(COLUMNS)
PAPERS = ["on-path-buffering", "ns2-vs-testbed"]


def published(tmp_path, *rows: str) -> pl.DataFrame:
    path = tmp_path / "published.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    return read_published(str(path))


BIC_SELF = "p,fig3b,testbed,bic-self,throughput_flow2,Mbit/s,mean,31.5,Figure 3(b)"
BIC_JFI = "p,fig4c,ns2,newreno-vs-bic,jfi,1,min,0.94,Figure 4(c)"
ANALYTIC = "p,fig2,analytic,two-flows,jfi,1,min,0.51,Figure 2"


def test_cases_become_roles_and_pairings(tmp_path):
    table = published(tmp_path, BIC_SELF, BIC_JFI, ANALYTIC)
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


def test_measured_values_stand_beside_the_printed_ones_in_their_unit(tmp_path):
    ours = summary(
        ("testbed", "a", "mean_throughput_bps_flow2", "calibration", "bic-bic", 1e6, 4e7, 9e7, 1e6),
        ("testbed_alternative", "b", "jfi", "comparison", "newreno-bic", 0.5, 0.6, 0.7, 0.1),
        ("simulation", "c", "jfi", "comparison", "newreno-bic", 0.55, 0.6, 0.7, 0.1),
    )
    table = printed_and_measured(published(tmp_path, BIC_SELF, BIC_JFI), ours)
    assert table.select("item", "part", "dataset_id", "value", "measured").rows() == [
        ("fig3b", "testbed", "a", 31.5, 40.0),
        ("fig3b", "testbed_alternative", "b", 31.5, None),  # it has no calibration of BIC
        ("fig4c", "simulation", "c", 0.94, 0.55),
    ]


def test_what_an_equation_says_stands_beside_what_is_printed_of_it(tmp_path):
    path = tmp_path / "published.csv"
    rows = [BIC_SELF, ANALYTIC, ANALYTIC.replace("min,0.51", "max,1.00")]
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    table = printed_and_computed(str(path))
    assert table.select("item", "statistic", "value").rows() == [
        ("fig2", "min", 0.51),
        ("fig2", "max", 1.0),
    ]
    # (1 + 100)^2 / (2 (1 + 100^2)), and equal throughputs
    assert table["measured"].to_list() == pytest.approx([10201 / 20002, 1.0])
    ours = summary(("testbed", "a", "jfi", "comparison", "x-y", 1.0, 1.0, 1.0, 0.0))
    assert table.schema == printed_and_measured(read_published(str(path)), ours).schema


@pytest.mark.parametrize("paper", PAPERS)
def test_every_printed_value_is_in_the_table(paper):
    path = str(ROOT / f"reports/{paper}/published.csv")
    parts = [("testbed", "t"), ("simulation", "s")]
    ours = summary(*((*part, "jfi", "comparison", "x-y", 1.0, 1.0, 1.0, 0.0) for part in parts))
    table = pl.concat(
        [printed_and_measured(read_published(path), ours), printed_and_computed(path)]
    )
    shown = set(table.select("item", "statistic").rows())
    assert shown == set(pl.read_csv(path).select("item", "statistic").rows())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEADER.replace("case", "pairing") + "\n" + BIC_JFI, "the columns are"),
        (f"{HEADER}\n{BIC_JFI.replace('newreno-vs-bic', 'bic+newreno')}", "unknown case 'bic+new"),
        (f"{HEADER}\n{BIC_JFI.replace('jfi', 'jain')}", "unknown quantity 'jain'"),
    ],
)
def test_a_wrong_table_is_named(tmp_path, text, said):
    path = tmp_path / "published.csv"
    path.write_text(text + "\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_published(str(path))
    assert str(error.value).startswith(str(path))
    assert said in error.value.problem
    assert error.value.remedy


@pytest.mark.parametrize("paper", PAPERS)
def test_the_committed_values_are_possible(paper):
    table = read_published(str(ROOT / f"reports/{paper}/published.csv"))
    assert table["paper"].unique().to_list() == [paper]
    wide = table.pivot("statistic", index=["item", "platform", "case"], values="value")
    assert (wide["min"] <= wide["mean"]).all() and (wide["mean"] <= wide["max"]).all()
    assert not table.select("item", "statistic").is_duplicated().any()
    indices = table.filter(quantity="jfi")["value"]
    assert indices.is_between(0, 1).all()


def test_the_minima_that_two_flows_cannot_have_are_as_printed():
    """Jain's index of two flows is at least 0.5; the paper prints 0.40, 0.37 and 0.21."""
    table = read_published(str(ROOT / "reports/ns2-vs-testbed/published.csv"))
    below = table.filter(pl.col("value") < 0.5)
    assert sorted(below["value"]) == [0.21, 0.21, 0.37, 0.40]
    assert set(below["platform"]) == {"testbed"}
