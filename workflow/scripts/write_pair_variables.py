"""Write _variables.yml of the report on high-speed-fairness: every number that its text uses."""

import json
from pathlib import Path

from evenflow import high_speed_report as report
from evenflow.deviations import about_dataset, plain
from evenflow.files import write_yaml
from evenflow.high_speed_data import data_variables
from evenflow.high_speed_repeats import repeat_words
from evenflow.roles import rerun_title
from evenflow.scripting import reporting_errors
from evenflow.selfcheck_report import selfcheck_variables
from evenflow.tables import read_table


def main(inputs: dict, datasets: dict[str, str], own: list[str], settings: dict, output: str):
    """Read the tables of the data sets (lists in the order of their parts) and of the paper.

    Args:
        inputs: paths by name.
        datasets: {part: data set}.
        own: the parts whose data sets are those that the report's text was written about.
        settings: statistics, steady_state and high_speed of the configuration.
        output: path of _variables.yml.
    """
    names = ("pair_metric", "pair_cell", "pair_sensitivity")
    pairs, cells, moved = (read_table(inputs[name]) for name in names)
    titles, data = {}, {}
    for i, (part, name) in enumerate(datasets.items()):
        tables = [read_table(inputs[table][i]) for table in ("run", "flow", "ledger")]
        about = about_dataset(name, list(inputs["about"]))
        titles[part] = plain(about.get("title", name))
        data[part] = data_variables(*tables, pairs.filter(part=part), titles[part])
    variables = {
        "rerun": {"title": rerun_title(titles, own)},
        "plays": {part: "yes" if part in datasets else "no" for part in report.PARTS},
        "own": {part: "yes" if part in own else "no" for part in report.PARTS},
        "settings": report.setting_variables(settings),
        "data": data,
        "total": report.total_variables(pairs, data, settings["high_speed"]["low_share"]),
        "view": report.view_variables(cells),
        "common": report.common_words(cells),
        "moved": report.moved_words(moved),
        "repeats": repeat_words(pairs),
        "claims": report.claim_variables(cells),
    }
    if "selfcheck" in inputs:
        checked = json.loads(Path(inputs["selfcheck"]).read_text(encoding="utf-8"))
        variables["selfcheck"] = selfcheck_variables(checked)
    write_yaml(output, variables)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params, inputs = snakemake.params, dict(snakemake.input.items())
        main(inputs, params.datasets, params.own, params.settings, snakemake.output[0])
