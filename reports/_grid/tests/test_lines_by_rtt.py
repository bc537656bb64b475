"""Surfaces as lines: nothing is dropped, and what is uncontested can be told from the rest."""

import polars as pl

from ..lines_by_rtt import Row, lines_by_rtt

CELLS = pl.DataFrame(
    [
        ("newreno-bic", rtt, buffer, contested, n, value)
        for rtt, buffer, contested, n, value in (
            (0.025, 0.2, True, 3, 0.5),
            (0.1, 0.2, True, 1, 0.1),
            (0.4, 0.2, False, 1, 1.0),
            (0.025, 1.0, True, 3, 0.02),
        )
    ],
    schema=["ccas", "base_rtt_s", "buffer_bdp", "contested", "n", "value"],
    orient="row",
)


def drawn(figure: dict) -> list[dict]:
    return [row for table in figure["datasets"].values() for row in table]


def panels(figure: dict) -> list[dict]:
    return [panel for row in figure["vconcat"] for panel in row["hconcat"]]


def test_each_cell_is_a_point_of_its_buffer_s_line():
    figure = lines_by_rtt([Row("Own queue", CELLS, "NewReno / flow 2", 1.0, log=True)], "It falls")
    points = drawn(figure)
    assert len(points) == 4
    assert {(p["rtt_ms"], p["buffer"], p["value"]) for p in points if p["buffer"] == "100 %"} == {
        (25.0, "100 %", 0.02)
    }
    hollow = [p for p in points if p["point"] == "not"]
    assert [p["rtt_ms"] for p in hollow] == [400.0]
    assert " ".join(figure["title"]["text"]) == "It falls"
    assert "1–3 runs" in " ".join(figure["title"]["subtitle"])


def test_a_logarithmic_axis_reaches_the_level_at_which_nothing_differs():
    low = CELLS.with_columns(pl.col("value") / 10)
    (panel,) = panels(lines_by_rtt([Row("Own queue", low, "ratio", 1.0, log=True)], "x"))
    scales = [layer["encoding"]["y"].get("scale") for layer in panel["layer"]]
    (domain,) = {tuple(scale["domain"]) for scale in scales if scale}
    assert domain == (0.002, 1.0)


def test_a_row_without_a_cell_is_left_out_and_a_missing_pairing_says_so():
    other = CELLS.with_columns(ccas=pl.lit("newreno-cubic"))
    rows = [
        Row("Own queue", pl.concat([CELLS, other]), "dB"),
        Row("Shared limit", CELLS, "dB"),
        Row("Open", CELLS.clear(), "dB"),
    ]
    figure = lines_by_rtt(rows, "x")
    assert len(figure["vconcat"]) == 2
    headings = [panel["title"]["subtitle"] for panel in panels(figure)]
    assert [" ".join(of) if isinstance(of, list) else of for of in headings] == [
        "Own queue",
        "Own queue",
        "Shared limit",
        "no run yet",
    ]
