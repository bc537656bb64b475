"""Compute utilisation and loss rate of hstcp-buffers with other starts of the steady state."""

from evenflow.buffers import LINK, warmup_sensitivity
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table


def main(inputs: dict[str, str], warmups_s: list[float], output: str) -> None:
    """Read link_metric, window, queue_sample and sample; write buffer_sensitivity."""
    names = ("link_metric", "window", "queue_sample", "sample")
    link, window, queue, sample = (read_table(inputs[name]) for name in names)
    placed = link.drop("warmup_s")
    table = warmup_sensitivity(queue, sample, window, placed, warmups_s)
    places = placed.select("run_id", *LINK)
    write_table(table.join(places, on="run_id").sort("run_id", "warmup_s", "start"), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.warmups_s, snakemake.output[0])
