"""The data set, its scenarios and their values in print.

A scenario of few drop events is marked with a dagger wherever it is printed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl
from evenflow.charts.theme import AQM_NAMES, BACKGROUND_KINDS
from evenflow.congestion_controls import variant_name
from evenflow.evidence.say import Said, nothing, phrase, say
from evenflow.markdown import NOTHING, number, span_of
from evenflow.provenance.made import made_when

from .design import AQMS, BACKGROUNDS, VARIANTS, select

MARK = "†"  # of a scenario of few drop events
# metric of the table `scenario` -> name in print, factor to the printed unit, digits
PRINTED = {
    "bpdd": ("BPDD (packets)", 1, 0),
    "bpdd_foreground": ("Of which foreground", 1, 0),
    "p": ("P (%)", 100, 0),
    "flows_losing": ("Flows losing", 1, 1),
    "time_full_s": ("Time above 97.5 % (s)", 1, 2),
    "cov": ("CoV", 1, 2),
    "cov_background": ("CoV of the background", 1, 2),
    "fairness_ratio_12": ("FR", 1, 2),
    "rtt_ratio_12": ("RTT ratio", 1, 2),
    "beta_measured": ("β", 1, 2),
    "beta_base": ("β, base RTT", 1, 2),
}


def scenario_name(row: dict) -> str:
    """Return a scenario in words: 'SACK, DropTail, Pareto 40 × 5 Mb/s'."""
    return f"{variant_name(row['variant'])}, {queue_name(row['aqm'])}, {background_name(row)}"


def background_name(row: dict) -> str:
    """Return a scenario's background in words: 'Pareto 40 × 5 Mb/s', 'FTP1', 'none'."""
    kind = BACKGROUND_KINDS.get(row["background"], (row["background"],))[0]
    label = row["label"]
    return label if label.lower().startswith(row["background"]) else f"{kind} {label}"


def queue_name(aqm: str) -> str:
    """Return a queue discipline's name in print."""
    return AQM_NAMES.get(aqm, aqm)


def digits_of(shown: float | None, digits: int) -> int:
    """Return how many digits after the point a value has in print: one less for each power of ten.

    Args:
        shown: in the printed unit.
        digits: of a value below ten.
    """
    if shown is None or abs(shown) < 10:
        return digits
    return max(0, digits - int(math.log10(abs(shown))))


def value(row: dict, metric: str, interval: bool = True) -> str:
    """Return a scenario's value with its interval: '3.81 (3.60 to 4.02)'; a dash where none."""
    _, factor, digits = PRINTED[metric]
    mean, low, high = (row.get(f"{metric}{end}") for end in ("", "_low", "_high"))
    if mean is None:
        return NOTHING
    digits = digits_of(mean * factor, digits)
    text = number(mean * factor, digits)
    if interval and low is not None:
        text += f" ({number(low * factor, digits)} to {number(high * factor, digits)})"
    return text


def said_value(row: pl.DataFrame, metric: str) -> Said:
    """Return `value` of the one row of a tagged table; a dash where there is none."""
    of = row.row(0, named=True) if len(row) == 1 else {}
    if of.get(metric) is None:
        return nothing()
    _, factor, digits = PRINTED[metric]
    ends = (
        f" ({{{metric}_low}} to {{{metric}_high}})" if of.get(f"{metric}_low") is not None else ""
    )
    digits = digits_of(of[metric] * factor, digits)
    return say(row, f"{{{metric}}}{ends}", digits=digits, unit=1 / factor)


def said_estimate(row: pl.DataFrame) -> Said:
    """Return `estimate_in_words` of the one row of the tagged table `claim`."""
    of = row.row(0, named=True)
    if of["estimate"] is None:
        return nothing()
    ends = "" if of["low"] is None else " ({low} to {high})"
    digits = digits_of(of["estimate"] / of["factor"], of["digits"])
    return say(row, f"{{estimate}}{ends}", digits=digits, unit=of["factor"])


def variants_and_queues() -> dict[str, tuple]:
    """Return {column: the order of its values, and what names one in print}."""
    return {"variant": (VARIANTS, variant_name), "aqm": (AQMS, queue_name)}


NAMES = {"variant": "variants", "aqm": "queues"}


def listed_names(rows: pl.DataFrame, column: str, how: tuple) -> Said:
    """Return the names of a column's values in print, in an order."""
    words = _listed(rows[column], *how)
    values = pl.col(column).unique().sort().str.join(", ")
    return phrase(words, behind=[say(rows, values, words=NAMES[column])])


def estimate_in_words(row: Mapping) -> str:
    """Return what a row of the table `claim` was measured to be: '1.09 (0.80 to 1.38)'."""
    if row["estimate"] is None:
        return NOTHING
    digits = digits_of(row["estimate"] / row["factor"], row["digits"])
    mean, low, high = (
        None if row[name] is None else number(row[name] / row["factor"], digits)
        for name in ("estimate", "low", "high")
    )
    return mean if low is None else f"{mean} ({low} to {high})"


