# Simulates the runs of data/raw/ns2-synchronisation; README.md.
#
#   snakemake --cores 1 grid_ns2_synchronisation
#
# in:  grid.yaml (grid and settings), synchronisation.tcl, background.tcl, experiments/ns2
# out: data/raw/ns2-synchronisation/<run>/{goodput.log,drops.tr,bins.log}.gz and run.json, one job a run
#
# Never part of `all`; see experiments/receipts.py.
import re

import experiments.synchronisation.run
from experiments.planned import plan
from experiments.receipts import minutes, receipts

SYNC = config["experiments"]["ns2-synchronisation"]
SYNC_STAGES = experiments.synchronisation.run.list_stages(SYNC)
plan(f"ns2-synchronisation/{run}" for cases in SYNC_STAGES for run in cases)


# One rule per stage of the grid, as the priority of a rule is a constant: each stage whole, in order.
for sync_stage, sync_cases in enumerate(SYNC_STAGES):

    rule:
        name:
            f"run_ns2_synchronisation_{sync_stage}"
        message:
            "ns-2: synchronisation, {wildcards.run}"
        output:
            temp(touch("data/derived/experiments/ns2-synchronisation/{run}.done")),
        log:
            "logs/run_ns2/ns2-synchronisation/{run}.log",
        wildcard_constraints:
            run="|".join(map(re.escape, sync_cases)),
        priority: len(SYNC_STAGES) - sync_stage
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            runtime=minutes(SYNC["wall_limit_s"]),
        params:
            case=lambda wildcards, cases=sync_cases: " ".join(
                f"--{key} {value}" for key, value in cases[wildcards.run].items()
            ),
        shell:
            "python -m experiments.synchronisation.run {params.case} > {log} 2>&1"


rule grid_ns2_synchronisation:
    message:
        "The runs of experiments/synchronisation/grid.yaml are complete in data/raw/ns2-synchronisation"
    input:
        lambda wildcards: receipts(
            workflow,
            [f"ns2-synchronisation/{run}" for cases in SYNC_STAGES for run in cases],
        ),
