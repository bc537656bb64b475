"""Numbers that several papers say of their data sets, with their rows (`evidence.say`)."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ..congestion_controls import pairing_name
from ..evidence.say import Said, count, given, joined, list_of, nothing, phrase, say, span
from ..places import folders
from ..statistics.steady import FACTOR, POINTS, is_unsteady
from .builds import DATE, minute
from .datasets import LONG_MS, made_when_said, stalled_runs

TAGS = pl.col("^row of .*$")
MINUTE = 16  # characters of a date to the minute


def to_the_minute(date: pl.Expr) -> pl.Expr:
    """Return a date and time of a run record to the minute: '2026-11-20 19:48'."""
    return date.str.slice(0, MINUTE).str.replace("T", " ")


def whole_numbers(run: Mapping[str, pl.DataFrame], about: Mapping, parts: Mapping) -> dict:
    """Return what a report says of all its data sets together.

    Args:
        run: tables by part, tagged.
        about: dataset.yml by part. parts: data set by part.

    Returns:
        data ('the data set `a` (its title) and ...'), made_when.
    """
    from .setups import titles_of  # here: it reads of more than a job of numbers needs

    titles = titles_of(parts, about)
    named = [
        phrase(
            "the data set `{}` ({})",
            say(of, "dataset_id"),
            given(f"{folders().raw}/{parts[part]}/dataset.yml: title", titles[part]),
        )
        for part, of in run.items()
    ]
    return {"data": joined(named, last=" and "), "made_when": made_when_said([*run.values()])}


def share_in_percent(name: str, share: float) -> Said:
    """Return a setting that is a share, in %."""
    return given(name, f"{100 * share:g}", share)


def example_numbers(example_run: Mapping) -> dict:
    """Return the run that is drawn over time, as paper.yml names it."""
    return {
        "pairing": given(
            "example_run.ccas", pairing_name(example_run["ccas"]), example_run["ccas"]
        ),
        "rtt_ms": given("example_run.rtt_ms", f"{example_run['rtt_ms']:g}"),
        "buffer_pct": given("example_run.buffer_pct", f"{example_run['buffer_pct']:g}"),
    }


def data_numbers(run: pl.DataFrame, flow: pl.DataFrame, flow_metric: pl.DataFrame) -> dict:
    """Return what a report says of a data set: its name, grid, runs and repeats."""
    second = flow.filter(pl.col("flow_id") == 2)
    first = flow_metric.filter(pl.col("flow_id") == 1)
    start = "start of flow 2, s"
    return {
        "id": say(run, "dataset_id"),
        "n_runs": count(run, words="all runs of the data set"),
        "repeats": span(
            run, pl.len().over("scenario_id"), words="fewest and most runs of a scenario"
        ),
        "rtts_ms": list_of(run, pl.col("base_rtt_s") * 1000, words="RTTs of the runs, ms"),
        "buffers_pct": list_of(run, pl.col("buffer_bdp") * 100, words="buffers, % of the BDP"),
        "start2_min_s": say(second, pl.col("start_s").min(), digits=2, words=f"first {start}"),
        "start2_max_s": say(second, pl.col("start_s").max(), digits=2, words=f"last {start}"),
        "n_window_flow1": span(
            first, "n_samples", words="fewest and most samples of flow 1 in the steady state"
        ),
        "tool": say(run, "{tool} {tool_version}", words="what made the runs")
        if run["tool_version"].null_count() == 0 and run["tool"].n_unique() == 1
        else nothing(),
    }


def observed_numbers(host: pl.DataFrame) -> dict:
    """Return what the testbed's runs measured of themselves: RTT error, reordering, queue.

    Args:
        host: rows of one part of the table of `datasets.host_table`.
    """
    fill = 100 * pl.col("queue_fill")
    return {
        "max_rtt_error_ms": say(host, pl.col("rtt_error_ms").max(), digits=3),
        "n_reordered": say(host, pl.col("n_reordered").sum()),
        "n_drops_elsewhere": say(host, pl.col("n_drops_elsewhere").sum()),
        "queue_fill_min_pct": say(host, fill.min(), digits=2),
        "queue_fill_max_pct": say(host, fill.max(), digits=2),
        "kernel": say(host, pl.col("kernel").unique().sort().str.join(", ")),
    }


def stalled_sentence(flow_metric: Mapping[str, pl.DataFrame], stalled_s: float) -> Said:
    """Return a sentence, without its stop, that names every flow that stalled.

    Args:
        flow_metric: tables by the data set's name, tagged.
        stalled_s: a flow without a byte for longer than that is named.
    """
    bound = given("stalled_s", f"{stalled_s:g}", stalled_s)
    since = phrase("for more than {} s of the steady state", bound)
    waits = [
        count(of, pl.col("zero_s") > stalled_s, words="flows that carried nothing for longer")
        for of in flow_metric.values()
    ]
    named = [
        phrase(
            "flow {} of `{}/{}` ({} s)",
            say(rows[i], "flow_id"),
            given("parts", name),
            say(rows[i], "run_id"),
            say(rows[i], "zero_s"),
        )
        for name, of in flow_metric.items()
        for rows in [stalled_runs(of, stalled_s)]
        for i in range(len(rows))
    ]
    if not named:
        return phrase("No flow carried nothing {}", since, behind=waits)
    text = "A flow that stalls stays in every mean; {} nothing was carried by {}"
    return phrase(text, since, joined(named, last=" and "))


def steadiness_numbers(
    run: Mapping[str, pl.DataFrame], run_metric: Mapping[str, pl.DataFrame]
) -> dict:
    """Return how many comparison runs are unsteady (`statistics.steady`), by part.

    Args:
        run, run_metric: tables by part, tagged.

    Returns:
        {part: {n_runs, n_unsteady, n_by_points (of them those whose shares move), long_pct (of the
        unsteady, how many have an RTT of 200 ms and more, in %)}}, factor and points.
    """
    tree: dict = {
        "factor": given("statistics.steady.FACTOR", float(FACTOR)),
        "points": given("statistics.steady.POINTS", f"{100 * POINTS:g}", POINTS),
    }
    for part, runs in run.items():
        compared = runs.filter(pl.col("role") == "comparison").select("run_id", "base_rtt_s", TAGS)
        known = compared.join(
            run_metric[part].select("run_id", "drift", "flow_change", TAGS), on="run_id"
        )
        is_long = pl.col("base_rtt_s") * 1000 >= LONG_MS
        unsteady = known.filter(is_unsteady())
        tree[part] = {
            "n_runs": count(known, words="comparison runs"),
            "n_unsteady": count(known, is_unsteady(), words="comparison runs that are unsteady"),
            "n_by_points": count(
                known, pl.col("drift") > POINTS, words="comparison runs in which a share moves"
            ),
            "long_pct": say(
                unsteady, 100 * is_long.mean(), words="of the unsteady runs those of a long RTT, %"
            ),
        }
    return tree


def criteria_numbers(written: Mapping, run: Mapping[str, pl.DataFrame]) -> dict:
    """Return when criteria were written, and how many comparison runs had been made by then.

    Args:
        written: {what: {commit, date}}, UTC, of paper.yml.
        run: the table `run` by part, tagged.

    Returns:
        {what: {date, part: '135 of 440'}}.
    """
    found = {}
    for what, when in written.items():
        name = f"criteria_written.{what}.date"
        found[what] = {"date": given(name, minute(when["date"]), when["date"])}
        for part, runs in run.items():
            earlier = (when["date"] > DATE).sum()
            found[what][part] = say(
                runs.filter(role="comparison"),
                "{} of {}",
                earlier,
                pl.len(),
                words=f"comparison runs that were made before {when['date'][:MINUTE]}, of all",
            )
    return found


def build_numbers(builds: pl.DataFrame) -> dict:
    """Return how many builds made runs, how many runs were made before their build's self-check."""
    checked = builds.filter(pl.col("checked").is_not_null())
    return {
        "n": say(builds, pl.col("build").drop_nulls().n_unique(), words="builds that made runs"),
        "n_runs": say(builds, pl.col("n_runs").sum(), words="runs of all builds"),
        "n_before": say(
            checked,
            pl.col("n_before").sum(),
            words="runs that were made before the first self-check of their build",
        ),
        "first": say(
            builds, to_the_minute(pl.col("first").min()), words="when the first run was made"
        ),
        "last": say(
            builds, to_the_minute(pl.col("last").max()), words="when the last run was made"
        ),
    }


