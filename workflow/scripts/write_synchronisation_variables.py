"""Write _variables.yml of the report on synchronisation: every number that its text uses."""

from evenflow.deviations import about_dataset, plain
from evenflow.files import write_yaml
from evenflow.roles import rerun_title
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import read_points
from evenflow.synchronisation_claims import Tables
from evenflow.synchronisation_report import (
    case_variables,
    claim_variables,
    data_variables,
    ratio_variables,
)
from evenflow.tables import read_table


def main(inputs: dict, dataset: str, own: list[str], settings: dict, output: str) -> None:
    """Read the tables of the data set; write variables.

    Args:
        inputs: paths by name.
        dataset: its name.
        own: ['simulation'] if it is the data set that the report's text was written about.
        settings: statistics and burstiness of the configuration.
        output: path of _variables.yml.
    """
    by_run, scenarios = read_points(inputs)
    confidence = settings["statistics"]["confidence"]
    tables = Tables(by_run, scenarios, confidence)
    title = plain(about_dataset(dataset, inputs.get("about", [])).get("title", dataset))
    ledger = read_table(inputs["ledger"])
    variables = {
        "rerun": {"title": rerun_title({"simulation": title}, own)},
        "own": "yes" if own else "no",
        "settings": {
            "confidence_pct": f"{100 * confidence:g}",
            "full_queue_pct": f"{100 * settings['burstiness']['full_queue']:g}",
        },
        "data": data_variables(read_table(inputs["run"]), by_run, scenarios, ledger),
        "case": case_variables(scenarios),
        "ratio": ratio_variables(scenarios),
        "claims": claim_variables(tables),
    }
    write_yaml(output, variables)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params, inputs = snakemake.params, dict(snakemake.input.items())
        main(inputs, params.dataset, params.own, params.settings, snakemake.output[0])
