"""Compute the tables `fairness_ratio` (pairs of flows) and `rtt_exponent` (runs)."""

from evenflow.metrics.rtt_fairness import fairness_ratios, flow_means, rtt_exponents
from evenflow.metrics.windows import in_window, steady_state
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, write_table


def main(inputs: dict[str, str], confidence: float, outputs: dict[str, str]) -> None:
    """Read sample, flow, run, window and flow_metric; write fairness_ratio and rtt_exponent."""
    names = ("sample", "flow", "run", "window", "flow_metric")
    sample, flow, run, window, metric = (read_table(inputs[name]) for name in names)
    means = flow_means(metric, steady_state(sample, in_window(run, window)), flow)
    write_table(fairness_ratios(means), outputs["fairness_ratio"])
    write_table(rtt_exponents(means, confidence), outputs["rtt_exponent"])


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input, snakemake.params.confidence, snakemake.output)
