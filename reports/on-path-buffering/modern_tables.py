"""Tables and numbers of 'Modern questions'."""

from __future__ import annotations

import polars as pl
from evenflow.congestion_controls import in_order, pairing_name, variant_name
from evenflow.evidence.cells import made_of
from evenflow.evidence.say import list_of, phrase, say, span
from evenflow.markdown import NOTHING, markdown_table, number, whole_percent, word

from .._grid.words import place_in_words


def share_markdown(share: pl.DataFrame) -> str:
    """Return a row a pairing and RTT (or buffer): throughput of both, share of flow 2, JFI, n."""
    rows = []
    for ccas in in_order(share["ccas"].unique(maintain_order=True).to_list()):
        for row in share.filter(ccas=ccas).sort("base_rtt_s", "buffer_bdp").rows(named=True):
            spread = "" if row["n"] == 1 else f" ({percent_range(row)})"
            rows.append(
                [
                    pairing_name(ccas),
                    f"{row['base_rtt_s'] * 1000:g}",
                    f"{row['buffer_bdp'] * 100:g}",
                    *made_of(
                        row,
                        number(row["flow1_bps"] / 1e6, 1),
                        number(row["flow2_bps"] / 1e6, 1),
                        whole_percent(row["share2"]) + spread,
                        number(row["jfi"], 2),
                        whole_percent(row["utilisation"]),
                        "yes" if row["contested"] else "no",
                        str(row["n"]),
                    ),
                ]
            )
    header = ["Flow 1 – flow 2", "RTT (ms)", "Buffer (% of BDP)", "Flow 1 (Mb/s)", "Flow 2 (Mb/s)"]
    header += ["Share of flow 2 (%)", "JFI", "Used (%)", "Contested", "n"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=1)


def percent_range(row: dict) -> str:
    """Return the range of flow 2's share over repeats, in %."""
    return f"{whole_percent(row['share2_low'])} to {whole_percent(row['share2_high'])}"


def order_markdown(order: pl.DataFrame) -> str:
    """Return a row a cell and pairing in both orders: the second's share and the index.

    Args:
        order: result of `modern.flow_order`.
    """
    rows = [
        [
            f"{variant_name(row['second'])} against {variant_name(row['first'])}",
            place_in_words(row),
            *made_of(
                row,
                whole_percent(row["share_as_flow1"]),
                whole_percent(row["share_as_flow2"]),
                number(row["jfi_as_flow1"], 2),
                number(row["jfi_as_flow2"], 2),
                f"{row['n_as_flow1']} / {row['n_as_flow2']}",
            ),
        ]
        for row in order.rows(named=True)
    ]
    header = ["Pair", "RTT, buffer", "Share as flow 1 (%)", "As flow 2 (%)", "JFI as flow 1"]
    header += ["As flow 2", "n"]
    return markdown_table(header, rows or [[NOTHING] * len(header)], numeric_from=2)


def share_variables(share: pl.DataFrame) -> dict:
    """Return what the text says of how flows share.

    Args:
        share: result of `modern.share_table` with the column part.

    Returns:
        {part: {pairing: {rtts ('5 RTTs'), share (of flow 2, '78 to 81' %), of its contested
        cells}}}; and of the part `modern` `buffer_pct` and `n`, how many runs a cell has.
    """
    modern = share.filter(part="modern")
    buffers = list_of(modern, pl.col("buffer_bdp") * 100)
    tree: dict = {"buffer_pct": buffers, "n": span(modern, "n", words="runs of a cell")}
    for (part, ccas), cells in share.partition_by("part", "ccas", as_dict=True).items():
        cells = cells.filter("contested")
        rtts = say(cells, pl.col("base_rtt_s").n_unique(), words="RTTs with contested cells")
        tree.setdefault(part, {})[word(ccas)] = {
            "rtts": phrase("{} RTT" if rtts == "1" else "{} RTTs", rtts),
            "share": span(cells, 100 * pl.col("share2"), words="share of flow 2, %"),
        }
    return tree
