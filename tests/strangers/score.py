#!/usr/bin/env python3
"""Hold the tables of data sets against the truth that generator.py wrote beside them.

    python score.py derive --project ROOT OUT DERIVED   # tables, by the project's own functions
    python score.py score OUT DERIVED [--by kind tool ...] [--faults FILE]

`derive` calls the `main` of the project's scripts in one process, in the order of its rules; after
`make` on the same folders `score` reads data/derived instead. GENERATOR.md says what each fault is.
Needs polars; `derive` needs the project's environment.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import time
import traceback
from pathlib import Path
from types import SimpleNamespace

import polars as pl

# a fault that gives a wrong number in silence; the others are seen, or lose something
WRONG = [
    "wrong join",
    "wrong pool",
    "wrong window",
    "wrong setting",
    "copy counted",
    "flow counted twice",
    "flows merged",
    "index over opposite",
    "index without common time",
]
LOST = ["split", "missed pool", "lost unsaid", "lost though whole", "bad file unsaid"]
HONEST = [
    "copy counted, said",
    "wrong setting, said",
    "not knowable, said",
    "not knowable, unsaid",
    "start not knowable, said",
    "start not knowable, unsaid",
    "left out with a broken one",
]
FAULTS = [*WRONG, *LOST, *HONEST]


# ---- tables --------------------------------------------------------------------------------------


def derive(project: Path, out: Path, derived: Path) -> None:
    sys.path[:0] = [str(project / "workflow"), str(project / "workflow" / "scripts")]
    import read_logs
    import settle_runs
    import yaml
    from evenflow.tables import connected

    config = yaml.safe_load((project / "workflow/defaults.yaml").read_text())
    of_chunk = ["flow", "sample", "queue_sample", "packet_drop", "tcp_state", "ledger"]
    of_all = ["run", "assumption"]
    measured = ["window", "flow", "run", "found", "extents", "sampled", "stream", "run_file"]
    settled = [*of_all, "window", "weight", "flow_metric", "run_metric", "cell", "finding"]
    settings = {
        "warmup_s": config["steady_state"]["warmup_s"],
        "floor_segments": config["nru"]["floor_segments"],
        "points": 100,
    }
    params = {
        "limits": {},
        "weight_from": config["nru"]["weight_from"],
        "confidence": config["statistics"]["confidence"],
        "stalled_s": config["statistics"]["stalled_s"],
    }

    def sql(tables: list[str]) -> list[str]:
        return [str(project / f"workflow/queries/{table}.sql") for table in tables]

    began = time.time(), time.process_time()
    for folder in sorted((out / "raw").iterdir()):
        to = derived / folder.name
        (to / "parsed").mkdir(parents=True, exist_ok=True)
        outputs = SimpleNamespace(
            parsed=[str(to / f"parsed/{n}.parquet") for n in ("flow",)],
            built=[str(to / f"{n}.parquet") for n in of_chunk],
            measured=[str(to / f"measured/{n}.parquet") for n in measured],
            share=str(to / "share.pickle"),
        )
        inputs = {f"measured_{n}": [str(to / f"measured/{n}.parquet")] for n in measured}
        inputs |= {n: [str(to / f"{n}.parquet")] for n in ("flow", "ledger")}
        inputs |= {"shares": [outputs.share], "queries": sql(of_all)}
        inputs["parsed_flow"] = [str(to / "parsed/flow.parquet")]
        try:
            with connected():  # opened once, not by every query
                read_logs.main(str(folder), None, {}, settings, sql(of_chunk), outputs)
                made = {n: str(to / f"{n}.parquet") for n in [*settled, "run_file"]}
                settle_runs.main(str(folder), inputs, params, made)
        except BaseException as error:  # Polars' panics are no Exception
            if isinstance(error, KeyboardInterrupt):
                raise
            (to / "error.txt").write_text(traceback.format_exc())
    print(f"derived in {time.time() - began[0]:.0f} s, {time.process_time() - began[1]:.0f} CPU-s")


# ---- score ---------------------------------------------------------------------------------------


def read(derived: Path, name: str) -> pl.DataFrame:
    return pl.read_parquet(derived / f"{name}.parquet", glob=False)


def connections(derived: Path) -> pl.DataFrame:
    """Return the connections that logs report, with the paths of the logs."""
    return read(derived, "measured/stream")


def matched(
    truth: dict, stream: pl.DataFrame
) -> list[tuple[dict, dict, int, int, int, str | None, int | None]]:
    """Say of each connection that a log reports what it is and what it was taken for.

    Returns:
        file, test and number of the flow (truth); order of the connection in the file, test of the
        file (project), run_id and flow_id (project).
    """
    by_path = collections.defaultdict(list)
    for row in stream.sort("line", "stream").rows(named=True):
        by_path[row["path"]].append(row)
    found = []
    for file in truth["files"]:
        rows = by_path.get(file["path"], [])
        flat = [(test, flow) for test in file["tests"] for flow in test["flows"]]
        used = collections.Counter()
        for order, row in enumerate(rows):
            ports = {p for p in (_port(row["local"]), _port(row["peer"])) if p}
            fits = [(t, f) for t, f in flat if f["client_port"] in ports]
            if not ports and len(flat) > 1:  # traces number their flows
                fits = [(t, f) for t, f in flat if str(f["flow"]) == str(row["label"])]
            if not fits and len(rows) == len(flat):
                fits = [flat[order]]
            elif not fits and not ports:
                fits = flat[:1]
            if not fits:
                continue
            key = fits[0][1]["client_port"]
            test, flow = fits[min(used[key], len(fits) - 1)]  # fixed ports: test after test
            used[key] += 1
            found.append(
                (
                    file,
                    test,
                    flow["flow"],
                    order,
                    row["episode"],
                    row.get("run_id"),
                    row.get("flow_id"),
                )
            )
    return found


def _port(end: str | None) -> int | None:
    tail = (end or "").rpartition(":")[2]
    return int(tail) if tail.isdigit() else None


def judge(truth: dict, derived: Path) -> list[tuple[str, str]]:
    """Return the faults of a data set: (kind, in words)."""
    if (derived / "error.txt").exists():
        return [
            (
                "lost unsaid",
                "the data set failed: "
                + (derived / "error.txt").read_text().strip().splitlines()[-1][:200],
            )
        ] * len(truth["runs"])
    run, flow, ledger = (read(derived, n) for n in ("run", "flow", "ledger"))
    metric, of_run, finding, assumption = (
        read(derived, n) for n in ("flow_metric", "run_metric", "finding", "assumption")
    )
    runs = {r["run"]: r for r in truth["runs"]}
    faults: list[tuple[str, str]] = []
    say = lambda kind, text: faults.append((kind, text))
    known_runs = set(run["run_id"].to_list())
    scenario_of = dict(run.select("run_id", "scenario_id").rows())
    rows = matched(truth, connections(derived))

    # which runs of the truth are in which of the project's, and the other way round
    inside, holds = collections.defaultdict(set), collections.defaultdict(set)
    flows_in = collections.defaultdict(
        lambda: collections.defaultdict(set)
    )  # run_id -> truth flow -> flow_ids
    truth_flows = collections.defaultdict(
        lambda: collections.defaultdict(set)
    )  # run_id -> flow_id -> truth flows
    taken_by = collections.defaultdict(set)
    copies = collections.defaultdict(set)
    beside: list[tuple[str, str, str]] = []
    for file, test, number, order, episode, run_id, flow_id in rows:
        if run_id is None or run_id not in known_runs:
            continue
        if file["status"] == "copy":
            copies[test["run"]].add((run_id, file["path"]))
            continue
        if file["status"] == "sidecar":
            beside.append((run_id, test["run"], file["path"]))
            continue
        inside[run_id].add(test["run"])
        holds[test["run"]].add(run_id)
        taken_by[file["path"], test["run"]].add(run_id)
        if flow_id is not None:
            flows_in[run_id][test["run"], number].add(flow_id)
            truth_flows[run_id][flow_id].add((test["run"], number))

    for run_id, of_truth in inside.items():
        if len(of_truth) > 1:
            say("wrong join", f"run '{run_id}' holds {', '.join(sorted(of_truth))}")
    for run_id, key, path in beside:
        if inside.get(run_id, {key}) != {key}:
            say(
                "wrong join",
                f"{path}, a trace of {key}, is in run '{run_id}' of {sorted(inside[run_id])}",
            )
        elif run_id not in inside and holds.get(key):
            say("split", f"{path}, a trace of {key}, is a run of its own: '{run_id}'")
    twice = {key for (path, key), ids in taken_by.items() if len(ids) > 1}
    for key, paths in copies.items():
        for run_id, path in paths:
            others = inside.get(run_id, set())
            if run_id not in holds.get(key, {run_id}) or (not others and holds.get(key)):
                say(
                    "copy counted"
                    + (
                        ", said"
                        if any(path in str(r) and "identical" in str(r) for r in finding.rows())
                        else ""
                    ),
                    f"{path}, a copy of a log of {key}, is a run of its own: '{run_id}'",
                )
            elif others - {key}:
                say(
                    "wrong join",
                    f"run '{run_id}' holds {', '.join(sorted(others))} and a copy of {key}",
                )
    for key in twice:
        say("copy counted", f"the documents printed twice of {key} are runs {sorted(holds[key])}")
    said = any(
        r["what"] == "runs"
        and (
            "by itself" in r["value"]
            or "at the same time" in r["value"]
            or "not taken" in r["value"]
            or "of doubt" in r["value"]
        )
        for r in assumption.rows(named=True)
    )
    intact = {}
    for key, true in runs.items():
        ids = holds.get(key, set())
        if len(ids) > 1 and key not in twice:
            if true["join_knowable"]:
                say("split", f"{key} is {len(ids)} runs: {sorted(ids)[:4]}")
            else:
                say(f"not knowable, {'said' if said else 'unsaid'}", f"join of {key}")
        if len(ids) == 1 and inside[next(iter(ids))] == {key}:
            intact[key] = next(iter(ids))

    # flows of runs that were found
    for key, run_id in intact.items():
        for (_, number), ids in flows_in[run_id].items():
            if len(ids) > 1:
                say(
                    "flow counted twice",
                    f"{key} flow {number} is flows {sorted(ids)} of '{run_id}'",
                )
        for flow_id, ones in truth_flows[run_id].items():
            if len(ones) > 1:
                say("flows merged", f"flow {flow_id} of '{run_id}' is {sorted(n for _, n in ones)}")

    # scenarios
    whole = {
        k: r
        for k, r in intact.items()
        if runs[k]["whole"] and all(f["log"] for f in runs[k]["flows"])
    }
    pools = collections.defaultdict(set)
    for key, run_id in intact.items():
        pools[scenario_of[run_id]].add(runs[key]["scenario"])
    for scenario_id, ones in pools.items():
        if len(ones) > 1:
            hint = finding.filter(
                pl.any_horizontal(
                    pl.col(pl.String).str.contains("repeats", literal=True).fill_null(False)
                )
            )
            pool_known = all(
                runs[k]["pool_knowable"] for k in intact if scenario_of[intact[k]] == scenario_id
            )
            if not pool_known and any(scenario_id in str(row) for row in hint.rows()):
                say("not knowable, said", f"pool of {sorted(ones)}")
            else:
                say("wrong pool", f"scenario '{scenario_id}' holds {', '.join(sorted(ones))}")
    by_truth = collections.defaultdict(set)
    for key, run_id in whole.items():
        by_truth[runs[key]["scenario"]].add(scenario_of[run_id])
    for scenario, ids in by_truth.items():
        if len(ids) > 1:
            known = all(r["pool_knowable"] for r in truth["runs"] if r["scenario"] == scenario)
            say(
                "missed pool" if known else "not knowable, said",
                f"{scenario} is {len(ids)} scenarios: {sorted(ids)[:3]}",
            )

    # files
    of_file = {r["path"]: r for r in ledger.filter(pl.col("entry") == "file").rows(named=True)}
    used = {file["path"] for file, *_, run_id, _ in rows if run_id in known_runs}
    broken = {
        t["run"]
        for f in truth["files"]
        if f["status"] in ("failed", "empty", "truncated")
        for t in f["tests"]
    }
    broken |= {r["run"] for r in truth["runs"] if not all(f["log"] for f in r["flows"])}
    text = " ".join(str(r) for r in finding.rows())
    for file in truth["files"]:
        row = of_file.get(file["path"])
        if file["status"] == "good" and file["path"] not in used and file["tests"]:
            if not row or not (row["reason"] or file["path"] in text):
                say("lost unsaid", file["path"])
            elif any(t["run"] in broken for t in file["tests"]):
                say("left out with a broken one", f"{file['path']}: {row['reason']}")
            else:
                say("lost though whole", f"{file['path']}: {row['reason']}")
        elif file["status"] in ("failed", "empty") and not (
            row and (row["reason"] or file["path"] in text)
        ):
            say("bad file unsaid", file["path"])

    # means and settings
    means = {(r["run_id"], r["flow_id"]): r["mean_throughput_bps"] for r in metric.rows(named=True)}
    about = {r["run_id"]: r for r in run.rows(named=True)}
    flow_about = {(r["run_id"], r["flow_id"]): r for r in flow.rows(named=True)}
    jfi = {r["run_id"]: r["jfi"] for r in of_run.rows(named=True)}

    def unsure(run_id: str) -> str:
        """Name what is no fault where the page says that starts are taken for granted."""
        guessed = truth["dimensions"]["dated"] or any(
            flow_about[run_id, i]["start_is_assumed"] for i in truth_flows[run_id]
        )
        # logs of senders' variables have dates, too: the page says how sure these are
        guessed |= any("as far as the clocks" in said for said in assumption["because"])
        return f"start not knowable, {'said' if guessed else 'unsaid'}"

    for key, run_id in intact.items():
        true, row = runs[key], about[run_id]
        if (
            true["opposite"]
            and len(true["flows"]) > 1
            and jfi.get(run_id) is not None
            and "direction" not in text
        ):
            say("index over opposite", f"{key}: {jfi[run_id]:.3f}")
        none = (
            all(f["mean_bps"] is None for f in true["flows"] if f["log"])
            and sum(f["log"] for f in true["flows"]) > 1
        )
        if none and len(flows_in[run_id]) > 1 and jfi.get(run_id) is not None:
            # of staggered tests without a date nobody knows which time they share
            fault = "index without common time" if true["start_knowable"] else unsure(run_id)
            say(fault, f"{key}: index of {jfi[run_id]:.3f}")
        for f in true["flows"]:
            ids = flows_in[run_id].get((key, f["flow"]), set())
            if len(ids) != 1:
                continue
            flow_id = next(iter(ids))
            if len(truth_flows[run_id][flow_id]) > 1:
                continue
            its = flow_about[run_id, flow_id]
            if its["cca"] is not None and _same_cca(its["cca"]) != f["cca"]:
                told = f["cca"] is not None and any(  # a flow of UDP has none
                    r["run_id"] == run_id and f["cca"] in r["message"]
                    for r in finding.filter(pl.col("check").str.contains("congestion")).rows(
                        named=True
                    )
                )
                say(
                    "wrong setting" + (", said" if told else ""),
                    f"{key} flow {f['flow']}: congestion control {its['cca']}, not {f['cca']}",
                )
            mean = means.get((run_id, flow_id))
            if (
                key in whole
                and f["mean_bps"]
                and mean is not None
                and abs(mean / f["mean_bps"] - 1) > f["tolerance"]
            ):
                if not true["start_knowable"]:
                    of_truth = f"{mean / f['mean_bps']:.2f} of the truth"
                    say(unsure(run_id), f"{key} flow {f['flow']}: {of_truth}")
                else:
                    say(
                        "wrong window",
                        f"{key} flow {f['flow']}: mean is {mean / f['mean_bps']:.2f} of the truth",
                    )
        rtt = row["base_rtt_s"]
        if (
            true["rtt_ms"] is not None
            and rtt is not None
            and abs(rtt * 1e3 - true["rtt_ms"]) > 0.01 * true["rtt_ms"]
        ):
            say("wrong setting", f"{key}: RTT {rtt * 1e3:g} ms, not {true['rtt_ms']}")
        rate = row["bottleneck_bps"]
        if rate is not None and rate != 1e6 * (true["rate_mbps"] or -1):
            say(
                "wrong setting",
                f"{key}: rate {rate / 1e6:g} Mb/s, not {true['rate_mbps'] or 'said'}",
            )
        if row["buffer_packets"] is not None and row["buffer_packets"] != true["buffer"]:
            say(
                "wrong setting",
                f"{key}: buffer {row['buffer_packets']} packets, not {true['buffer']} ({true['buffer_unit']})",
            )
        elif (
            row["buffer_bytes"] is not None
            and row["buffer_packets"] is None
            and (true["buffer"] is None or "kB" not in true["buffer_unit"])
        ):
            say(
                "wrong setting",
                f"{key}: buffer {row['buffer_bytes']} bytes, not {true['buffer']} ({true['buffer_unit']})",
            )
    return faults


def _same_cca(name: str) -> str:
    return {"bbrv2": "bbr2", "linuxreno": "reno"}.get(name.lower(), name.lower())


def folder_names(out: Path) -> list[str]:
    return sorted(p.stem for p in (out / "truth").glob("*.json"))


def score(out: Path, derived: Path, by: list[str], faults_to: Path | None) -> dict:
    total = collections.Counter()
    per = {d: collections.defaultdict(collections.Counter) for d in by}
    folders = collections.defaultdict(set)
    every = []
    for name in folder_names(out):
        truth = json.loads((out / "truth" / f"{name}.json").read_text())
        found = judge(truth, derived / name)
        dims = {"kind": truth["kind"], **truth["dimensions"]}
        base = {
            "folders": 1,
            "runs": len(truth["runs"]),
            "flows": sum(len(r["flows"]) for r in truth["runs"]),
            "files": len(truth["files"]),
        }
        counts = collections.Counter(k for k, _ in found)
        flags = {k: 1 for k in counts}
        total.update(base)
        total.update({k: n for k, n in counts.items()})
        for k in flags:
            folders[k].add(name)
        bad = any(k in (*WRONG, *LOST) for k in counts)
        total["folders all right"] += not bad
        total["folders wrong in silence"] += any(k in WRONG for k in counts)
        for d in by:
            for value in dims[d] if isinstance(dims[d], list) else [dims[d]]:
                per[d][str(value)].update(
                    {
                        **base,
                        **counts,
                        "folders all right": int(not bad),
                        "folders wrong in silence": int(any(k in WRONG for k in counts)),
                    }
                )
        every += [(name, truth["kind"], k, text) for k, text in found]
    if faults_to:
        faults_to.write_text("\n".join("\t".join(f) for f in every) + "\n")
    print(
        f"{total['folders']} folders, {total['runs']} runs, {total['flows']} flows, {total['files']} files; all right: {total['folders all right']}; wrong in silence: {total['folders wrong in silence']}\n"
    )
    print("| fault | count | in folders |\n|---|---|---|")
    for k in FAULTS:
        print(f"| {k} | {total[k]} | {len(folders[k])} |")
    for d in by:
        shown = [k for k in FAULTS if any(c[k] for c in per[d].values())]
        print(
            f"\n| {d} | folders | right | silent | runs | {' | '.join(shown)} |\n|{'---|' * (len(shown) + 5)}"
        )
        for value, c in sorted(per[d].items()):
            print(
                f"| {value} | {c['folders']} | {c['folders all right']} | {c['folders wrong in silence']} | {c['runs']} | {' | '.join(str(c[k] or '') for k in shown)} |"
            )
    return dict(total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["derive", "score"])
    parser.add_argument("out", type=Path)
    parser.add_argument("derived", type=Path)
    parser.add_argument("--project", type=Path)
    parser.add_argument("--by", nargs="*", default=["kind"])
    parser.add_argument("--faults", type=Path)
    options = parser.parse_args()
    if options.what == "derive":
        derive(options.project.resolve(), options.out, options.derived)
    else:
        score(options.out, options.derived, options.by, options.faults)


if __name__ == "__main__":
    main()
