"""Check the raw files, make everything again from them in a scratch place, and compare."""

from pathlib import Path

from evenflow.runs.scripting import reporting_errors
from evenflow.verify.steps import verify_project

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = dict(snakemake.params.items())
        verify_project(Path.cwd(), snakemake.input.tolerances, params, snakemake.threads)
