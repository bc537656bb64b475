# How many runs of each scenario the campaigns plan: results/planned.csv, which is committed.
#
#   snakemake --cores 1 write_planned        after every edit of a grid.yaml
#
# in:  the grids of experiments/*/grid.yaml, by the rules of each campaign (experiments.planned.plan)
# out: results/planned.csv: dataset_id, scenario (the folder of its runs), n_planned
#
# It has no output, so that it always runs, and is never part of `all`.
from experiments.planned import PLANNED, planned_lines


rule write_planned:
    message:
        "Counting the runs that the campaigns plan"
    log:
        "logs/write_planned/all.log",
    conda:
        "../../environment.yml"
    params:
        lines=lambda wildcards: planned_lines(PLANNED),
        path="results/planned.csv",
    script:
        "write_planned.py"
