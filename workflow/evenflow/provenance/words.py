"""Keys, values and settings of any table in words, as panels and `evenflow trace` say them.

What is of one table only is in tables.yml; what is a metric has its name in the registry.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ..charts.theme import AQM_NAMES
from ..congestion_controls import pairing_name, variant_name
from ..markdown import NOTHING
from ..metrics.catalogue import METRICS

# column -> what it is; after a comma its unit
KEYS = {
    "part": "on",
    "subject": "on",
    "ccas": "flows",
    "base_rtt_s": "RTT",
    "buffer_bdp": "buffer",
    "claim": "sentence",
    "case": "case",
    "set": "free runs of",
    "what": "changed to",
    "cca": "variant",
    "cca1": "flow 1",
    "cca2": "flow 2",
    "other": "beside",
    "rtt1_ms": "RTT of flow 1, ms",
    "rtt2_ms": "RTT of flow 2, ms",
    "rtt_ms": "RTT, ms",
    "run_id": "run",
    "flow_id": "flow",
    "bottleneck_bps": "bottleneck",
    "n_flows": "number of flows",
    "aqm": "queue",
    "queue": "buffer",
    "fraction": "share of the largest buffer",
    "scenario_id": "scenario",
    "source_kbps": "sources of",
    "from_s": "from, s",
    "to_s": "to, s",
    "label": "background",
    "bottleneck_mbps": "rate, Mb/s",
    "bin_s": "bins of, s",
    "cutoff_s": "steady state from, s",
    "gap_s": "gap between events, s",
    "item": "printed in",
    "weight": "weight of",
    "x": "between",
    "y": "and",
    "start": "steady state from",
}
OF = ("part", "subject")  # columns of names of data sets; of what is none: 'of the model'
SHARE = ("buffer_bdp", "fraction")
VARIANTS = ("cca", "cca1", "cca2", "variant", "other")
FIGURE = re.compile(r"(fig|table)(\d+)([a-z]?)")
# column -> its values, where these are not what any reader would write
VALUES: Mapping[str, Mapping[str, str]] = {
    "subject": {
        "model": "the model",
        "sack1": "ns-2's own implementation",
        "sack1-slow": "ns-2's own implementation with slow senders",
        "linux": "Linux's implementation",
        **AQM_NAMES,
    },
    "implementation": {
        "ns2": "ns-2's own",
        "sack1": "ns-2's own",
        "sack1-slow": "ns-2's own, slow senders",
        "linux": "Linux's",
    },
    "aqm": AQM_NAMES,
    "statistic": {"min": "smallest", "max": "largest", "stddev": "standard deviation"},
    "view": {
        "friendliness": "TCP-friendliness",
        "intra": "intra-protocol",
        "rtt": "RTT fairness",
        "inter": "inter-protocol",
    },
    "queue": {"bdp20": "20 % of BDP", "3mb": "3 MB"},
    "window": {
        "own": "each flow's own time",
        "together": "the time from flow 2's start",
        "steady": "the steady state",
        "mser5": "the time from MSER-5's warm-up",
        "common": "the steady state, cut to the shorter runs",
        "half": "the second half",
    },
    "what": {
        "today": "current Linux defaults",
        "fast-access": "access links of 1000 Mb/s",
        "large-buffers": "socket buffers of 64 MiB",
        "no-jitter": "no jitter",
    },
    "quantity": {
        "flow1": "flow-NRU of flow 1",
        "flow2": "flow-NRU of flow 2",
        "system": "system-NRU",
        "rise": "rise of system-NRU with the RTT",
    },
    "cells": {"steady": "contested and steady", "free": "with no flow window-limited"},
    "weight": {"place": "the flow in the same place", "flow2": "flow 2", "all": "both flows"},
    "metric": {
        "flow_nru_db": "flow-NRU",
        "mean_throughput_bps": "mean throughput",
        "goodput_share": "goodput of the bottleneck's rate",
        "queue_share": "mean queue of the buffer",
    },
}
# words of a setting's name that a reader would write in another way
SETTINGS = {
    "bps": "rate",
    "bic": "BIC",
    "ccas": "pairing",
    "fdr": "false discovery rate",
    "jfi": "Jain's index",
    "mb": "MB",
    "nru": "NRU",
    "rtt": "RTT",
}
UNITS = {"ms": "ms", "s": "s", "db": "dB", "pct": "%", "bytes": "bytes", "segments": "segments"}


def label_of(column: str, value: object, data_sets: Mapping[str, str]) -> str:
    """Return what a key is called before its value.

    Args:
        data_sets: part of a paper -> its data set.
    """
    if column in OF and value not in data_sets and value not in data_sets.values():
        return "of"
    return KEYS.get(column, column.replace("_", " "))


def with_unit(label: str, value: str) -> tuple[str, str]:
    """Return a key and its value, the key's unit behind the value: ('RTT', '16 ms')."""
    name, comma, unit = label.rpartition(", ")
    return (name, f"{value} {unit}") if comma else (label, value)


