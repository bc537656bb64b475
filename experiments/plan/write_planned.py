"""Write how many runs of each scenario the campaigns plan."""

from evenflow.files import write_text
from evenflow.runs.scripting import reporting_errors

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):  # noqa: F821 (Snakemake puts it there)
        write_text(snakemake.params.path, "\n".join(snakemake.params.lines))  # noqa: F821
