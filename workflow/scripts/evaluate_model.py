"""Evaluate the model of hstcp-buffers, in every reading, where its curves are drawn through."""

from evenflow.buffers import configured_places, model_points
from evenflow.scripting import reporting_errors
from evenflow.tables import write_table


def main(settings: dict, output: str) -> None:
    """Write the fixed points of the links, queues and buffers of config.yaml."""
    write_table(model_points(configured_places(settings)), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.params.settings, snakemake.output[0])
