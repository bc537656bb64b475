"""The table of deviations and the sentences about surfaces: computed from the data, never typed."""

import polars as pl
import pytest
from evenflow.reporting import setups
from raw_data import TINY, build_tables


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    found = build_tables(TINY / "tiny-testbed", tmp_path_factory.mktemp("d"))
    run, flow = found["run"], found["flow"]
    interval = pl.DataFrame({"run_id": run["run_id"]}).join(
        flow.select("run_id", "flow_id"), on="run_id"
    )
    metric = interval.with_columns(
        pl.lit(1.0).alias("interval_s"),
        pl.lit(20.0).alias("warmup_s"),
        pl.lit(40).alias("n_samples"),
    )
    return run, flow, metric


def test_facts_of_real_runs(tables):
    facts = setups.dataset_facts(*tables, {"licence": "CC-BY-4.0"})
    wanted = {
        "licence": "CC-BY-4.0",
        "bottleneck": "100 Mb/s",
        "queue": "DropTail",
        "rtt": "25, 100 ms",
        "buffer": "60 % of the BDP",
        "pairings": "NewReno against BIC",
        "cells": "2 of 2 per pairing",
        "repeats": "2",
        "runs": "12",
        "duration": "60 s",
        "window": "20 s",
        "measurement": "a report every 1 s, at the receiver",
        "samples": "320 per pairing",
    }
    assert {key: facts[key] for key in wanted} == wanted
    assert facts["platform"].startswith("testbed, iperf 2.1.8, kernel 6.12.")
    socket_buffers = "end hosts: default socket buffers of Linux 2.6, access links of 100 Mb/s"
    assert facts["settings"].startswith(f"{socket_buffers}; jitter: ± 50 µs; router: a rate limit")


def test_a_factor_of_the_user_is_printed_as_it_is_written():
    run = pl.DataFrame({"factors": ['{"wifi_card": "ax_2", "jitter_us": 3.5}']})
    assert setups.settings_in_words(run) == "jitter: ± 3.5 µs; wifi card: ax\\_2"


def test_of_what_nothing_is_said_the_table_says_so(tables):
    run, flow, metric = tables
    blind = run.with_columns(
        pl.lit(None, dtype=pl.String).alias("platform"),
        pl.lit(None, dtype=pl.String).alias("tool"),
        pl.lit(None, dtype=pl.String).alias("tool_version"),
        pl.lit(None, dtype=pl.String).alias("aqm"),
        pl.lit(None, dtype=pl.Float64).alias("duration_s"),
        pl.lit("{}").alias("made_by"),
        pl.lit("{}").alias("factors"),
    )
    facts = setups.dataset_facts(blind, flow, metric, {})
    unsaid = {key for key, text in facts.items() if text == setups.UNSAID}
    assert unsaid == {"licence", "platform", "queue", "duration"}


def test_runs_without_a_place_on_the_grid_are_counted_apart(tables):
    run, flow, metric = tables
    first = pl.col("run_id") == run["run_id"][0]
    odd = run.with_columns(pl.when(first).then(None).otherwise("base_rtt_s").alias("base_rtt_s"))
    facts = setups.dataset_facts(odd, flow, metric, {})
    assert facts["runs"] == "11; 1 more have no place on the grid"
    assert facts["repeats"] == "1 to 2"


def test_every_row_of_the_table_has_its_fact(tables):
    facts = setups.dataset_facts(*tables, {"source": "a | b"})
    rows = [
        {"what": "Licence", "authors": "none", "ours": "licence"},
        {"what": "RTT", "authors": "25 ms", "ours": "rtt"},
    ]
    table = setups.deviation_table(rows, {"mine": facts, "other": facts}).split("\n")
    assert table[0] == "|  | The authors | `mine` | `other` |"
    assert len(table) == 2 + len(rows)


def test_what_a_data_set_says_of_itself_is_escaped():
    text = setups.source_list({"a": {"title": "50% | *x*", "source": "by `me`\n and\n$you$"}})
    assert text == ("- `a`, 50% \\| \\*x\\*. Source: by me and \\$you\\$. Licence: not stated.")
