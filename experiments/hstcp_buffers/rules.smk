# Simulates the runs of data/raw/ns2-hstcp-buffers; README.md.
#
#   snakemake --cores 1 grid_ns2_hstcp_buffers
#
# in:  grid.yaml (grid and settings), hstcp_buffers.tcl, experiments/ns2
# out: data/raw/ns2-hstcp-buffers/<run>/{goodput.log,queue.log}.gz and run.json, one job a run
#
# Never part of `all`; see experiments/receipts.py.
import re

import experiments.hstcp_buffers.run
from experiments.planned import plan
from experiments.receipts import minutes, receipts

HSTCP = config["experiments"]["ns2-hstcp-buffers"]
HSTCP_STAGES = experiments.hstcp_buffers.run.list_stages(HSTCP)
plan(f"ns2-hstcp-buffers/{run}" for cases in HSTCP_STAGES for run in cases)


# One rule per stage of the grid, as the priority of a rule is a constant: each stage whole, in order.
for hstcp_stage, hstcp_cases in enumerate(HSTCP_STAGES):

    rule:
        name:
            f"run_ns2_hstcp_buffers_{hstcp_stage}"
        message:
            "ns-2: HighSpeed TCP, {wildcards.run}"
        output:
            temp(touch("data/derived/experiments/ns2-hstcp-buffers/{run}.done")),
        log:
            "logs/run_ns2/ns2-hstcp-buffers/{run}.log",
        wildcard_constraints:
            run="|".join(map(re.escape, hstcp_cases)),
        priority: len(HSTCP_STAGES) - hstcp_stage
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            runtime=minutes(HSTCP["wall_limit_s"]),
        params:
            case=lambda wildcards, cases=hstcp_cases: " ".join(
                f"--{key} {value}" for key, value in cases[wildcards.run].items()
            ),
        shell:
            "python -m experiments.hstcp_buffers.run {params.case} > {log} 2>&1"


rule grid_ns2_hstcp_buffers:
    message:
        "The runs of experiments/hstcp_buffers/grid.yaml are complete in data/raw/ns2-hstcp-buffers"
    input:
        lambda wildcards: receipts(
            workflow,
            [f"ns2-hstcp-buffers/{run}" for cases in HSTCP_STAGES for run in cases],
        ),
