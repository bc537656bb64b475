"""Write the record of where a report's figures, tables and numbers are from, and its appendix."""

import json
import platform
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from evenflow.files import write_text
from evenflow.papers.find import Paper
from evenflow.papers.origins import files_of, made_by_function, number_origins, shown_by
from evenflow.provenance.appendix import appendix
from evenflow.provenance.origins import CONFIG, PUBLISHED
from evenflow.provenance.record import Report, number_record, piece_record, run_records, run_series
from evenflow.render.source import pieces_and_variables, read_variables
from evenflow.scripting import reporting_errors
from evenflow.tables import read_table, runs_in_turn

import polars as pl

OF_SERIES = ["run_id", "flow_id", "t_start_s", "throughput_bps"]
SOFTWARE = ("polars", "duckdb", "scipy", "statsmodels", "altair", "vl-convert-python", "snakemake")


def main(inputs: dict, paper: str, params: dict, outputs: dict) -> None:
    """Read the lineage, the text, and the runs of every data set; write JSON and markdown."""
    made = json.loads(Path(inputs["lineage"]).read_text(encoding="utf-8"))
    files = dict(zip(params["datasets"], inputs["run_file"], strict=True))
    runs = dict(zip(params["datasets"], inputs["run"], strict=True))
    folder = Path(inputs["qmd"]).parent
    known = Paper(str(folder), params["derived"], params["shared"], params["of_dataset"])
    places = {CONFIG: params["config"], PUBLISHED: f"{folder}/{PUBLISHED}"} | files_of(known)
    made = made_by_function(known, made)
    report = Report(
        paper,
        params["of_part"],
        made,
        lambda name, dataset: (
            places.get(name) or f"{params['derived']}/{dataset or f'papers/{paper}'}/{name}.parquet"
        ),
        {path: d for path in made for d in files if path.startswith(f"{params['derived']}/{d}/")},
        cache(read_table),
        read_variables(Path(inputs["variables"])),
        number_origins(known),
    )
    labels, texts = pieces_and_variables(folder)
    pieces = {}
    for label, file in labels.items():
        path = f"{folder}/{file}"
        pieces[label] = piece_record(path, report, shown_by(known, path))
    numbers = {
        name: number_record(name, text, report, inputs["variables"]) for name, text in texts.items()
    }
    used = {
        d for r in (*pieces.values(), *numbers.values()) for c in r["runs"] for d in c["dataset"]
    }
    rules = {step["rule"] for step in made.values()}
    samples = dict(zip(params["datasets"], inputs["sample"], strict=True))
    tables = {name: read_table(files[name]) for name in sorted(used)}
    record = {
        "paper": paper,
        "of_part": params["of_part"],
        "variables": inputs["variables"],
        "settings": params["settings"],
        "rules": {name: rule for name, rule in sorted(params["rules"].items()) if name in rules},
        "made": made,
        "pieces": pieces,
        "numbers": numbers,
        "data": {name: summary(table) for name, table in tables.items()},
        "runs": {
            name: run_records(
                read_table(runs[name]),
                files_of,
                series_of(samples[name]),
            )
            for name, files_of in tables.items()
        },
        "software": {"Python": platform.python_version()} | {p: version(p) for p in SOFTWARE},
    }
    write_text(outputs["json"], json.dumps(record, ensure_ascii=False, separators=(",", ":")))
    write_text(outputs["text"], appendix(record))


def series_of(sample: str) -> dict[str, list]:
    """Return the `run_series` of all runs of a table `sample`, which the memory need not hold."""
    series: dict[str, list] = {}
    for samples in runs_in_turn(sample, OF_SERIES):
        series |= run_series(samples)
    return series


def summary(files: pl.DataFrame) -> dict:
    """Return how many runs, raw files and lines a data set gave, and a digest of the files."""
    digest = sha256("".join(files.sort("path")["sha256"]).encode()).hexdigest()
    n_runs, lines = files["run_id"].n_unique(), int(files["n_used"].sum())
    return {"runs": n_runs, "files": len(files), "lines": lines, "sha256": digest}


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, outputs = dict(snakemake.input.items()), dict(snakemake.output.items())
        main(inputs, snakemake.wildcards.paper, dict(snakemake.params.items()), outputs)
