"""Write _variables.yml of a report: every number that its text uses, as formatted strings."""

import json
from pathlib import Path

from evenflow import reporting
from evenflow.deviations import about_dataset, plain
from evenflow.files import write_yaml
from evenflow.phrases import surface_phrases
from evenflow.provenance.made import made_when
from evenflow.roles import ROLES, rerun_title
from evenflow.scripting import reporting_errors
from evenflow.selfcheck_report import selfcheck_variables
from evenflow.tables import read_table

# metrics of which the texts name every pairing, and the role of the runs that have them
NAMED = {
    "mean_throughput_bps_flow2": "calibration",
    "flow_nru_db_flow2": "comparison",
    "flow_nru_db_flow1": "comparison",
    "system_nru_db": "comparison",
    "jfi": "comparison",
}


def main(
    inputs: dict, paper: str, datasets: dict[str, str], own: list[str], settings: dict, output: str
) -> None:
    """Read the tables of a paper (lists in the order of its roles); write variables.

    Args:
        inputs: paths by name.
        paper: its id.
        datasets: data set by role.
        own: the roles whose data sets are those that the report's text was written about.
        settings: parameters of the analysis.
        output: path of _variables.yml.
    """
    names = ("run", "flow", "flow_metric", "ledger")
    tables = {name: [read_table(path) for path in inputs[name]] for name in names}
    parts = list(datasets)
    of_part = dict(zip(parts, zip(*tables.values(), strict=True), strict=True))
    about = {part: about_dataset(name, inputs.get("about", [])) for part, name in datasets.items()}
    titles = {part: plain(about[part].get("title", name)) for part, name in datasets.items()}
    published = read_table(inputs["published"])
    surface = read_table(inputs["surface"])
    summaries = read_table(inputs["summary"])
    summary = reporting.summary_variables(summaries, published)
    stalled_s = settings["statistics"]["stalled_s"]
    data = {part: reporting.dataset_variables(*of_part[part], stalled_s) for part in parts}
    variables = {
        "rerun": {
            "title": rerun_title(titles, own),
            "data": all_of(f"the data set `{datasets[part]}` ({titles[part]})" for part in parts),
            "runs": all_of(f"{data[part]['n_runs']} runs of `{datasets[part]}`" for part in parts),
            "stalled": all_of(
                f"{data[part]['n_stalled_runs']} runs of `{datasets[part]}`" for part in parts
            ),
            "made_when": made_when(text for part in own for text in of_part[part][0]["made_by"]),
        },
        "own": {part: yes_or_no(part in own) for part in ROLES[paper]},
        "all_own": yes_or_no(set(own) == set(parts)),
        "has": {part: yes_or_no(part in parts) for part in ROLES[paper]},
        "settings": reporting.setting_variables(settings),
        "data": data,
        "observed": {
            part: reporting.observed_variables(of_part[part][0]) for part in parts if part in own
        },
        "summary": summary,
        "surface": surface_phrases(summaries, published, NAMED),
        "edge": reporting.edge_variables(surface, summary),
        "lowest": reporting.lowest_variables(surface),
        "printed": reporting.printed_variables(published),
    }
    if "selfcheck" in inputs:
        selfcheck = json.loads(Path(inputs["selfcheck"]).read_text(encoding="utf-8"))
        variables["selfcheck"] = selfcheck_variables(selfcheck)
    # sections on further data sets, left out where there are none
    variables |= {section: {"shown": "no"} for section in ("why", "modern")}
    if "sections" in inputs:
        variables |= json.loads(Path(inputs["sections"]).read_text(encoding="utf-8"))
    if inputs.get("difference"):
        variables["difference"] = {
            Path(path).stem.removeprefix("difference_"): reporting.difference_variables(
                read_table(path)
            )
            for path in inputs["difference"]
        }
    write_yaml(output, variables)


def all_of(words) -> str:
    """Return words as a list in a sentence: 'a, b and c'."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def yes_or_no(true: bool) -> str:
    """Return a condition as reports read it."""
    return "yes" if true else "no"


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params, paper = snakemake.params, snakemake.wildcards.paper
        inputs = dict(snakemake.input.items())
        main(inputs, paper, params.datasets, params.own, params.settings, snakemake.output[0])
