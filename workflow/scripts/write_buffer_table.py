"""Write one table of hstcp-buffers' report as markdown."""

import polars as pl
from evenflow import buffer_reporting as reporting
from evenflow.buffer_claims import claims_table
from evenflow.buffers import configured_places, many_flows
from evenflow.deviations import about_dataset, deviation_table, source_list
from evenflow.files import write_text
from evenflow.schema import read_yaml
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def claims(tables: dict[str, pl.DataFrame]) -> str:
    """Return the scorecard of model and simulation."""
    series = reporting.series_by_place(
        tables["model_point"], tables["buffer_cell"], tables["model_error"]
    )
    return claims_table(series, {place: reporting.place_name(place) for place in series})


def main(inputs: dict, table: str, dataset: str, settings: dict, output: str) -> None:
    """Read what `table` needs (Parquet files by name); write it."""
    t = {k: read_table(v) for k, v in inputs.items() if str(v).endswith(".parquet")}
    if "buffer_cell" in t:
        t["buffer_cell"] = many_flows(t["buffer_cell"])
    printed = reporting.read_printed(inputs["published"])
    about = about_dataset(dataset, list(inputs["about"]))
    text = {
        "coverage": lambda: reporting.coverage_table(t["link_metric"]),
        "response": reporting.response_table,
        "comparison": lambda: reporting.comparison_table(t["buffer_cell"], t["model_error"]),
        "errors": lambda: reporting.error_table(t["model_error"]),
        "readings": lambda: reporting.reading_table(t["model_point"]),
        "published": lambda: reporting.printed_table(printed, t["model_point"], t["buffer_cell"]),
        "offered": lambda: reporting.offered_table(printed, configured_places(settings)),
        "claims": lambda: claims(t),
        "two-flows": lambda: reporting.two_flow_table(
            reporting.two_flow_runs(t["link_metric"], t["flow"], t["flow_metric"])
        ),
        "sensitivity": lambda: reporting.sensitivity_table(
            t["buffer_sensitivity"], t["link_metric"]
        ),
        "deviations": lambda: deviation_table(
            read_yaml(inputs["authors"])[0],
            {dataset: reporting.facts(t["run"], t["flow"], t["link_metric"])},
        ),
        "sources": lambda: source_list({dataset: about}),
    }[table]()
    write_text(output, text)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params, table = snakemake.params, snakemake.wildcards.table
        inputs = dict(snakemake.input.items())
        main(inputs, table, params.dataset, params.settings, snakemake.output[0])
