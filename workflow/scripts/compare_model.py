"""Set the model of hstcp-buffers, in every reading, beside the simulated cells."""

from evenflow.buffers import flow_rtts, many_flows, model_errors
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table


def main(inputs: dict[str, str], output: str) -> None:
    """Read buffer_cell, flow and link_metric; write model_error, the model at every cell."""
    names = ("buffer_cell", "flow", "link_metric")
    cell, flow, link = (read_table(inputs[name]) for name in names)
    link = many_flows(link)
    rtts = flow_rtts(flow, link)
    write_table(model_errors(many_flows(cell), rtts, link), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.output[0])