def pairs_in_words(where: Mapping[str, str]) -> str:
    """Return keys and values in one line: 'RTT 16 ms, flow 1: NewReno'."""
    return ", ".join(f"{k}{':' if k[-1:].isdigit() else ''} {v}" for k, v in where.items())


def value_in_words(column: str, value: object) -> str:
    """Return a key or a value as a reader writes it."""
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return _text_in_words(column, value)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return str(value)
    if column in ("base_rtt_s", "rtt_s"):
        return f"{1000 * value:g} ms"
    if column in SHARE:
        return f"{100 * value:g} %"
    if column == "bottleneck_bps":
        return f"{value / 1e6:g} Mb/s"
    if column == "source_kbps":
        return f"{value:g} kb/s"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _text_in_words(column: str, value: str) -> str:
    known = VALUES.get(column, {}).get(value)
    if known:
        return known
    if column == "ccas":
        return flows_in_words(value)
    if column in VARIANTS:
        return variant_name(value)
    if column == "metric":
        return metric_in_words(value)
    if column == "item" and (found := FIGURE.fullmatch(value)):
        kind, n, panel = found.groups()
        return f"{'Figure' if kind == 'fig' else 'Table'} {n}{panel}"
    if column == "start" and value.isdigit():
        return f"{value} s"
    return value


def flows_in_words(ccas: str) -> str:
    """Return the flows of a run: 'NewReno – BIC', of more than two '4 × SACK'."""
    of = ccas.split("-")
    if len(of) == 2:
        return pairing_name(ccas)
    counted = Counter(map(variant_name, of))
    return ", ".join(f"{n} × {name}" if n > 1 else name for name, n in counted.items())


def metric_in_words(name: str) -> str:
    """Return a metric in a sentence: 'flow-NRU of flow 2', 'utilisation (%)'."""
    base, _, flow = name.rpartition("_flow")
    of = base if flow.isdigit() else name
    known = VALUES["metric"].get(of)
    if known is None:
        known = in_a_sentence(METRICS[of].label) if of in METRICS else of.replace("_", " ")
    return f"{known} of flow {flow}" if flow.isdigit() else known


def in_a_sentence(label: str) -> str:
    """Return the name of a metric without its capital; Jain keeps his."""
    return label if label.startswith("Jain") else f"{label[:1].lower()}{label[1:]}"


def setting_in_words(setting: str, value: str) -> str:
    """Return what a setting is: of a file of the configuration, or a constant of the rules."""
    file, colon, key = setting.partition(": ")
    if colon:
        return f"the {key} that {file} says"
    *modules, name = setting.split(".")
    for i, part in enumerate([*modules, name]):
        if part.isupper():
            return f"the constant {part} of {'/'.join(modules[:i])}.py, {value}"
    words = name.split("_")
    unit = UNITS.get(words[-1], "") if len(words) > 1 else ""
    said = " ".join(SETTINGS.get(word, word) for word in words[: -1 if unit else None])
    kind = f"'{said}'" if modules else said
    of = f" of {', '.join(modules).replace('_', ' ')}" if modules else ""
    value = flows_in_words(value) if name == "ccas" else value
    return f"the setting {kind}{of}, {value}{' ' if unit else ''}{unit}"


def no_expression(text: str) -> bool:
    """Return whether a sentence has no text of a variable or expression in it."""
    return not re.search(r"col\(|\b[a-z]\w*_\w+|\.\w+\(", re.sub(r"\S+/\S+|\w+\.py\b", "", text))
