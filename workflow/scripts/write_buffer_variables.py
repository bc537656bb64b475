"""Write _variables.yml of hstcp-buffers' report: every number that its text uses."""

from evenflow import buffer_phrases as phrases
from evenflow import buffer_reporting as reporting
from evenflow.buffers import configured_places, many_flows
from evenflow.deviations import about_dataset, plain
from evenflow.files import write_yaml
from evenflow.roles import rerun_title
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table


def main(inputs: dict, dataset: str, own: list[str], settings: dict, output: str) -> None:
    """Read the tables of the paper and of its data set; write variables.

    Args:
        inputs: paths by name.
        dataset: the data set in the simulator's role.
        own: ['simulation'] where the report's text was written about it.
        settings: `hstcp_buffers` of config.yaml and the confidence of intervals.
        output: path of _variables.yml.
    """
    t = {k: read_table(v) for k, v in inputs.items() if str(v).endswith(".parquet")}
    title = plain(about_dataset(dataset, list(inputs["about"])).get("title", dataset))
    cells, errors, model = many_flows(t["buffer_cell"]), t["model_error"], t["model_point"]
    places = configured_places(settings)
    two = reporting.two_flow_runs(t["link_metric"], t["flow"], t["flow_metric"])
    counts = phrases.tally(reporting.series_by_place(model, cells, errors))
    slow, fast = phrases.link_variables(places)[:2]
    example = settings["example"]
    variables = {
        "rerun": {"title": rerun_title({"simulation": title}, own)},
        "own": {"simulation": "yes" if "simulation" in own else "no"},
        "data": phrases.data_variables(t["run"], t["flow"], t["ledger"], t["link_metric"])
        | {"title": title},
        "settings": {"confidence_pct": f"{100 * settings['confidence']:g}"},
        "example": phrases.example_variables(example["loss_rate"], example["rtt_ms"] / 1000),
        "slow": slow,
        "fast": fast,
        "iterate": phrases.iterate_variables(places),
        "at": {
            "ten": phrases.at_fraction(cells, model, 0.1),
            "twenty": phrases.at_fraction(cells, model, 0.2),
        },
        "claims": phrases.tally_words(counts),
        "errors": phrases.error_words(errors),
        "losses": phrases.loss_words(cells, errors),
        "full_cuts": phrases.cuts_at(cells, errors, 1.0),
        "two_flows": reporting.two_flow_verdict(two),
        "implementations": phrases.source_names(cells),
        "slow_senders": phrases.slow_words(cells),
        "warmup": phrases.warmup_words(t["buffer_sensitivity"], t["link_metric"]),
    }
    write_yaml(output, variables)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        inputs = dict(snakemake.input.items())
        main(inputs, params.dataset, params.own, params.settings, snakemake.output[0])
