# This repository is a study that holds its tool: `snakemake --cores all` makes every report of its raw
# logs. The workflow is workflow/Snakefile; what is here are the rules that made the raw logs.
import os
import sys
from pathlib import Path

sys.path[:0] = [os.getcwd()]  # the rules of experiments


# campaigns: how the raw data were made; the analysis reads nothing of them
for _grid in sorted(Path("experiments").glob("*/grid.yaml")):

    configfile: str(_grid)


include: "workflow/Snakefile"


# these keep their own receipts; what they make is no output of evenflow
for _rules in sorted(Path("experiments").glob("*/rules.smk")):

    include: str(_rules)


for _rule in workflow.rules:
    DOOR.hook(_rule, ours=False)

workflow.default_target = "all"  # an included file sets none