def describe_data(
    run: pl.DataFrame,
    placed_run: pl.DataFrame,
    scenario: pl.DataFrame,
    ledger: pl.DataFrame,
    thresholds: dict,
) -> dict[str, str]:
    """Return what the report says of the data set as a whole."""
    placed = run.join(placed_run.select("run_id"), on="run_id", how="semi")
    files = ledger.filter(pl.col("entry") == "file")
    kinds = [kind for kind in BACKGROUNDS if kind in scenario["background"].to_list()]
    return {
        "id": run["dataset_id"][0],
        "tool": " ".join(filter(None, (placed["tool"][0], placed["tool_version"][0]))),
        "n_runs": str(len(placed)),
        "n_other_runs": str(len(run) - len(placed)),
        "n_scenarios": str(len(scenario)),
        "repeats": span_of(scenario["n_runs"]),
        "n_repeated": str((scenario["n_runs"] > 1).sum()),
        "n_few": str(scenario["few_events"].sum()),
        "few_events": str(thresholds["few_events"]),
        "variants": _listed(scenario["variant"], VARIANTS, variant_name),
        "queues": _listed(scenario["aqm"], AQMS, queue_name),
        "backgrounds": ", ".join(BACKGROUND_KINDS[kind][0] for kind in kinds),
        "bottleneck_mbps": span_of(placed["bottleneck_bps"] / 1e6),
        "buffer_packets": span_of(placed_run["queue_limit_packets"]),
        "duration_s": span_of(placed["duration_s"]),
        "warmup_s": span_of(placed["warmup_s"]),
        "window_s": span_of(placed_run["window_s"]),
        "gap_ms": span_of(placed_run["gap_s"] * 1000),
        "n_events": f"{placed_run['n_events'].sum():,}",
        "n_losses": f"{placed_run['losses'].sum():,}",
        "n_files": f"{len(files):,}",
        "raw_mb": number(files["bytes"].sum() / 1e6, 1),
        "n_lines": f"{files['lines'].sum():,}",
        "n_rejected_lines": f"{files['lines_rejected'].sum():,}",
        "made_when": made_when(placed["made_by"]),
    }


def _listed(values: pl.Series, order: list[str], name) -> str:
    found = values.unique(maintain_order=True).to_list()
    known = [each for each in order if each in found]
    return ", ".join(map(name, [*known, *sorted(set(found) - set(known))]))


def facts(
    run: pl.DataFrame, flow: pl.DataFrame, placed_run: pl.DataFrame, about: dict
) -> dict[str, str]:
    """Return what can be said of the data set in the words of the table of deviations.

    Args:
        run, flow: its tables.
        placed_run: the table of the paper.
        about: its dataset.yml; may be empty.

    Returns:
        {fact: text}; the facts are those that a row of authors.yml may name under `ours`.
    """
    placed = run.join(placed_run.select("run_id"), on="run_id", how="semi")
    flows = flow.join(placed_run.select("run_id"), on="run_id", how="semi")
    tools = placed.select("tool", "tool_version").unique().sort("tool", "tool_version").rows()
    rtts = flows.group_by("flow_id").agg(pl.col("base_rtt_s").first()).sort("flow_id")
    udp = placed_run.filter(pl.col("sources").is_not_null())
    packets = flows["mss_bytes"].drop_nulls()
    return {
        "platform": "; ".join(" ".join(filter(None, tool)) for tool in tools) or NOTHING,
        "bottleneck": f"{span_of(placed['bottleneck_bps'] / 1e6)} Mb/s",
        "buffer": f"{span_of(placed_run['queue_limit_packets'])} packets",
        "packet": f"{span_of(packets)} bytes of payload",
        "rtts": ", ".join(number(1000 * rtt, 0) for rtt in rtts["base_rtt_s"].drop_nulls())
        + " ms, round trip without queue",
        "variants": _listed(placed_run["variant"], VARIANTS, variant_name),
        "queues": _listed(placed_run["aqm"], AQMS, queue_name),
        "udp": f"{span_of(udp['source_kbps'])} kb/s a source, {span_of(udp['aggregate_mbps'])} Mb/s"
        if len(udp)
        else "none",
        "ftp": _loads(placed_run, "ftp"),
        "http": _loads(placed_run, "http"),
        "duration": f"{span_of(placed['duration_s'])} s",
        "window": f"{span_of(placed_run['window_s'])} s",
        "gap": f"{span_of(placed_run['gap_s'] * 1000)} ms",
        "events": f"{span_of(placed_run['n_events'])} per run",
        "repeats": span_of(placed_run.group_by("scenario_id", maintain_order=True).len()["len"]),
        "bins": f"{span_of(placed_run['bin_s'] * 1000)} ms, in {placed_run['bin_s'].count()} of "
        f"{len(placed_run)} runs",
        "licence": str(about.get("licence", "not stated")),
    }


def _loads(placed_run: pl.DataFrame, kind: str) -> str:
    found = select(placed_run, background=kind)["label"].unique(maintain_order=True).to_list()
    return ", ".join(found) or "none"
