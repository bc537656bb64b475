"""Set the printed surfaces of a paper beside every model of how they could have come about."""

from evenflow.published import read_published
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table
from evenflow.why import MODELS, distance_table, model_cells


def main(cell: list[str], run: list[str], parts: list[str], published: str, output: str) -> None:
    """Read cell and run of the data set in each part; write the distances of all models."""
    paths = dict(zip(parts, zip(cell, run, strict=True), strict=True))
    models = [
        (model, model_cells(model, *map(read_table, paths[model.part])))
        for model in MODELS
        if model.part in paths
    ]
    write_table(distance_table(read_published(published), models), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, parts = snakemake.input, snakemake.params.parts
        main(inputs.cell, inputs.run, parts, inputs.published, snakemake.output[0])
