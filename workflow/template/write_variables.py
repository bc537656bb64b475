"""Write every number that the report's text uses, as formatted strings."""

import yaml
from evenflow.files import write_text
from evenflow.markdown import number
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def main(inputs: dict[str, str], confidence: float, output: str) -> None:
    """Read run and flow_metric; write _variables.yml."""
    run, flow_metric = (read_table(inputs[name]) for name in ("run", "flow_metric"))
    throughput_mbps = flow_metric["mean_throughput_bps"].drop_nulls() / 1e6
    variables = {
        "data": {
            "id": run["dataset_id"][0],
            "n_runs": str(len(run)),
            "n_scenarios": str(run["scenario_id"].n_unique()),
        },
        "confidence_pct": number(100 * confidence, 0),
        "throughput": {
            "min_mbps": number(throughput_mbps.min(), 1),
            "max_mbps": number(throughput_mbps.max(), 1),
        },
    }
    write_text(output, yaml.safe_dump(variables, allow_unicode=True, sort_keys=False))


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.input.items()), snakemake.params.confidence, snakemake.output[0])
