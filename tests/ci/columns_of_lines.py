"""Columns of tables from the lines of the listed runs alone; nothing of evenflow is imported.

KINDS says of table and column what it is of a row's runs. A kind that is missing here is named in
docs/explanation/provenance.md.
"""

import json
import math
import re
from collections.abc import Callable
from functools import cache
from statistics import fmean

import log_lines as log
import numpy as np
import yaml
from listed_rows import REPEAT, Row, quantile


def one_run(of: Callable) -> Callable[[Row], object]:
    """Of the one run of a row."""
    return lambda row: of(*row.runs()[0])


def mean_of(of: Callable, side: str = "") -> Callable[[Row], float]:
    """The mean over the runs of a row."""
    return lambda row: fmean(of(*run) for run in row.runs(side))


def share(flow: int) -> Callable[[str, str], float]:
    def of(dataset: str, run: str) -> float:
        return log.rates(dataset, run)[flow - 1] / sum(log.rates(dataset, run))

    return of


def carried(dataset: str, run: str) -> float:
    """What the flows carry of the bottleneck's rate."""
    return sum(log.rates(dataset, run)) / (1e6 * of_run(dataset, run)["bottleneck_mbps"])


def of_run(dataset: str, run: str) -> dict:
    return log.record(dataset, run)["run"]


def of_flow(name: str) -> Callable[[Row], object]:
    """A value of the flow of a row, by the record."""

    def of(row: Row):
        return log.record(*row.runs()[0])["flows"][str(row.keys["flow_id"])][name]

    return of


def in_record(section: str, name: str, unit: float = 1.0) -> Callable[[Row], object]:
    def of(row: Row):
        value = log.record(*row.runs()[0])[section][name]
        return value * unit if unit != 1 else value

    return of


def made_by(row: Row) -> str:
    return json.dumps(log.record(*row.runs()[0])["made_by"])


def samples_of(row: Row) -> list[tuple]:
    return log.samples(*row.runs()[0])[row.keys["flow_id"]]


def silent_s(row: Row) -> float:
    """Time in samples without a byte, s."""
    return sum((end - start for start, end, size, _ in samples_of(row) if size == 0), 0.0)


def scenario_of(row: Row) -> str:
    return REPEAT.sub("", row.runs()[0][1])


def flow_of_many(of: Callable[[float, list[float]], float]) -> Callable[[Row], float]:
    def value(row: Row) -> float:
        every = log.rates(*row.runs()[0])
        return of(every[row.keys["flow_id"] - 1], every)

    return value


def mean_share_of(row: Row) -> float:
    """A variant's share against each other, the mean over the others of the means over runs."""
    of_pair: dict[str, list[float]] = {}
    for dataset, run in row.runs():
        first, second = (log.record(dataset, run)["flows"][n]["cca"] for n in ("1", "2"))
        is_first = named(first) == row.keys["cca"]
        other = second if is_first else first
        of_pair.setdefault(other, []).append(share(1 if is_first else 2)(dataset, run))
    return fmean(fmean(of) for of in of_pair.values())


def named(cca: str) -> str:
    return {"reno": "newreno"}.get(cca, cca)


def apart(row: Row, side: str, of: Callable[[str, str], float]) -> list[float]:
    """What the runs in ns-2 have less those on a testbed, means over the runs of each cell."""
    by: dict[str, dict[bool, list[float]]] = {}
    for dataset, run in row.runs(side):
        place = re.search(r"newreno-\w+/rtt\d+_opb\d+", run)[0]
        by.setdefault(place, {}).setdefault(dataset.startswith("ns2"), []).append(of(dataset, run))
    return [fmean(both[True]) - fmean(both[False]) for both in by.values()]


def log_ratio(dataset: str, run: str) -> float:
    first, second = log.rates(dataset, run)
    return math.log(first / second)


def jain_apart(side: str) -> Callable[[Row], float]:
    """Mean over the cells of |Jain's index in ns-2 less that on a testbed|, means over runs."""

    def of(row: Row) -> float:
        return fmean(map(abs, apart(row, side, log.jain)))

    return of


def factor_apart(side: str) -> Callable[[Row], float]:
    """The mean factor between ratios of throughputs in ns-2 and on a testbed, over the cells."""

    def of(row: Row) -> float:
        return math.exp(fmean(map(abs, apart(row, side, log_ratio))))

    return of


