"""Tables in print: what is below each heading, groups, pivots, and the rows behind cells."""

import polars as pl
from evenflow.evidence.say import tagged
from evenflow.kit.names import heading_of, in_print, mean_of_means, measured
from evenflow.kit.tables import (
    fixed,
    groups,
    in_order,
    interval,
    labelled,
    named,
    pivoted,
    printed,
)
from evenflow.markdown import NOTHING

CELLS = tagged(
    pl.DataFrame(
        {
            "part": ["testbed", "simulation", "testbed", "testbed", "other"],
            "cca": ["bic", "bic", "bic", "cubic", "bic"],
            "rtt_ms": [16.0, 16.0, 82.0, 16.0, 16.0],
            "jfi": [0.5, 0.75, 0.9, None, 0.1],
            "jfi_low": [0.4, None, 0.85, None, None],
            "jfi_high": [0.6, None, 0.95, None, None],
        }
    ),
    "cell",
)
NAMES = {"simulation": "ns-2", "testbed": "Testbed"}


def lines_of(table: str) -> list[list[str]]:
    """Return the rows of a table in markdown without the line below its head."""
    rows = [line.strip("|").split("|") for line in table.splitlines()]
    return [
        [cell.strip().replace("\xa0", " ") for cell in row] for i, row in enumerate(rows) if i != 1
    ]


def test_rows_come_in_the_order_that_is_listed_and_others_are_left_out():
    ordered = in_order(CELLS, part=NAMES, cca=["cubic", "bic"])
    assert ordered.select("part", "cca").rows() == [
        ("simulation", "bic"),
        ("testbed", "cubic"),
        ("testbed", "bic"),
        ("testbed", "bic"),
    ]


def test_a_row_of_print_is_a_row_of_data_and_its_values_lead_to_it():
    table = printed(
        in_order(CELLS, part=NAMES),
        {"Platform": named("part", NAMES), "Variant": "cca"},
        {"Index": interval("jfi", 2), "Index (%)": fixed("jfi", 0, times=100)},
    )
    assert lines_of(table) == [
        ["Platform", "Variant", "Index", "Index (%)"],
        ["ns-2", "bic", "0.75", "75"],
        ["Testbed", "bic", "0.50 (0.40 to 0.60)", "50"],
        ["Testbed", "bic", "0.90 (0.85 to 0.95)", "90"],
        ["Testbed", "cubic", NOTHING, NOTHING],
    ]
    aligned = [cell.strip().endswith(":") for cell in table.splitlines()[1].strip("|").split("|")]
    assert aligned == [False, False, True, True]  # names to the left, values to the right
    behind = {place: rows["cell"] for place, rows in table.cells.items()}
    assert behind == {(0, 2): [1], (0, 3): [1], (1, 2): [0], (1, 3): [0], (2, 2): [2], (2, 3): [2]}


def test_a_group_has_a_column_for_each_value_and_a_dash_where_it_has_none():
    table = printed(
        groups(in_order(CELLS, part=NAMES, cca=["bic"]), "part"),
        {"Platform": named("part", NAMES)},
        {"Cells": pl.len()} | pivoted("rtt_ms", {16: "16 ms", 82: "82 ms"}, fixed("jfi", 2)),
    )
    assert lines_of(table) == [
        ["Platform", "Cells", "16 ms", "82 ms"],
        ["ns-2", "1", "0.75", NOTHING],
        ["Testbed", "2", "0.50", "0.90"],
    ]
    assert table.cells[1, 1]["cell"] == [0, 2] and table.cells[1, 3]["cell"] == [2]


def test_without_a_row_a_table_says_so_and_columns_that_say_nothing_can_go():
    values = {"Index": fixed("jfi", 2), "Ends": fixed("jfi_low", 2)}
    table = printed(CELLS.clear(), {"Variant": "cca"}, values, none="no run has ended")
    assert lines_of(table)[1] == ["no run has ended", NOTHING, NOTHING]
    one = printed(CELLS[1:2], {"Variant": "cca"}, values, optional=["Ends"])
    assert lines_of(one) == [["Variant", "Index"], ["bic", "0.75"]]
    both = printed(CELLS[:2], {"Variant": "cca"}, values, optional=["Ends"])
    assert lines_of(both)[0] == ["Variant", "Index", "Ends"]


def test_names_of_the_row_above_can_be_left_empty():
    names = {"Platform": "part", "Variant": "cca"}
    table = printed(in_order(CELLS, part=["testbed"]), names, {"n": "rtt_ms"}, once=1)
    assert [row[:2] for row in lines_of(table)[1:]] == [
        ["testbed", "bic"],
        ["", "bic"],
        ["", "cubic"],
    ]


def test_rows_with_names_of_their_own_may_be_empty_groups():
    rows = {"all": CELLS, "none": CELLS.clear()}
    table = labelled(rows, "Cells", {"n": pl.len(), "Index": fixed(pl.col("jfi").mean(), 2)})
    assert lines_of(table) == [
        ["Cells", "n", "Index"],
        ["all", "5", "0.56"],
        ["none", "0", NOTHING],
    ]


def test_names_units_and_digits_of_a_metric_are_those_of_the_registry():
    assert heading_of("mean_throughput_bps_flow2").endswith(" of flow 2 (Mb/s)")
    assert (in_print("utilisation").unit, in_print("utilisation").factor) == ("%", 0.01)
    row = {"metric": "utilisation", "mean": 0.9512}
    digits = in_print("utilisation").digits
    assert measured("mean")(row) == f"{95.12:.{digits}f}"
    assert measured("mean", more=1)(row) == f"{95.12:.{digits + 1}f}"
    assert measured("mean")({"metric": "jfi", "mean": None}) == NOTHING


def test_the_mean_over_scenarios_of_a_ratio_is_geometric_and_there_is_none_if_one_has_none():
    def over(metric: str, *means: float | None) -> float | None:
        cell = pl.DataFrame(
            {"metric": metric, "mean": means}, schema_overrides={"mean": pl.Float64}
        )
        return cell.select(mean_of_means()).item()

    assert over("throughput_ratio", 4.0, 0.25) == 1.0
    assert over("throughput_ratio", 4.0, None) is None
    assert over("jfi", 0.5, 1.0) == 0.75
    assert over("mean_throughput_bps_flow1", 2e6, 4e6) == 3e6