def builds_beside_numbers(build_difference: pl.DataFrame) -> dict:
    """Return how the runs of two builds differ, by part (`builds.build_difference_table`)."""
    return {
        part: {
            "n_cells": say(of, "n_cells"),
            "index": say(of, "index", digits=3),
            "index_p": say(of, "index_p", digits=2),
            "ratio": say(of, "ratio", digits=2),
            "ratio_p": say(of, "ratio_p", digits=2),
        }
        for part in build_difference["part"]
        for of in [build_difference.filter(part=part)]
    }


def selfcheck_numbers(check: pl.DataFrame) -> dict:
    """Return how many checks were made and passed, on what, and what lone flows carried in Mb/s.

    Args:
        check: result of `selfcheck.check_rows`, tagged.
    """
    lone = check.filter("lone")
    return {
        "n_checks": count(check, words="checks of the testbed"),
        "n_passed": count(check, pl.col("passed"), words="checks of the testbed that passed"),
        "date": say(check, "date", words="day of the self-check"),
        "kernel": say(check, "kernel"),
        "iperf": say(check, "iperf"),
        "n_lone": count(lone, words="checks of a lone flow"),
        "lone_mbps": span(lone, "measured", digits=2, words="what a lone flow carried, Mb/s"),
        "expected_mbps": span(lone, "expected", digits=2, words="what a lone flow can carry, Mb/s"),
    }
