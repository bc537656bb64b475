"""The tables and numbers of the sections on why platforms differ and on modern questions."""

from __future__ import annotations

import polars as pl

from .reporting import NOTHING, PRINTED, markdown_table, number, span_of
from .theme import in_order, pairing_name, variant_name
from .why import MODELS, STATISTICS, distance_summary

QUANTITY = {
    "jfi": "Jain's index",
    "mean_throughput_bps_flow2": "Throughput of flow 2, Mb/s",
    "flow_nru_db_flow2": "Flow-NRU of flow 2, dB",
    "system_nru_db": "System-NRU, dB",
}
REFERENCE = {model.platform: model.name for model in reversed(MODELS)}
# what was changed, by the name of its folder; `window...`: of ns2-window
CHANGED = {
    "today": "hosts of today",
    "fast-access": "access links of 1000 Mb/s",
    "large-buffers": "socket buffers of 64 MiB",
    "no-jitter": "no jitter",
    "window20": "ns-2's window of 20 packets",
    "window2172": "ns-2's window of 2172 packets",
}


def model_order(names: list[str]) -> list[str]:
    """Return names of models in the order of MODELS."""
    known = [model.name for model in MODELS]
    return sorted(names, key=known.index)


def distance_markdown(distance: pl.DataFrame) -> str:
    """Return a row a printed surface and model: printed, measured, the reference beside it.

    Args:
        distance: rows of one platform, result of `why.distance_table`.
    """
    rows = []
    for item in distance["item"].unique(maintain_order=True):
        of_item = distance.filter(item=item)
        statistics = [s for s in STATISTICS if s in of_item["statistic"].to_list()]
        first = True
        for model in model_order(of_item["model"].unique().to_list()):
            mine = {row["statistic"]: row for row in of_item.filter(model=model).rows(named=True)}
            one = mine[statistics[0]]
            digits = PRINTED[one["metric"]][1]
            is_reference = REFERENCE[one["platform"]] == model

            def joined(column: str, mine=mine, statistics=statistics, digits=digits) -> str:
                return " / ".join(number(mine[s][column], digits) for s in statistics)

            rows.append(
                [
                    panel_name(one) if first else "",
                    joined("printed") if first else "",
                    model,
                    str(one["n_cells"]),
                    joined("measured"),
                    NOTHING if is_reference else joined("reference"),
                    number(mean_of(mine, "distance"), digits + 1),
                    NOTHING if is_reference else number(mean_of(mine, "reference_distance"), 3),
                ]
            )
            first = False
    header = ["Panel", "Printed", "Model", "Cells", "Measured", "Reference, same cells"]
    header += ["Distance", "Reference's"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=3)


def mean_of(rows: dict[str, dict], column: str) -> float | None:
    """Return the mean of a column over the statistics of a surface that it has."""
    values = [row[column] for row in rows.values() if row[column] is not None]
    return sum(values) / len(values) if values else None


def panel_name(row: dict) -> str:
    """Return 'Fig. 4(c), NewReno – BIC'."""
    place, letter = row["item"].removeprefix("fig")[:-1], row["item"][-1]
    return f"Fig. {place}({letter}), {pairing_name(row['ccas'])}"


def summary_markdown(distance: pl.DataFrame) -> str:
    """Return a row a quantity and model: mean distance to the printed numbers, reference beside."""
    rows = []
    for row in distance_summary(distance).rows(named=True):
        digits = PRINTED[row["metric"]][1] + 1
        is_reference = REFERENCE[row["platform"]] == row["model"]
        cells = span_of(pl.Series([row["n_cells_min"], row["n_cells_max"]]))
        rows.append(
            [
                "ns2" if row["platform"] == "ns2" else "testbed",
                QUANTITY[row["metric"]],
                row["model"],
                str(row["n_surfaces"]),
                cells,
                str(row["n_numbers"]),
                number(row["distance"], digits),
                NOTHING if is_reference else number(row["reference_distance"], digits),
                NOTHING if is_reference else f"{row['n_nearer']} / {row['n_farther']}",
            ]
        )
    header = ["Printed", "Quantity", "Model", "Surfaces", "Cells each", "Numbers", "Distance"]
    header += ["Reference's", "Nearer / farther"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=3)


