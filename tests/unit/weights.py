"""The table `weight` of samples, as compute_metrics makes it."""

from evenflow.metrics.fairness import calibration_weights, mean_throughput
from evenflow.metrics.windows import steady_state


def weight_table(samples, flows, runs, weight_from):
    means = mean_throughput(steady_state(samples, runs))
    return calibration_weights(means, flows, runs, weight_from)
