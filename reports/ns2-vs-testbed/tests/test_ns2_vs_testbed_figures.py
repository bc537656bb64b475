"""Figures of 'Why do ns-2 and the testbed differ?', on tables with holes: what a reader sees."""

import re
from pathlib import Path

import polars as pl
import pytest
from evenflow.charts.base import save_chart
from evenflow.papers.make import load

FOLDER = Path(__file__).parents[1]
figures = load(FOLDER / "why_figures.py")


def words(chart, path: Path) -> list[str]:
    save_chart(chart, path)
    return re.findall(r">([^<>]+)</(?:text|tspan)>", path.read_text(encoding="utf-8"))


def test_ranges_name_every_model_and_its_cells(tmp_path):
    names = ["model", "n_cells", "statistic", "printed", "measured", "reference"]
    rows = [
        ("right names", 40, "min", 0.94, 0.53, 0.53),
        ("right names", 40, "mean", 0.99, 0.56, 0.56),
        ("right names", 40, "max", 1.0, 0.68, 0.68),
        ("both names unknown", 1, "min", 0.94, 0.99, 0.55),
        ("both names unknown", 1, "mean", 0.99, 0.99, 0.55),
        ("both names unknown", 1, "max", 1.0, 0.99, 0.55),
    ]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        paper=pl.lit("ns2-vs-testbed"),
        item=pl.lit("fig4c"),
        platform=pl.lit("ns2"),
        metric=pl.lit("jfi"),
        ccas=pl.lit("newreno-bic"),
        unit=pl.lit("1"),
        distance=pl.lit(0.1),
        reference_distance=pl.lit(0.2),
    )
    found = words(figures.range_chart(table, "ns2"), tmp_path / "a.svg")
    assert {
        "printed, in the original",
        "right names, 40 cells",
        "both names unknown, 1 cell",
    } <= set(found)
    assert {"Fig. 4c", "NewReno – BIC", "Jain's index"} <= set(found)


def test_a_model_without_a_cell_says_so_in_its_line(tmp_path):
    names = ["item", "model", "n_cells", "statistic", "printed", "measured", "reference"]
    rows = [
        (item, model, 4, statistic, 0.9, 0.9, 0.9)
        for item, models in (
            ("fig4c", ["right names", "both names unknown"]),
            ("fig4e", ["right names"]),
        )
        for model in models
        for statistic in ("min", "mean", "max")
    ]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        paper=pl.lit("p"), platform=pl.lit("ns2"), metric=pl.lit("jfi"), ccas=pl.lit("newreno-bic"),
        unit=pl.lit("1"), distance=pl.lit(0.1), reference_distance=pl.lit(0.2),
    )  # fmt: skip
    found = words(figures.range_chart(table, "ns2"), tmp_path / "a.svg")
    assert [found.count(f"{name}, 4 cells") for name in ("right names", "both names unknown")] == [
        1,
        1,
    ]
    assert found.count("not run") == 1


def test_the_title_sets_the_distance_of_each_model_next_to_the_reference(tmp_path):
    names = ["model", "statistic", "distance", "reference_distance"]
    rows = [("right names", "min", 0.4, 0.4), ("both names unknown", "min", 0.03, 0.4)]
    table = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        paper=pl.lit("p"), item=pl.lit("fig4c"), platform=pl.lit("ns2"), metric=pl.lit("jfi"),
        unit=pl.lit("1"), n_cells=pl.lit(4),
    )  # fmt: skip
    said = figures.range_message(table)
    assert said.endswith("(in brackets: right names, same cells): both names unknown 0.03 (0.40)")


def test_changes_have_a_panel_for_what_was_run_and_name_cells_and_ns2(tmp_path):
    names = ["what", "ccas", "base_rtt_s", "buffer_bdp", "base_jfi", "expected_low"]
    names += ["expected_high", "jfi", "n", "simulation_jfi"]
    rows = [
        ("today", "newreno-bic", 0.025, 0.2, 0.6, None, None, 0.7, 1, 0.65),
        ("today", "newreno-cubic", 0.1, 0.2, 0.6, 0.55, 0.65, 0.7, 2, None),
        ("no-jitter", "newreno-bic", 0.025, 0.2, 0.6, None, None, 0.7, 1, 0.65),
    ]
    change = pl.DataFrame(rows, schema=names, orient="row")
    found = words(figures.change_chart(change), tmp_path / "a.svg")
    assert (found.count("current Linux defaults"), found.count("no jitter")) == (2, 1)
    assert "no runs" not in found  # CUBIC without jitter has no panel
    assert {"25 ms, 20 %", "100 ms, 20 %", "1 cell, n = 1", "1 cell, n = 2"} <= set(found)
    assert {"ns-2", "base", "changed"} <= set(found)
    # of equal changes the last cell by name
    assert "Jain's index moves most with" in " ".join(found)


def test_the_picture_of_the_readme_is_the_figure_of_today():
    """What it shows, in words; it has a white ground and no data, so its bytes are others."""
    drawn, picture = (
        path / "free-windows.svg"
        for path in (FOLDER / "figures", FOLDER.parents[1] / "docs/images")
    )
    if not drawn.exists():
        pytest.skip("the report is not made")
    shown = [
        re.search("<desc>(.*?)</desc>", p.read_text(encoding="utf-8"))[1] for p in (drawn, picture)
    ]
    assert shown[0] == shown[1], f"copy {drawn} to {picture}, with a white ground"
