"""What was assumed of a data set, and the lines for dataset.yml that say it, or say it better."""

from __future__ import annotations

import json
from typing import Any

from .formats import FORMATS, METADATA

PLATFORMS = {"ns-2": "ns2", "ns-3": "ns3", "iperf": "testbed", "iperf3": "testbed"}
MISSING = {  # setting: what it is needed for
    "bottleneck_mbps": "utilisation, and the check of the flows' sum against the link",
    "rtt_ms": "the bandwidth-delay product, and surfaces over the round-trip time",
}


def list_assumptions(
    name: str,
    dataset: dict,
    entries: list[dict],
    runs: list[dict],
    flows: list[dict],
    sides: set[str],
) -> list[dict[str, Any]]:
    """List what the data set does not say: rows (what, value, because, yaml).

    Args:
        name: of the folder.
        dataset: what `read_dataset` returned.
        entries: the inventory, placed.
        runs, flows: what `settle_flows` returned.
        sides: the sides whose reports count.
    """
    rows = []
    if not dataset.get("title"):
        rows.append(row("title", name, "the folder's name", f"title: {json.dumps(name)}"))
    logs = [e for e in entries if e["readable"] and e["format"] in FORMATS]
    platforms = {PLATFORMS.get(FORMATS[e["format"]].TOOL) for e in logs} - {None}
    if not dataset.get("platform"):
        platform = platforms.pop() if len(platforms) == 1 else "other"
        rows.append(row("platform", platform, "the formats of the logs", f"platform: {platform}"))
    rows += _missing_settings(dataset, runs)
    rows += _flows(dataset, flows)
    if "sender" in sides:
        because = "there is no receiver's report: what a sender wrote may still be in its buffer"
        rows.append(row("side", "the sender's report counts", because))
    return rows


def describe_files(entries: list[dict], streams: list[dict]) -> dict[str, Any]:
    """Return the row that says in dataset.yml what belongs to which run, as it was found.

    By patterns where the names tell it; else by runs.csv, which the row shows as comments.

    Args:
        entries: the inventory, placed.
        streams: the settled streams.
    """
    placed = [e for e in entries if e.get("template")]
    by_name = all(
        e["flow_id"] is not None
        or {"side", "run", "repeat"} & set(e["values"])
        or FORMATS[e["format"]].CLOCK == "run"  # such a log holds a run's flows, with numbers
        for e in placed
    )
    named = sorted({key for e in placed for key in e["values"]})
    ignored = [e["path"] for e in entries if not e.get("template") and e["format"] != METADATA]
    if by_name and all(e["run_id"] for e in placed):
        templates = sorted({e["template"] for e in placed})
        lines = [f"  - path: {_quoted(template)}" for template in templates]
        lines += [f"  - {{path: {_quoted(path)}, format: ignore}}" for path in ignored]
        count = f"{len(templates)} pattern{'s' * (len(templates) != 1)}"
        value = f"{count}; placeholders: {', '.join(named) or 'none'}"
        return row("files", value, "the files' names", "\n".join(["files:", *lines]))
    path = {e["file_id"]: e["path"] for e in entries}
    tests = {s["file_id"] for s in streams if s["episode"] and s["episode"] > 1}
    if tests:
        because = "a log holds several tests, which names cannot tell apart"
        table = sorted({f"# {s['run_id']},{s['flow_id']}," for s in streams if s["run_id"]})
        head = [
            "runs: runs.csv",
            "# with a file runs.csv that says what is true:",
            "# run,flow,cca",
        ]
        return row("files", "runs by the logs' content", because, "\n".join([*head, *table[:40]]))
    because = "the names do not tell what ran together"
    table = sorted(
        f"# {path[s['file_id']]},{s['run_id']},{s['flow_id']}" for s in streams if s["run_id"]
    )
    head = ["runs: runs.csv", "# with a file runs.csv that says what is true:", "# path,run,flow"]
    return row("files", "runs by the logs' content", because, "\n".join([*head, *table[:200]]))


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _missing_settings(dataset: dict, runs: list[dict]) -> list[dict]:
    lacking = [key for key in MISSING if all(run["settings"].get(key) is None for run in runs)]
    buffers = ("buffer_bdp", "buffer_pct", "buffer_bytes", "buffer_packets")
    if all(run["settings"].get(key) is None for run in runs for key in buffers):
        lacking.append("buffer_pct")
    if not lacking:
        return []
    because = "no name and no log says it"
    example = {"bottleneck_mbps": 100, "rtt_ms": 40, "buffer_pct": 100}
    keys = ", ".join(f"{key}: {example[key]}" for key in lacking)
    yaml = f"# with your own numbers:\n# defaults: {{{keys}}}"
    return [row(", ".join(lacking), "unknown", because, yaml)]


def _flows(dataset: dict, flows: list[dict]) -> list[dict]:
    """Rows on the flows' congestion control and start."""
    unknown = sorted({f["flow_id"] for f in flows if f.get("cca") is None})
    assumed = sorted({f["flow_id"] for f in flows if f["start_from"] == "assumed"} - {1})
    rows, lines = [], {}
    if unknown:
        because = "neither names nor logs say the congestion control"
        rows.append(row("cca", f"unknown for flow {_list(unknown)}", because))
        lines |= {flow: ["cca: cubic"] for flow in unknown[:4]}
    if assumed:
        because = "no log says when it began: its clock is taken as that of the run"
        rows.append(row("start_s", f"0 for flow {_list(assumed)}", because))
        for flow in assumed[:4]:
            lines.setdefault(flow, []).append("start_s: 0")
    if lines:
        body = [f"#   {flow}: {{{', '.join(keys)}}}" for flow, keys in sorted(lines.items())]
        rows[-1]["yaml"] = "\n".join(["# with what is true:", "# flows:", *body])
    logged = sorted({f["flow_id"] for f in flows if f["start_from"] == "log"} - {1})
    if logged:
        rows.append(
            row("start_s", f"from the logs for flow {_list(logged)}", "dates or order of lines")
        )
    return rows


def _list(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:8]))
    return shown + (", ..." if len(numbers) > 8 else "")


def row(what: str, value: str, because: str, yaml: str = "") -> dict[str, Any]:
    """Return a row of the table `assumption`."""
    return {"what": what, "value": value, "because": because, "yaml": yaml}
