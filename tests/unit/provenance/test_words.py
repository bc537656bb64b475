"""What panels and `evenflow trace` say of keys, settings and rows of claims."""

import polars as pl
import pytest
from evenflow.evidence.runs import split
from evenflow.provenance.behind import (
    Behind,
    aggregate_in_words,
    cells_in_words,
    claim_sentence,
    family_in_words,
    rows_in_words,
)
from evenflow.provenance.words import (
    label_of,
    no_expression,
    pairs_in_words,
    setting_in_words,
    value_in_words,
    with_unit,
)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("ccas", "newreno-bic", "NewReno – BIC"),
        ("ccas", "sack-sack-sack-sack", "4 × SACK"),
        ("ccas", "cubic-bbr-cubic", "2 × CUBIC, BBR"),
        ("ccas", "bic", "BIC"),
        ("aqm", "droptail", "DropTail"),
        ("aqm", "codel", "codel"),
        ("metric", "flow_nru_db_flow2", "flow-NRU of flow 2"),
        ("metric", "utilisation", "utilisation (%)"),
        ("metric", "jfi", "Jain's index"),
        ("metric", "cut_rate", "cut rate"),
        ("item", "fig4b", "Figure 4b"),
        ("item", "table1", "Table 1"),
        ("item", "5.2", "5.2"),
        ("base_rtt_s", 0.1, "100 ms"),
        ("start", "50", "50 s"),
        ("start", "MSER-5", "MSER-5"),
        ("free", True, "True"),
        ("buffer_bdp", None, "–"),
    ],
)
def test_values_are_what_a_reader_writes(column, value, words):
    assert value_in_words(column, value) == words


def test_the_unit_of_a_key_stands_behind_its_value_and_digits_do_not_meet():
    assert with_unit("RTT of flow 1, ms", "16") == ("RTT of flow 1", "16 ms")
    assert with_unit("buffer", "40 %") == ("buffer", "40 %")
    said = pairs_in_words({"RTT of flow 1": "16 ms", "flow 2": "BIC", "buffer": "40 %"})
    assert said == "RTT of flow 1: 16 ms, flow 2: BIC, buffer 40 %"


def test_what_is_no_data_set_has_no_on():
    of_part = {"testbed": "testbed-router"}
    assert label_of("part", "testbed", of_part) == "on"
    assert label_of("subject", "testbed-router", of_part) == "on"
    assert label_of("subject", "model", of_part) == "of"


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("fdr", "0.05", "the setting false discovery rate, 0.05"),
        ("readings.low_rtt_ms", "16", "the setting 'low RTT' of readings, 16 ms"),
        ("readings.fair_jfi", "0.9", "the setting 'fair Jain's index' of readings, 0.9"),
        ("example_run.ccas", "newreno-bic", "the setting 'pairing' of example run, NewReno – BIC"),
        ("statistics.steady.FACTOR", "1.5", "the constant FACTOR of statistics/steady.py, 1.5"),
        ("metrics.QUEUES.bdp20", "20 %", "the constant QUEUES of metrics.py, 20 %"),
        ("x/dataset.yml: title", "Two", "the title that x/dataset.yml says"),
    ],
)
def test_settings_are_in_words_with_their_unit(setting, value, words):
    said = setting_in_words(setting, value)
    assert said == words and no_expression(said)


def test_a_superlative_is_said_once():
    assert aggregate_in_words("largest {}", "RTT") == "largest RTT"
    assert aggregate_in_words("largest {}", "largest window, packets") == "largest window, packets"
    said = aggregate_in_words("smallest {}", "largest backlog")
    assert said == "smallest value of the largest backlog"
    assert aggregate_in_words("mean of {}", "largest backlog") == "mean of largest backlog"


