"""What a data set is: who measured it, and what it holds."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

import polars as pl

from ...congestion_controls import in_order, variant_name
from ...ingest.joining.units import SET_S
from ...markdown import NOTHING
from ...metrics.fairness import compared, cross_traffic, of_tcp
from ...paths import printable
from ...render.element import Html, element, folded, prose, together
from ...scalars import scalar
from .assumed import assumed_keys
from .parts import numbers, size_in_words, some_words
from .subject import many


def facts(about: Mapping, tables: Mapping[str, pl.DataFrame]) -> Html:
    """Return what the data set holds, and who measured it."""
    run, flow, ledger_ = tables["run"], tables["flow"], tables["ledger"]
    assumed = assumed_keys(tables)
    files = ledger_.filter(entry="file")
    repeats = run.group_by("scenario_id", maintain_order=True).len()["len"]
    unknown = "not stated"
    tools = [" ".join(filter(None, pair)) for pair in run.select("tool", "tool_version").rows()]
    of_runs = map(json.loads, _said(run, "versions"))
    versions = sorted({f"{k} {v}" for each in of_runs for k, v in each.items()})
    rows = {
        "Source": source_of(about),
        "Platform": about.get("platform")
        or _words(run["platform"])
        or (f"{assumed['platform']} (assumed)" if "platform" in assumed else unknown),
        "Licence": about.get("licence") or unknown,
        "Tool": _words(pl.Series(tools, dtype=pl.String)) or _formats(tables) or unknown,
        "Made": _dates(run, tables) or unknown,
        "Runs": f"{len(run):,}",
        "Scenarios": f"{len(repeats):,}, with {_span(repeats)} "
        f"{'run' if repeats.max() == 1 else 'runs'} each",
        "Roles": _counts(run["role"]),
        "Flows a run": _span(run["n_flows"]),
        "Cross traffic": some_words(cross_traffic_kinds(flow)),
        "Protocol": some_words(protocols(tables)).upper(),
        "Congestion control": some_words(
            list(map(variant_name, in_order(list(set(flow["cca"].drop_nulls())))))
        )
        or ("none: no flow is of TCP" if len(flow) > len(of_tcp(flow)) == 0 else unknown),
        "Bottleneck (Mb/s)": numbers(run["bottleneck_bps"], 1e6) or unknown,
        "RTT (ms)": numbers(flow["base_rtt_s"], 1e-3) or unknown,
        "Buffer": _buffers(run) or unknown,
        "Length of a run (s)": numbers(run["duration_s"], 1) or unknown,
        "Raw files": f"{len(files):,}, {size_in_words(int(files['bytes'].sum()))} on disk, "
        f"{many(int(files['lines'].sum()), 'line')}",
        "Samples": f"{many(int(files['lines_sample'].sum()), 'line')}, "
        f"{many(int(tables['flow_metric']['n_samples'].sum()), 'sample')} in the steady state",
    }
    shown = [
        [element("dt", name), element("dd", prose(str(value)))]
        for name, value in rows.items()
        if value
    ]
    lines = [element("li", version) for version in versions]
    title = f"Versions that made it ({len(versions)})"
    return together(
        element("dl", shown, class_="facts"),
        folded(title, element("ul", lines)) if versions else "",
        confirmed(about.get("confirmed", ())),
    )


def confirmed(sentences: Collection[str]) -> Html:
    """Return what dataset.yml confirms, word for word."""
    said = [element("li", printable(sentence)) for sentence in sentences]
    title = together("Confirmed in ", element("code", "dataset.yml"), f" ({len(said):,})")
    return folded(title, element("ul", said)) if said else Html("")


def source_of(about: Mapping) -> str:
    """Return who measured it, as dataset.yml says."""
    return str(about.get("source") or "Who measured this is not stated")


def protocols(tables: Mapping[str, pl.DataFrame]) -> list[str]:
    """Return the protocols that the logs name: 'tcp', 'udp'."""
    return sorted(set(tables["stream"]["protocol"].drop_nulls())) if "stream" in tables else []


def compares_datagrams(tables: Mapping[str, pl.DataFrame]) -> bool:
    """Return whether the fairness of a data set is that of flows of UDP too."""
    if cross_traffic(tables["flow"]).is_empty():
        return "udp" in protocols(tables)
    return "udp" in set(compared(tables["flow"])["protocol"])


def cross_traffic_kinds(flow: pl.DataFrame) -> list[str]:
    """Return what the cross traffic of a data set is: 'CBR', 'UDP', or a congestion control."""
    cross = cross_traffic(flow)
    if cross.is_empty():
        return []
    kind = pl.coalesce("traffic", pl.col("protocol").replace("tcp", None)).str.to_uppercase()
    kinds = cross.select(kind.alias("kind"), "cca").rows()
    return sorted({kind or (variant_name(cca) if cca else "TCP") for kind, cca in kinds})


def _formats(tables: Mapping[str, pl.DataFrame]) -> str:
    """Return the formats of the logs with samples, and the versions that the logs name."""
    logs = tables["ledger"].filter(pl.col("lines_sample") > 0, entry="file")
    versions = (
        tables["stream"]["tool_version"] if "stream" in tables else pl.Series([], dtype=pl.String)
    )
    return " ".join(filter(None, [_words(logs["format"]), _words(versions)]))


def _words(values: pl.Series) -> str:
    return some_words([str(value) for value in values.drop_nulls().unique().sort() if value])


def _counts(values: pl.Series) -> str:
    counts = (
        values.alias("value")
        .drop_nulls()
        .value_counts()
        .sort("count", "value", descending=[True, False])
    )
    return some_words([f"{n:,} {value}" for value, n in counts.rows()])


def _span(values: pl.Series) -> str:
    low, high = scalar(values.min()), scalar(values.max())
    return NOTHING if low is None else str(low) if low == high else f"{low} to {high}"


def _buffers(run: pl.DataFrame) -> str:
    if share := numbers(run["buffer_bdp"], 0.01):
        return f"{share} % of the bandwidth-delay product"
    size = numbers(run["buffer_bytes"], 1e3)
    return f"{size} kB" if size else ""


def _said(run: pl.DataFrame, key: str) -> list[str]:
    """Return what the records of runs say under a key, each once, as text or JSON."""
    return run["made_by"].str.json_path_match(f"$.{key}").drop_nulls().unique().sort().to_list()


def _dates(run: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> str:
    dates = sorted({date[:10] for date in _said(run, "date") if date})
    if not dates and "stream" in tables:
        epochs = tables["stream"].filter(pl.col("start_epoch_s") >= SET_S)["start_epoch_s"]
        stamps = (epochs * 1000).cast(pl.Int64).cast(pl.Datetime("ms")).dt.date()
        dates = [str(date) for date in stamps.unique().sort()]
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}" if dates else ""
