"""Hand-made tables of a data set of the paper: runs whose every metric is stated."""

import json
from pathlib import Path

import polars as pl
from evenflow.metrics.burstiness import BURST_METRIC
from evenflow.metrics.rtt_fairness import RTT_EXPONENT, burst_cells
from evenflow.schema import read_yaml

from .. import controls as of_controls
from .. import metrics

FOLDER = Path(__file__).parents[1]
PARAMETERS = read_yaml(FOLDER / "paper.yml")[0]["parameters"]
THRESHOLDS = PARAMETERS["thresholds"]

RTTS_S = {1: 0.085, 2: 0.13, 3: 0.175, 4: 0.22}
UDP = {"background": "exponential", "aggregate_mbps": 100}
PARETO_10 = {"load": "pareto-10sources", "background": "pareto", "aggregate_mbps": 50}
PARETO_10 |= {"sources": 10, "source_kbps": 10000.0}
PARETO_1000 = {**PARETO_10, "load": "pareto-1000sources", "sources": 1000, "source_kbps": 100.0}


def udp(kbps: float) -> dict:
    """The factors of a run with exponential on-off sources of 100 Mb/s."""
    return {
        **UDP,
        "load": f"exponential-{kbps:g}kbps",
        "source_kbps": kbps,
        "sources": 200000 / kbps,
    }


def none() -> dict:
    """The factors of a run without background."""
    return {"background": "none", "load": "none"}


def no_waits(kbps: float) -> dict:
    """The factors of a run like that of `udp` whose senders do not wait before sending."""
    return {**udp(kbps), "load": f"exponential-{kbps:g}kbps-nojitter"}


def of_linux(factors: dict) -> dict:
    """The factors of a run with Linux's senders."""
    return {**factors, "implementation": "linux"}


def of_load(load: str) -> dict:
    """The factors of a run with a load of paper.yml, as far as they tell scenarios apart."""
    kind, _, rest = load.partition("-")
    kbps = float(rest.removesuffix("kbps")) if rest.endswith("kbps") else None
    return {"background": kind, "load": load, "source_kbps": kbps}


def ftp(row: int) -> dict:
    """The factors of a run with a row of Table I."""
    return {"background": "ftp", "load": f"ftp-{row}"}


def a_run(factors: dict, variant="sack", aqm="droptail", repeat=1, **metrics) -> dict:
    """A run with these metrics; what is not said has a plain value."""
    return {
        "variant": variant,
        "aqm": aqm,
        "factors": factors,
        "repeat": repeat,
        "n_events": 25,
        "bpdd": 50.0,
        "p": 0.5,
        "fairness_ratio": 2.0,
        "rtt_ratio": RTTS_S[2] / RTTS_S[1],
        "share_of_flow_4": 0.25,
        "beta": 1.5,
        "bins_full": 100,
        "cov_background": 0.5,
        **metrics,
    }


def scenario_id(run: dict) -> str:
    """The path of a run's scenario, as the campaign writes it."""
    linux = "linux-" if run["factors"].get("implementation") == "linux" else ""
    return f"{linux}{run['variant']}/{run['aqm']}/{run['factors'].get('load')}"


def tables(runs: list[dict]) -> dict[str, pl.DataFrame]:
    """The tables run, burst_metric, fairness_ratio, rtt_exponent and burst_cell of these runs."""
    rows = [
        {
            "dataset_id": "mine",
            "scenario_id": scenario_id(r),
            "run_id": f"{scenario_id(r)}/r{r['repeat']}",
            "repeat": r["repeat"],
            "seed": 100 + i,
            "ccas": "-".join([r["variant"]] * 4),
            "n_flows": 4,
            "aqm": r["aqm"],
            "tool": "ns-2",
            "tool_version": "2.35",
            "duration_s": 1500.0,
            "warmup_s": 100.0,
            "bottleneck_bps": 5e8,
            "factors": json.dumps(r["factors"]),
            "made_by": json.dumps({"date": "2026-11-21T11:00:00Z"}),
            "observed": json.dumps({"queue": {"bins": 280000, "bins_full": r["bins_full"]}}),
        }
        for i, r in enumerate(runs)
    ]
    run = pl.DataFrame(rows)
    ids = run["run_id"].to_list()
    known = {"gap_s": 0.18, "window_s": 1400.0, "n_flows": 4, "queue_limit_packets": 2500.0}
    burst = pl.DataFrame(
        [
            {
                **dict.fromkeys(BURST_METRIC),
                **known,
                "run_id": run_id,
                "n_events": r["n_events"],
                "losses": int(r["n_events"] * r["bpdd"]),
                "bpdd": r["bpdd"],
                "p": r["p"],
                "flows_losing": 4 * r["p"],
                "cov_background": r["cov_background"],
            }
            for run_id, r in zip(ids, runs, strict=True)
        ],
        infer_schema_length=None,
    ).with_columns(pl.col(pl.Null).cast(pl.Float64))
    ratio = pl.DataFrame(
        [
            {
                "run_id": run_id,
                "flow_i": 1,
                "flow_j": other,
                "throughput_i_bps": 100e6,
                "throughput_j_bps": 100e6 * share,
                "fairness_ratio": 1 / share,
                "rtt_ratio": r["rtt_ratio"],
                "base_rtt_ratio": float(other),
            }
            for run_id, r in zip(ids, runs, strict=True)
            for other, share in ((2, 1 / r["fairness_ratio"]), (4, r["share_of_flow_4"]))
        ]
    )
    exponent = pl.DataFrame(
        [
            {**dict.fromkeys(RTT_EXPONENT), "run_id": i, "rtt": rtt, "beta": r["beta"]}
            for i, r in zip(ids, runs, strict=True)
            for rtt in ("base", "measured")
        ],
        schema=RTT_EXPONENT,
    )
    found = {"run": run, "burst_metric": burst, "fairness_ratio": ratio, "rtt_exponent": exponent}
    return found | {"burst_cell": burst_cells(burst, ratio, exponent, run, 0.95)}


def points(runs: list[dict]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables placed_run and scenario of these runs."""
    *of_runs, cells = tables(runs).values()
    placed_run = metrics.placed_run(*of_runs)
    return placed_run, metrics.scenario(placed_run, cells, 0.95, THRESHOLDS)


def controls(runs: list[dict]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tables control_run and control of these runs."""
    *of_runs, cells = tables(runs).values()
    control_run = of_controls.control_run(*of_runs)
    return control_run, of_controls.control(control_run, cells, 0.95, THRESHOLDS)


def repeats(factors: dict, values: list[float], metric: str, **more) -> list[dict]:
    """Runs of a scenario that differ in one metric."""
    return [
        a_run(factors, repeat=i, **{metric: value}, **more) for i, value in enumerate(values, 1)
    ]