def test_one_row_is_not_each():
    part = {"n_runs": 2, "where": {"buffer": "40 %"}, "rows": 1, "of": 9, "row": "a cell"}
    assert rows_in_words(part) == "from one row (buffer 40 %), a cell, computed from 2 runs"
    several = part | {"rows": 3, "n_runs": 1}
    assert (
        rows_in_words(several) == "from 3 of 9 rows (buffer 40 %), each a cell, computed from 1 run"
    )


@pytest.mark.parametrize(
    ("n_cells", "n", "n_most", "n_borrowed", "n_runs", "words"),
    [
        (3, 3, 3, 0, 9, "3 cells with 3 runs each (9 runs in all)"),
        (2, 1, 3, 0, 4, "2 cells with 1 to 3 runs each (4 runs in all)"),
        (1, 3, 3, 0, 3, "1 cell with 3 runs"),
        (1, 1, 1, 0, 1, "1 cell with 1 run"),
        # n is of the cells that move the estimate: one more run is in another
        (5, 3, 3, 0, 16, "5 cells (16 runs in all)"),
        (1, 3, 3, 0, 4, "1 cell (4 runs in all)"),
        (4, 1, 1, 2, 30, "4 cells (30 runs in all, with those of cells that lend their variance)"),
        (4, 0, None, 0, 0, "4 cells"),
        (None, None, None, None, 0, "a computed value"),
    ],
)
def test_runs_of_cells_are_those_that_are_listed(n_cells, n, n_most, n_borrowed, n_runs, words):
    row = {"n_cells": n_cells, "n": n, "n_most": n_most, "n_borrowed": n_borrowed}
    assert cells_in_words(row, n_runs) == words


def test_a_claim_of_several_parts_says_in_how_many_it_holds():
    said = {
        "What is measured": "Mean D",
        "Case": "BIC",
        "Of": "1 cell with 3 runs",
        "Found": "0.1",
        "Asserted": "at least 0.05",
        "Control": "none",
        "Outcome": "mixed",
    }
    one = claim_sentence({"On": "testbed-router", **said})
    assert one == (
        "Mean D (BIC), on testbed-router, over 1 cell with 3 runs: 0.1; asserted: at least 0.05; "
        "no control; outcome: mixed"
    )
    several = {
        "Of what": "the model",
        **said,
        "Of": "a computed value",
        "Case": "all of the sentence",
    }
    several["Holds"] = "in 4 of 7 parts, of which this is one"
    assert claim_sentence(several).startswith("Mean D, of the model, a computed value: 0.1;")
    assert claim_sentence(several).endswith("mixed; it holds in 4 of 7 parts, of which this is one")


def test_a_p_value_says_how_many_tests_it_is_adjusted_over():
    class Paper:
        def table(self, name):
            assert name == "claim"
            return pl.DataFrame({"place": ["1", "2", ""], "p_value": [0.1, None, 0.2]})

    assert family_in_words(Paper(), {"place": "1"}) == (
        "1 test of the paper, of sentences of the original"
    )
    assert family_in_words(Paper(), {"place": ""}) == "1 test of the paper, of its own findings"


def test_cells_of_a_table_that_nobody_described_lead_to_its_rows(tmp_path):
    """As in a paper that somebody begins: tables.yml has no words for its columns."""
    table = pl.DataFrame({"mine": [1.5, 2.5], "runs": [["testbed/a/r1"], ["testbed/a/r2"]]})
    for folder in ("papers/p", "lab"):
        (tmp_path / folder).mkdir(parents=True)
    pl.DataFrame({"run_id": ["a/r1", "a/r2"]}).write_parquet(tmp_path / "lab/run.parquet")
    for made, name in zip(split(table), ("own.parquet", "own.runs.parquet"), strict=True):
        made.write_parquet(tmp_path / "papers/p" / name)
    behind = Behind(str(tmp_path), "p", {"testbed": "lab"})
    marks, records = behind.cells({"own": [[0, [1], {"own": [1, 1]}]]})
    assert marks == {"own": [[0, [1], 0]]}
    (part,) = records[0]["parts"]
    assert (part["rows"], part["n_runs"], part["head"]) == (1, 1, [])