def n_places(row: Row) -> int:
    found = {re.search(r"newreno-\w+/rtt\d+_opb\d+", run)[0] for _, run in row.runs("free")}
    return len(found)


def n_listed(side: str) -> Callable[[Row], int]:
    return lambda row: len(row.runs(side))


def side_platform(of: Callable, simulated: bool) -> Callable[[Row], float]:
    """The mean over the runs of a row that are simulated, or are not."""
    return lambda row: fmean(
        of(*run) for run in row.runs() if run[0].startswith("ns2") == simulated
    )


def span_of_shares(row: Row) -> float:
    of = [share(1)(*run) for run in row.runs()]
    return max(of) - min(of)


def platform_ratio(simulated: bool) -> Callable[[Row], float]:
    """Mean throughput of flow 1 over that of flow 2, on a platform."""

    def of(row: Row) -> float:
        both = [log.rates(*run) for run in row.runs() if run[0].startswith("ns2") == simulated]
        first, second = (fmean(of) for of in zip(*both, strict=True))
        return first / second

    return of


def beta(dataset: str, run: str) -> float:
    """Exponent of the throughput in the measured RTT, by least squares on logarithms."""
    x, y = -np.log(log.mean_rtts(dataset, run)), np.log(log.rates(dataset, run))
    return float(np.polyfit(x, y, 1)[0])


def time_full_s(dataset: str, run: str) -> float:
    """Time with a nearly full queue a drop event, s: of all bins, as the simulation counted."""
    counted = log.record(dataset, run)["observed"]["queue"]
    every = [sample for of in log.samples(dataset, run).values() for sample in of]
    length_s = max(end for _, end, *_ in every) - min(start for start, *_ in every)
    share_full = counted["bins_full"] / counted["bins"]
    return share_full * length_s / len(log.drop_events(dataset, run))


def flows_losing(dataset: str, run: str) -> float:
    """Flows of the foreground that lose a packet in a drop event, the mean over the events."""
    events = log.drop_events(dataset, run)
    return fmean(len({flow for _, flow in event} - {"background"}) for event in events)


def losses_per_event(dataset: str, run: str) -> float:
    events = log.drop_events(dataset, run)
    return sum(map(len, events)) / len(events)


def rtt_ratio(dataset: str, run: str) -> float:
    first, second = log.mean_rtts(dataset, run)[:2]
    return second / first


def interval(
    of: Callable, side: str, most: float = math.inf, least: float = 0.0
) -> dict[str, Callable[[Row], float]]:
    """A metric of a scenario: the mean over its runs, and Student's interval."""

    def end(sign: int) -> Callable[[Row], float]:
        def value(row: Row) -> float:
            values = [of(*run) for run in row.runs(side)]
            half = quantile(len(values) - 1) * np.std(values, ddof=1) / math.sqrt(len(values))
            # no further than the mean can be: below 0, or above the number of flows
            return float(np.clip(fmean(values) + sign * float(half), least, most))

        return value

    return {side: end(0), f"{side}_low": end(-1), f"{side}_high": end(1)}


def rtt_error_ms(row: Row) -> float:
    """The most that a flow's RTT, as it was pinged, is off what was asked for, ms."""
    made = log.record(*row.runs()[0])
    asked = {
        flow: of.get("rtt_ms", made["run"].get("rtt_ms")) for flow, of in made["flows"].items()
    }
    return max(abs(got - asked[flow]) for flow, got in made["observed"]["rtt_ms"].items())


def queue_fill(row: Row) -> float | None:
    """Largest backlog over the buffer, of a run that lost a packet."""
    made = log.record(*row.runs()[0])
    if not made["observed"]["drops"]:
        return None
    return made["observed"]["queue_max_bytes"] / made["run"]["buffer_bytes"]


def dates(row: Row) -> list[str]:
    return [log.record(*run)["made_by"]["date"] for run in row.runs()]


def spread(of: Callable[[float], float]) -> Callable[[Row], float | None]:
    """Standard deviation over the runs of flow 2's throughput, on a scale."""

    def value(row: Row) -> float | None:
        runs = [of(log.rates(*run)[1]) for run in row.runs()]
        return float(np.std(runs, ddof=1)) if len(runs) > 1 else None

    return value


def cells_within(side: str) -> Callable[[Row], int]:
    """Cells in which Jain's index on a testbed is less than 0.05 from that in ns-2."""

    def of(row: Row) -> int:
        return sum(abs(d) < 0.05 for d in apart(row, side, log.jain))

    return of


