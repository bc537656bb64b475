# Simulates the runs of data/raw/ns2-hstcp-buffers; docs/hstcp-buffers.md.
#
# in:  config/experiments_hstcp_buffers.yaml (grid and settings), experiments/ns2 (the simulation)
# out: data/raw/ns2-hstcp-buffers/<run>/{goodput.log,queue.log}.gz and run.json, one job per run,
#      and a receipt per run, data/derived/experiments/ns2-hstcp-buffers/<run>.done
#
# Never part of `all`; see experiments_ns2.smk, which works the same way.
import re

import experiments.ns2.hstcp_run

HSTCP = config["experiments"]["ns2-hstcp-buffers"]
HSTCP_RAW = "data/raw/ns2-hstcp-buffers"
HSTCP_RECEIPTS = "data/derived/experiments/ns2-hstcp-buffers"

# so that a run whose folder was removed is simulated again
experiments.ns2.run.remove_stale_receipts(HSTCP_RECEIPTS, HSTCP_RAW)


# One rule per stage of the grid, as the priority of a rule is a constant: each stage whole, in order.
for hstcp_stage, hstcp_cases in enumerate(experiments.ns2.hstcp_run.list_stages(HSTCP)):

    rule:
        name:
            f"run_ns2_hstcp_buffers_{hstcp_stage}"
        message:
            "ns-2: HighSpeed TCP, {wildcards.run}"
        input:
            # a finished run stays valid when the code that made it is edited
            ancient("config/experiments_hstcp_buffers.yaml"),
            ancient("experiments/ns2/arguments.tcl"),
            ancient("experiments/ns2/flow_log.tcl"),
            ancient("experiments/ns2/hstcp_buffers.tcl"),
            ancient("experiments/ns2/hstcp_run.py"),
            ancient("experiments/ns2/hstcp_scenario.py"),
            ancient("experiments/ns2/output.py"),
            ancient("experiments/ns2/run.py"),
            ancient("experiments/ns2/stages.py"),
        output:
            touch(f"{HSTCP_RECEIPTS}/{{run}}.done"),
        log:
            f"{HSTCP_RECEIPTS}/{{run}}.log",
        wildcard_constraints:
            run="|".join(map(re.escape, hstcp_cases)),
        priority: len(HSTCP["stages"]) - hstcp_stage
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            runtime=minutes(HSTCP["wall_limit_s"]),
        params:
            raw=HSTCP_RAW,
            case=lambda wildcards, cases=hstcp_cases: " ".join(
                f"--{key} {value}" for key, value in cases[wildcards.run].items()
            ),
        shell:
            "python -m experiments.ns2.hstcp_run --dataset-dir {params.raw} {params.case} > {log} 2>&1"


rule grid_ns2_hstcp_buffers:
    message:
        "ns-2: the grid of config/experiments_hstcp_buffers.yaml is complete in"
        " data/raw/ns2-hstcp-buffers"
    input:
        lambda wildcards: expand(
            f"{HSTCP_RECEIPTS}/{{run}}.done",
            run=experiments.ns2.hstcp_run.list_missing(HSTCP, HSTCP_RAW),
        ),
