# The 900 Mb/s study: runs of data/raw/ns2-high-speed and data/raw/testbed-high-speed;
# docs/high-speed-fairness.md.
#
#   snakemake --cores 1 grid_ns2_high_speed        (and grid_testbed_high_speed)
#
# in:  config/experiments_high_speed.yaml (design and settings), experiments/; ns-2, or the testbed's
#      kernel (build_kernel.sh)
# out: data/raw/<dataset>/<run>/, logs and run.json, one job per run, and a temporary receipt per run,
#      data/derived/experiments/<dataset>/<run>.done
#
# Never part of `all`; a grid asks only for the runs that are not there, see experiments.smk.
import re

import experiments.high_speed

HIGH_SPEED = config["experiments"]["high-speed"]


# One rule per stage, as the priority of a rule is a constant: each stage whole, in order.
for hs_dataset in HIGH_SPEED["datasets"]:
    for hs_stage, hs_cases in enumerate(experiments.high_speed.list_stages(HIGH_SPEED, hs_dataset)):

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
            priority: len(HIGH_SPEED["datasets"][hs_dataset]["stages"]) - hs_stage
            retries: 1
            conda:
                "../../environment.yml"
            threads: 1
            resources:
                runtime=minutes(HIGH_SPEED["testbed"]["limit_s"]),
            params:
                command=lambda wildcards, cases=hs_cases: experiments.high_speed.command(
                    HIGH_SPEED, wildcards.dataset, cases[wildcards.run]
                ),
            shell:
                "python -m {params.command} 2>&1 | tee {log}"

    rule:
        name:
            f"grid_{hs_dataset.replace('-', '_')}"
        message:
            f"The runs of config/experiments_high_speed.yaml are complete in data/raw/{hs_dataset}"
        input:
            lambda wildcards, dataset=hs_dataset: high_speed_receipts(dataset),
