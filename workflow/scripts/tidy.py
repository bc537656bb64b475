"""Remove what was made of data sets, papers and comparisons that are gone: only what is ours."""

from pathlib import Path

from evenflow.runs.scripting import reporting_errors
from evenflow.runs.upkeep import remove_gone

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        for sentence in remove_gone(snakemake.params.gone):
            print(sentence, flush=True)
        Path(snakemake.output[0]).touch()
