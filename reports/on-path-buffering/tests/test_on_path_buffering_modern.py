"""How flows of today share: tables, numbers and the figure."""

import re
from pathlib import Path

import polars as pl
import pytest
from documented import documented_columns
from evenflow.charts.base import save_chart
from evenflow.evidence.runs import split
from evenflow.evidence.say import tagged
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.papers.make import load

FOLDER = Path(__file__).parents[1]
modern, modern_tables, modern_figures = (
    load(FOLDER / f"{name}.py") for name in ("modern", "modern_tables", "modern_figures")
)
share_table, flow_order = modern.share_table, modern.flow_order


def first_row(table):
    """The first row of a pipe table; every space as a plain one."""
    return table.splitlines()[2].replace(NO_BREAK_SPACE, " ")


def values_of(*rows):
    """Rows as `run_values` gives them: (ccas, RTT in s, repeat, JFI, flow 1, flow 2 in bit/s)."""
    names = ["ccas", "base_rtt_s", "repeat", "jfi", "flow1_bps", "flow2_bps"]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(
        pl.format("{}/{}/r{}", "ccas", "base_rtt_s", "repeat").alias("run_id"),
        pl.lit("comparison").alias("role"),
        pl.lit(0.2).alias("buffer_bdp"),
        pl.lit("{}").alias("factors"),
        pl.lit(7).alias("dropped"),
        ((pl.col("flow1_bps") + pl.col("flow2_bps")) / 1e8).alias("utilisation"),
        (pl.col("flow2_bps") / (pl.col("flow1_bps") + pl.col("flow2_bps"))).alias("share2"),
    )


def test_shares_are_means_over_repeats_with_their_range():
    rows = share_table(
        values_of(
            ("newreno-bbr", 0.1, 1, 0.8, 20e6, 60e6),
            ("newreno-bbr", 0.1, 2, 0.9, 30e6, 60e6),
        )
    ).rows(named=True)
    assert len(rows) == 1
    assert rows[0]["n"] == 2
    assert rows[0]["share2"] == pytest.approx((0.75 + 2 / 3) / 2)
    assert (rows[0]["share2_low"], rows[0]["share2_high"]) == (pytest.approx(2 / 3), 0.75)


def test_both_orders_of_a_pairing_meet_and_lone_orders_do_not():
    shares = share_table(
        values_of(
            ("newreno-bic", 0.1, 1, 0.8, 20e6, 60e6),
            ("bic-newreno", 0.1, 1, 0.9, 50e6, 30e6),
            ("newreno-bic", 0.2, 1, 0.9, 50e6, 30e6),
            ("newreno-newreno", 0.1, 1, 0.9, 50e6, 30e6),
        )
    )
    rows = flow_order(shares).rows(named=True)
    assert [(row["first"], row["second"]) for row in rows] == [("newreno", "bic")]
    assert rows[0]["share_as_flow2"] == pytest.approx(0.75)
    assert rows[0]["share_as_flow1"] == pytest.approx(0.625)
    assert (rows[0]["jfi_as_flow1"], rows[0]["jfi_as_flow2"]) == (0.9, 0.8)
    text = first_row(modern_tables.order_markdown(flow_order(shares)))
    assert text == "| BIC against NewReno | 100 ms, 20 % | 62 | 75 | 0.90 | 0.80 | 1 / 1 |"


def test_tables_and_numbers_of_shares_name_every_pairing():
    share = share_table(values_of(("newreno-bbr", 0.1, 1, 0.8, 20e6, 60e6)))
    named = share.select(pl.lit("modern").alias("part"), pl.all())
    line = first_row(modern_tables.share_markdown(named))
    assert line == "| NewReno – BBR | 100 | 20 | 20.0 | 60.0 | 75 | 0.80 | 80 | yes | 1 |"
    numbers = modern_tables.share_variables(tagged(named, "share"))
    assert (numbers["buffer_pct"], numbers["n"]) == ("20", "1")
    assert numbers["modern"]["newreno_bbr"] == {
        "rtts": "1 RTT", "share": "75"
    }  # fmt: skip
    two = pl.concat([named, named.with_columns(base_rtt_s=pl.lit(0.4), share2=pl.lit(0.5))])
    numbers = modern_tables.share_variables(tagged(two, "share"))["modern"]["newreno_bbr"]
    assert (numbers["rtts"], numbers["share"]) == ("2 RTTs", "50 to 75")