def geometric(of: Callable, column: str) -> dict[str, Callable[[Row], float]]:
    return {column: lambda row: math.exp(fmean(math.log(of(*run)) for run in row.runs(column)))}


@cache
def checks(paper: str) -> list[dict]:
    """The checks of the testbed in the file that the paper names."""
    about = yaml.safe_load((log.ROOT / "reports" / paper / "paper.yml").read_text("utf-8"))
    made = json.loads((log.ROOT / about["files"]["selfcheck"]).read_text("utf-8"))
    versions = made["made_by"]["versions"]
    more = {"date": made["made_by"]["date"][:10], "kernel": versions["kernel"]}
    return [check | more | {"iperf": versions["iperf"]} for check in made["checks"]]


def of_check(name: str) -> Callable[[Row], object]:
    def of(row: Row):
        check = checks(row.paper)[row.at]
        assert check["name"] == row.keys["name"]
        return check[name]

    return of


def alike(of: Callable) -> Callable[[Row], object]:
    """What all runs of a row have alike, by their records."""

    def value(row: Row):
        (found,) = {of(log.record(*run)) for run in row.runs()}
        return found

    return value


def ccas(made: dict) -> str:
    return "-".join(named(made["flows"][flow]["cca"]) for flow in sorted(made["flows"]))


def rtt_of(flow: str) -> Callable[[dict], float]:
    return lambda made: float(made["flows"][flow].get("rtt_ms") or made["run"]["rtt_ms"])


# what names a cell of the grid, by the records of its runs
GRID = {
    "base_rtt_s": alike(lambda made: made["run"]["rtt_ms"] / 1000),
    "buffer_bdp": alike(lambda made: made["run"]["buffer_pct"] / 100),
    "bottleneck_bps": alike(lambda made: made["run"]["bottleneck_mbps"] * 1e6),
    "ccas": alike(ccas),
    "role": alike(lambda made: made["run"]["role"]),
}


class OfRole(Row):
    """A row of a surface without the calibration that its weights are of."""

    def runs(self, side: str = "") -> list[tuple[str, str]]:
        start = f"{self.keys['role']}/{self.keys['ccas']}/"
        return [run for run in super().runs(side) if run[1].startswith(start)]


def of_its_role(of: Callable) -> Callable[[Row], object]:
    return lambda row: of(OfRole(row.paper, row.table, row.at))


