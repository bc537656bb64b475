# Simulates the runs of data/raw/ns2-synchronisation; docs/synchronisation.md.
#
# in:  config/experiments_synchronisation.yaml (grid and settings), experiments/ns2 (the simulation)
# out: data/raw/ns2-synchronisation/<run>/{goodput.log,drops.tr,bins.log}.gz and run.json, one job per run,
#      and a receipt per run, data/derived/experiments/ns2-synchronisation/<run>.done
#
# Never part of `all`; see experiments_ns2.smk, which works the same way.
import re

import experiments.ns2.synchronisation_run

SYNC = config["experiments"]["ns2-synchronisation"]
SYNC_RAW = "data/raw/ns2-synchronisation"
SYNC_RECEIPTS = "data/derived/experiments/ns2-synchronisation"

# so that a run whose folder was removed is simulated again
experiments.ns2.run.remove_stale_receipts(SYNC_RECEIPTS, SYNC_RAW)


# One rule per stage of the grid, as the priority of a rule is a constant: each stage whole, in order.
for sync_stage, sync_cases in enumerate(experiments.ns2.synchronisation_run.list_stages(SYNC)):

    rule:
        name:
            f"run_ns2_synchronisation_{sync_stage}"
        message:
            "ns-2: synchronisation, {wildcards.run}"
        input:
            # a finished run stays valid when the code that made it is edited
            ancient("config/experiments_synchronisation.yaml"),
            ancient("experiments/ns2/arguments.tcl"),
            ancient("experiments/ns2/background.tcl"),
            ancient("experiments/ns2/flow_log.tcl"),
            ancient("experiments/ns2/synchronisation.tcl"),
            ancient("experiments/ns2/synchronisation_run.py"),
            ancient("experiments/ns2/synchronisation_scenario.py"),
            ancient("experiments/ns2/output.py"),
            ancient("experiments/ns2/run.py"),
            ancient("experiments/ns2/stages.py"),
        output:
            touch(f"{SYNC_RECEIPTS}/{{run}}.done"),
        log:
            f"{SYNC_RECEIPTS}/{{run}}.log",
        wildcard_constraints:
            run="|".join(map(re.escape, sync_cases)),
        priority: len(SYNC["stages"]) - sync_stage
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            runtime=minutes(SYNC["wall_limit_s"]),
        params:
            raw=SYNC_RAW,
            case=lambda wildcards, cases=sync_cases: " ".join(
                f"--{key} {value}" for key, value in cases[wildcards.run].items()
            ),
        shell:
            "python -m experiments.ns2.synchronisation_run --dataset-dir {params.raw} {params.case} > {log} 2>&1"


rule grid_ns2_synchronisation:
    message:
        "ns-2: the grid of config/experiments_synchronisation.yaml is complete in"
        " data/raw/ns2-synchronisation"
    input:
        lambda wildcards: expand(
            f"{SYNC_RECEIPTS}/{{run}}.done",
            run=experiments.ns2.synchronisation_run.list_missing(SYNC, SYNC_RAW),
        ),