def change_markdown(change: pl.DataFrame) -> str:
    """Return a row a change and pairing: over its cells, the index before and after."""
    rows = []
    for what in sorted(change["what"].unique(), key=list(CHANGED).index):
        of_what = change.filter(what=what)
        for ccas in in_order(of_what["ccas"].unique().to_list()):
            cells = of_what.filter(ccas=ccas)
            largest = cells.sort(pl.col("difference").abs(), descending=True).row(0, named=True)
            tested = cells["outside"].drop_nulls()
            rows.append(
                [
                    CHANGED[what],
                    pairing_name(ccas),
                    str(len(cells)),
                    number(cells["base_jfi"].mean(), 2),
                    number(cells["jfi"].mean(), 2),
                    plus(largest["difference"]),
                    place(largest),
                    f"{tested.sum()} of {len(tested)}",
                    f"{span_of(cells['base_n'])} / {span_of(cells['n'])}",
                ]
            )
    header = ["Changed", "Pairing", "Cells", "JFI before", "After", "Largest change", "At"]
    header += ["Outside", "Runs a cell"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=2)


def place(row: dict) -> str:
    """Return a cell in words: '25 ms, 20 %'."""
    return f"{row['base_rtt_s'] * 1000:g} ms, {row['buffer_bdp'] * 100:g} %"


def share_markdown(share: pl.DataFrame) -> str:
    """Return a row a pairing and RTT (or buffer): throughput of both, share of flow 2, JFI, n."""
    rows = []
    for ccas in in_order(share["ccas"].unique().to_list()):
        for row in share.filter(ccas=ccas).sort("base_rtt_s", "buffer_bdp").rows(named=True):
            spread = "" if row["n"] == 1 else f" ({percent_range(row)})"
            rows.append(
                [
                    pairing_name(ccas),
                    f"{row['base_rtt_s'] * 1000:g}",
                    f"{row['buffer_bdp'] * 100:g}",
                    number(row["flow1_bps"] / 1e6, 1),
                    number(row["flow2_bps"] / 1e6, 1),
                    percent(row["share2"]) + spread,
                    number(row["jfi"], 2),
                    percent(row["utilisation"]),
                    str(row["n"]),
                ]
            )
    header = ["Flow 1 – flow 2", "RTT (ms)", "Buffer (% of BDP)", "Flow 1 (Mb/s)", "Flow 2 (Mb/s)"]
    header += ["Share of flow 2 (%)", "JFI", "Used (%)", "n"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=1)


def percent(share: float | None) -> str:
    """Return a share in %, without its sign."""
    return number(None if share is None else 100 * share, 0)


def percent_range(row: dict) -> str:
    """Return the range of flow 2's share over repeats, in %."""
    return f"{percent(row['share2_low'])} to {percent(row['share2_high'])}"


def order_markdown(order: pl.DataFrame) -> str:
    """Return a row a cell and pairing in both orders: the second's share and the index.

    Args:
        order: result of `why.flow_order`.
    """
    rows = [
        [
            f"{variant_name(row['second'])} against {variant_name(row['first'])}",
            place(row),
            percent(row["share_as_flow1"]),
            percent(row["share_as_flow2"]),
            number(row["jfi_as_flow1"], 2),
            number(row["jfi_as_flow2"], 2),
            f"{row['n_as_flow1']} / {row['n_as_flow2']}",
        ]
        for row in order.rows(named=True)
    ]
    header = ["Who", "RTT, buffer", "Share as flow 1 (%)", "As flow 2 (%)", "JFI as flow 1"]
    header += ["As flow 2", "n"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=2)