def test_cells_without_a_loss_are_no_part_of_the_range():
    values = values_of(
        ("newreno-bbr", 0.1, 1, 0.8, 20e6, 60e6), ("newreno-bbr", 0.4, 1, 1.0, 30e6, 30e6)
    ).with_columns(dropped=pl.Series([7, 0]))
    share = share_table(values)
    assert share["contested"].to_list() == [True, False]
    found = modern_tables.share_variables(
        tagged(share.select(pl.lit("modern").alias("part"), pl.all()), "share")
    )
    assert found["modern"]["newreno_bbr"]["share"] == "75"


def test_the_documented_columns_are_those_of_the_table():
    share = share_table(values_of(("newreno-bbr", 0.1, 1, 0.8, 20e6, 60e6)))
    named = share.select(pl.lit("modern").alias("part"), pl.all())
    documented = documented_columns((FOLDER / "README.md").read_text(encoding="utf-8"))
    assert documented["share"] == [(c, str(dtype)) for c, dtype in split(named)[0].schema.items()]


# ---- the figure ---------------------------------------------------------------------------------


def words(chart, path: Path) -> list[str]:
    save_chart(chart, path)
    return re.findall(r">([^<>]+)</(?:text|tspan)>", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("ccas", "who"), [("newreno-bbr", "BBR against NewReno"), ("bbr-bbr", "BBR against BBR")]
)
def test_shares_are_named_by_the_later_variant(tmp_path, ccas, who):
    names = ["part", "ccas", "base_rtt_s", "share2", "share2_low", "share2_high", "n", "contested"]
    rows = [
        ("modern", ccas, 0.1, 0.8, 0.7, 0.9, 2, True),
        ("swapped", "bic-newreno", 0.1, 0.4, 0, 1, 1, True),
    ]
    share = pl.DataFrame(rows, schema=names, orient="row", strict=False)
    found = words(modern_figures.share_chart(share), tmp_path / "a.svg")
    assert {who, "1 cell, n = 2", "100"} <= set(found)
    assert "Filled: the variant named first is flow 2" in " ".join(found)
    assert not any("BIC" in word for word in found)  # of another part


def test_who_is_flow_1_keeps_its_own_share():
    names = ["ccas", "base_rtt_s", "share2", "share2_low", "share2_high", "n", "contested"]
    rows = [("bbr-newreno", 0.1, 0.25, 0.2, 0.3, 2, False)]
    table = modern_figures.by_order(pl.DataFrame(rows, schema=names, orient="row"))
    row = table.row(0, named=True)
    assert (row["who"], row["is"]) == ("BBR against NewReno", "flow 1")
    assert (row["share"], row["low"], row["high"]) == (75, pytest.approx(70), pytest.approx(80))


def test_the_title_has_the_largest_share_that_was_contested():
    rows = [("BBR against CUBIC", "flow 2", 25.0, 90.0, True)]
    rows += [("BBR against NewReno", "flow 1", 25.0, 95.0, False)]
    names = ["who", "is", "rtt_ms", "share", "contested"]
    table = pl.DataFrame(rows, schema=names, orient="row")
    assert modern_figures.message(table) == (
        "BBR gets up to 90 % against CUBIC; where no packet is lost, shares are 95 %"
    )
    assert "No packet was lost" in modern_figures.message(table.filter(~pl.col("contested")))
