"""Figures of the sections on further data sets, on tables with holes: what a reader sees."""

import re

import polars as pl
import pytest
from report_scripts import script


def words(name, tmp_path, *arguments):
    """Draw a figure by its script; return the words in it."""
    script(f"figures/{name}").main(*arguments, str(tmp_path / "figure.svg"))
    return texts(tmp_path / "figure.svg")


def texts(figure):
    svg = figure.read_text(encoding="utf-8")
    return re.findall(r">([^<>]+)</(?:text|tspan)>", svg)


def test_ranges_name_every_model_and_its_cells(tmp_path):
    names = ["model", "n_cells", "statistic", "printed", "measured", "reference"]
    rows = [
        ("names right", 40, "min", 0.94, 0.53, 0.53),
        ("names right", 40, "mean", 0.99, 0.56, 0.56),
        ("names right", 40, "max", 1.0, 0.68, 0.68),
        ("both unknown", 1, "min", 0.94, 0.99, 0.55),
        ("both unknown", 1, "mean", 0.99, 0.99, 0.55),
        ("both unknown", 1, "max", 1.0, 0.99, 0.55),
    ]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        paper=pl.lit("ns2-vs-testbed"),
        item=pl.lit("fig4c"),
        platform=pl.lit("ns2"),
        metric=pl.lit("jfi"),
        ccas=pl.lit("newreno-bic"),
    )
    table.write_parquet(tmp_path / "distance.parquet")
    figure = tmp_path / "why-ranges_ns2.svg"
    script("figures/draw_why_ranges").main([str(tmp_path / "distance.parquet")], [str(figure)])
    found = texts(figure)
    assert {"printed", "names right", "both unknown", "40 cells", "1 cell"} <= set(found)
    assert {"Fig. 4c", "NewReno – BIC", "Jain's index"} <= set(found)


def test_changes_have_a_panel_for_each_change_and_say_where_nothing_was_run(tmp_path):
    names = ["what", "ccas", "base_rtt_s", "buffer_bdp", "base_jfi", "expected_low"]
    names += ["expected_high", "jfi", "n"]
    rows = [
        ("today", "newreno-bic", 0.025, 0.2, 0.6, None, None, 0.7, 1),
        ("today", "newreno-cubic", 0.1, 0.2, 0.6, 0.55, 0.65, 0.7, 2),
        ("no-jitter", "newreno-bic", 0.025, 0.2, 0.6, None, None, 0.7, 1),
    ]
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(tmp_path / "change.parquet")
    found = words("draw_why_changes", tmp_path, str(tmp_path / "change.parquet"))
    assert found.count("hosts of today") == found.count("no jitter") == 2
    assert found.count("no runs") == 1  # CUBIC without jitter
    assert {"25 ms, 20 %", "100 ms, 20 %", "1 cell, n = 1", "1 cell, n = 2"} <= set(found)


@pytest.mark.parametrize(
    ("ccas", "who"), [("newreno-bbr", "BBR against NewReno"), ("bbr-bbr", "BBR against BBR")]
)
def test_shares_are_named_by_the_later_variant(tmp_path, ccas, who):
    names = ["part", "ccas", "base_rtt_s", "share2", "share2_low", "share2_high", "n"]
    rows = [("modern", ccas, 0.1, 0.8, 0.7, 0.9, 2), ("swapped", "bic-newreno", 0.1, 0.4, 0, 1, 1)]
    pl.DataFrame(rows, schema=names, orient="row", strict=False).write_parquet(
        tmp_path / "share.parquet"
    )
    found = words("draw_modern_shares", tmp_path, str(tmp_path / "share.parquet"))
    assert {who, "1 cell, n = 2", "flow 1", "flow 2", "100"} <= set(found)
    assert not any("BIC" in word for word in found)  # of another part


def test_who_is_flow_1_keeps_its_own_share(tmp_path):
    shares = script("figures/draw_modern_shares")
    names = ["ccas", "base_rtt_s", "share2", "share2_low", "share2_high", "n"]
    rows = [("bbr-newreno", 0.1, 0.25, 0.2, 0.3, 2)]
    row = shares.by_order(pl.DataFrame(rows, schema=names, orient="row")).row(0, named=True)
    assert (row["who"], row["is"]) == ("BBR against NewReno", "flow 1")
    assert (row["share"], row["low"], row["high"]) == (75, pytest.approx(70), pytest.approx(80))
