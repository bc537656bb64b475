"""Write one table of the report on synchronisation as markdown."""

import polars as pl
from evenflow import synchronisation_report as report
from evenflow.deviations import about_dataset, deviation_table, source_list
from evenflow.files import write_text
from evenflow.schema import read_yaml
from evenflow.scripting import reporting_errors
from evenflow.synchronisation import printed_and_measured, read_points, read_published
from evenflow.synchronisation_claims import Tables, claims_table
from evenflow.tables import read_table


def main(inputs: dict, table: str, dataset: str, confidence: float, output: str) -> None:
    """Read the tables of the data set; write `table`."""
    by_run, scenarios = read_points(inputs)

    def read(name: str) -> pl.DataFrame:
        return read_table(inputs[name])

    about = about_dataset(dataset, inputs.get("about", []))
    makers = {
        "data": lambda: report.data_rows(
            report.data_variables(read("run"), by_run, scenarios, read("ledger"))
        ),
        "sources": lambda: source_list({dataset: about}),
        "deviations": lambda: deviation_table(
            read_yaml(inputs["authors"])[0],
            {dataset: report.facts(read("run"), read("flow"), by_run, about)},
        ),
        "scenarios": lambda: report.scenario_rows(scenarios),
        "intervals": lambda: report.interval_rows(scenarios),
        "seeds": lambda: report.seed_rows(scenarios),
        "theory": lambda: report.theory_rows(scenarios),
        "correlations": lambda: report.correlation_rows(read("burst_correlation")),
        "gaps": lambda: report.gap_rows(read("burst_sensitivity"), by_run),
        "published": lambda: report.printed_rows(
            printed_and_measured(read_published(inputs["published"]), scenarios)
        ),
        "claims": lambda: claims_table(Tables(by_run, scenarios, confidence)),
    }
    write_text(output, makers[table]())


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, params = dict(snakemake.input.items()), snakemake.params
        table = snakemake.wildcards.table
        main(inputs, table, params.dataset, params.confidence, snakemake.output[0])
