# The 900 Mb/s study: runs of data/raw/ns2-high-speed and data/raw/testbed-high-speed; README.md.
#
#   snakemake --cores 1 grid_ns2_high_speed        (and grid_testbed_high_speed)
#
# in:  grid.yaml (design and settings), experiments/; ns-2, or the testbed's kernel (build_kernel.sh)
# out: data/raw/<dataset>/<run>/, logs and run.json, one job a run
#
# Never part of `all`; see experiments/receipts.py.
import re

from experiments.high_speed import cases
from experiments.planned import plan
from experiments.receipts import minutes, receipts

HIGH_SPEED = config["experiments"]["high-speed"]
HIGH_SPEED_STAGES = {
    dataset: cases.list_stages(HIGH_SPEED, dataset) for dataset in HIGH_SPEED["datasets"]
}


# One rule per stage, as the priority of a rule is a constant: each stage whole, in order.
for hs_dataset, hs_stages in HIGH_SPEED_STAGES.items():
    plan(f"{hs_dataset}/{run}" for of_stage in hs_stages for run in of_stage)
    for hs_stage, hs_cases in enumerate(hs_stages):

        rule:
            name:
                f"run_{hs_dataset.replace('-', '_')}_{hs_stage}"
            message:
                "Run {wildcards.dataset}/{wildcards.run}"
            output:
                temp(touch("data/derived/experiments/{dataset}/{run}.done")),
            log:
                "logs/run_high_speed/{dataset}/{run}.log",
            wildcard_constraints:
                dataset=hs_dataset,
                run="|".join(map(re.escape, hs_cases)),
            priority: len(hs_stages) - hs_stage
            retries: 1
            conda:
                "../../environment.yml"
            threads: 1
            resources:
                runtime=minutes(HIGH_SPEED["testbed"]["limit_s"]),
            params:
                command=lambda wildcards, of_stage=hs_cases: cases.command(
                    HIGH_SPEED, wildcards.dataset, of_stage[wildcards.run]
                ),
            shell:
                "python -m {params.command} 2>&1 | tee {log}"

    rule:
        name:
            f"grid_{hs_dataset.replace('-', '_')}"
        message:
            f"The runs of experiments/high_speed/grid.yaml are complete in data/raw/{hs_dataset}"
        input:
            lambda wildcards, dataset=hs_dataset: receipts(
                workflow,
                [
                    f"{dataset}/{run}"
                    for of_stage in HIGH_SPEED_STAGES[dataset]
                    for run in of_stage
                ],
            ),