FLOWS = {
    "cca1": alike(lambda made: named(made["flows"]["1"]["cca"])),
    "cca2": alike(lambda made: named(made["flows"]["2"]["cca"])),
    "rtt1_ms": alike(rtt_of("1")),
    "rtt2_ms": alike(rtt_of("2")),
    "view": lambda row: row.runs()[0][1].split("/")[0],
    "queue": lambda row: row.runs()[0][1].split("/")[2].split("_", 1)[1],
}
PAIR = {"jfi": mean_of(log.jain), "share1": mean_of(share(1)), "utilisation": mean_of(carried)}
RECORD = {
    "duration_s": lambda row: float(of_run(*row.runs()[0])["duration_s"]),
    "bottleneck_bps": in_record("run", "bottleneck_mbps", 1e6),
    "tool": in_record("run", "tool"),
    "tool_version": in_record("run", "tool_version"),
    "dataset_id": lambda row: row.runs()[0][0],
    "base_rtt_s": in_record("run", "rtt_ms", 1e-3),
    "buffer_bdp": in_record("run", "buffer_pct", 1e-2),
    "made_by": made_by,
    "scenario_id": scenario_of,
    "run_id": lambda row: row.runs()[0][1],
}
# table -> column -> what it is of the lines; '' is the row itself: a run that there is
KINDS: dict[str, dict[str, Callable[[Row], object]]] = {
    "run": RECORD | {"": one_run(log.record)},
    "run_metric": {
        "drift": one_run(log.drift),
        "flow_change": one_run(log.flow_change),
        "use_change": one_run(log.use_change),
        "": one_run(log.record),
    },
    "flow": {"start_s": of_flow("start_s")},
    "flow_metric": {"zero_s": silent_s, "n_samples": lambda row: len(samples_of(row))},
    "pair_metric": {
        "drift": one_run(log.drift),
        "unsteady": one_run(log.unsteady),
        "jfi": one_run(log.jain),
        "share1": one_run(share(1)),
        **FLOWS,
        "": one_run(log.record),
    },
    "link_metric": {"scenario_id": scenario_of, "": one_run(log.record)},
    "placed_run": {
        "queue_limit_packets": alike(lambda made: float(made["run"]["buffer_packets"])),
        "gap_s": alike(lambda made: max(of["rtt_ms"] for of in made["flows"].values()) / 1000),
    },
    "selfcheck_check": {
        name: of_check(name)
        for name in ("passed", "date", "kernel", "iperf", "measured", "expected")
    }
    | {"": of_check("name")},
    "build": {
        "build": alike(lambda made: made["made_by"]["versions"].get("kernel_build")),
        "n_runs": n_listed(""),
        "first": lambda row: min(dates(row)),
        "last": lambda row: max(dates(row)),
    },
    "weight_cell": {
        "sd_mbps": spread(lambda bps: bps / 1e6),
        "sd_db": spread(lambda bps: 10 * math.log10(bps)),
        "n": n_listed(""),
        "": one_run(log.record),
    },
    "surface": {name: of_its_role(of) for name, of in GRID.items()}
    | {"n": of_its_role(n_listed(""))},
    "host": {
        "kernel": lambda row: log.record(*row.runs()[0])["made_by"]["versions"]["kernel"],
        "n_reordered": in_record("observed", "reordering"),
        "n_drops_elsewhere": in_record("observed", "drops_elsewhere"),
        "rtt_error_ms": rtt_error_ms,
        "queue_fill": queue_fill,
    },
    "host_window": {"jitter_us": in_record("run", "jitter_us")},
    "pair_cell": PAIR | FLOWS | {"": one_run(log.record)},
    "repeat_cell": {"n": n_listed(""), "span": span_of_shares, "": one_run(log.record)},
    "mean_share": {"share": mean_share_of},
    "share": GRID | {"n": n_listed(""), "share2": mean_of(share(2))},
    "managed_share": GRID
    | {
        "aqm": in_record("run", "aqm"),
        "n": n_listed(""),
        "share2": mean_of(share(2)),
        "utilisation": mean_of(carried),
    },
    "platform_pair": {
        "jfi": side_platform(log.jain, True),
        "jfi_testbed": side_platform(log.jain, False),
        "share1": side_platform(share(1), True),
        "share1_testbed": side_platform(share(1), False),
        "ratio": platform_ratio(True),
        "ratio_testbed": platform_ratio(False),
        "": one_run(log.record),
    },
    "flow_share": {
        "mbps": flow_of_many(lambda own, every: own / 1e6),
        "share": flow_of_many(lambda own, every: own / sum(every)),
        "run_id": RECORD["run_id"],
    },
    "buffer_cell": {"mean": mean_of(log.link_use)},
    "change": GRID
    | {
        "": one_run(log.record),
        "jfi": mean_of(log.jain, "jfi,n,utilisation"),
        "base_jfi": mean_of(log.jain, "base,expected"),
        "utilisation": mean_of(carried, "jfi,n,utilisation"),
        "base_utilisation": mean_of(carried, "base,expected"),
        "difference": lambda row: KINDS["change"]["jfi"](row) - KINDS["change"]["base_jfi"](row),
    },
    "agreement": GRID
    | {
        "free_drift": mean_of(log.drift, "free"),
        "free_n": n_listed("free"),
        "free_utilisation": mean_of(carried, "free"),
    },
    "gap": {
        "n_cells": n_places,
        **{f"{side}_within": cells_within(side) for side in ("bound", "free")},
        **{side: jain_apart(side) for side in ("bound", "free", "bound_high", "free_high")},
        **{f"{side}_factor": factor_apart(side) for side in ("bound", "free")},
        **{f"{side}_factor_high": factor_apart(f"{side}_high") for side in ("bound", "free")},
    },
    "scenario": {
        **interval(beta, "beta_measured", least=-math.inf),
        **interval(time_full_s, "time_full_s"),
        **interval(flows_losing, "flows_losing", most=4),
        **geometric(rtt_ratio, "rtt_ratio_12"),
        "n_runs": n_listed(""),
        "aqm": alike(lambda made: made["run"]["aqm"]),
        "variant": alike(lambda made: made["flows"]["1"]["cca"]),
        "base_rtt_ratio_12": alike(
            lambda made: made["flows"]["2"]["rtt_ms"] / made["flows"]["1"]["rtt_ms"]
        ),
        "": one_run(log.record),
    },
    "control": {**interval(beta, "beta_measured", least=-math.inf), "n_runs": n_listed("")},
}
