"""Paste what a page offers for dataset.yml as a user does, and read the data set again."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import polars as pl
import yaml
from evenflow.checks import finding_table
from evenflow.ingest.described.document import read_dataset
from evenflow.ingest.parse import parse_dataset
from evenflow.metrics.over_time import OF_SERIES, points_table
from evenflow.metrics.tables import cell_table
from evenflow.pages.dataset import dataset_page
from evenflow.pages.dataset.assumed import merged_yaml, window_assumptions
from evenflow.pages.dataset.remedies import remedy_of
from evenflow.render.policy import with_policy
from evenflow.tables import connected, query_tables
from made_pages import SETTINGS
from metrics_of import weight_table, with_metrics
from raw_data import ROOT
from rendered_page import THEME

CONFIGURED_S, STALLED_S = 120, 10
QUERIES = ("run", "flow", "sample", "ledger")
NOT_MEASURED = ["scenario_id", "warmup_s", "made_by", "observed", "guessed"]


def analysed(folder: Path) -> dict[str, pl.DataFrame]:
    """Return the tables of a folder as the workflow makes them, findings and assumptions too."""
    with connected():  # opened once, not by every query
        return _analysed(folder)


def _analysed(folder: Path) -> dict[str, pl.DataFrame]:
    parsed = parse_dataset(folder)
    inputs = {f"parsed_{name}": table for name, table in parsed.items()}
    tables = {}
    for name in QUERIES:
        sql = (ROOT / f"workflow/queries/{name}.sql").read_text(encoding="utf-8")
        inputs[name] = tables[name] = query_tables(sql, {"dataset_id": folder.name}, **inputs)
    tables = with_metrics(tables, CONFIGURED_S)
    paths = parsed["file"].select("file_id", "path")
    tables |= {name: parsed[name] for name in ("summary", "interval", "assumption")}
    tables["stream"] = parsed["stream"].join(paths, on="file_id")
    known = read_dataset(folder).confirmed
    tables["finding"] = finding_table(tables, STALLED_S, known)
    of_window = window_assumptions(tables["window"], tables["flow"], CONFIGURED_S, known)
    tables["offer"] = pl.concat([tables["assumption"], of_window])
    return tables


def page_of_folder(name: str, tables, folder: Path) -> str:
    """Return the page of what `analysed` returned, beside which `folder` has a table."""
    folder.mkdir(parents=True)
    weight = weight_table(tables["sample"], tables["flow"], tables["run"], "flow2")
    cell = cell_table(tables["flow_metric"], tables["run_metric"], tables["run"], 0.95)
    files = {"run": {kind: folder / f"run.{kind}" for kind in ("parquet", "csv")}}
    for path in files["run"].values():
        path.write_bytes(b"")
    points = points_table([tables["sample"].select(OF_SERIES)], tables["flow"], 300)
    every = {**tables, "weight": weight, "cell": cell}
    return with_policy(dataset_page(name, {}, "", every, points, files, SETTINGS, THEME))


def measured(tables) -> dict[str, pl.DataFrame]:
    """Return what must not change when what was inferred is written down: runs, flows, means."""
    run, flow = tables["run"], tables["flow"]
    scenario = run.group_by("scenario_id").agg(pl.col("run_id").sort()).select("run_id")
    return {
        "run": run.drop(NOT_MEASURED).sort("run_id"),
        "scenario": scenario.sort(pl.col("run_id").list.join("\n")),
        "flow": flow.drop("start_from", "start_is_assumed").sort("run_id", "flow_id"),
        "sample": tables["sample"].sort("run_id", "flow_id", "t_start_s"),
        "window": tables["window"].drop("warmup_from").sort("run_id"),
        "flow_metric": tables["flow_metric"].sort("run_id", "flow_id"),
        "run_metric": tables["run_metric"].sort("run_id"),
    }


def offers(tables) -> list[dict]:
    """Return what the page of a data set assumes, with the lines that say it or say otherwise."""
    return tables["offer"].rows(named=True)


class Paste:
    """dataset.yml and runs.csv as they come of lines that a page offers."""

    def __init__(self, text: str = ""):
        self.said: dict = {}
        self.columns: list[str] = []
        self.rows: list[dict] = []
        self.add(text)

    def add(self, text: str) -> Paste:
        """Put lines to those that are there: keys, rows of runs.csv by path, or run and flow."""
        lines, table = _apart(text)
        said = yaml.safe_load("\n".join(lines)) or {}
        for key, value in said.items():
            both = isinstance(value, dict) and isinstance(self.said.get(key), dict)
            self.said[key] = {**self.said[key], **value} if both else value
        for row in csv.DictReader(io.StringIO("\n".join(table))):
            self.columns += [key for key in row if key not in self.columns]
            key = "path" if "path" in row else "run"
            same = [old for old in self.rows if old.get(key) == row[key] is not None]
            if key == "run":
                same = [old for old in same if old.get("flow") == row.get("flow")]
            if same:
                same[0] |= row
            else:
                self.rows.append(row)
        return self

    def into(self, folder: Path) -> None:
        """Write them into a data set."""
        text = yaml.safe_dump(self.said, sort_keys=False, allow_unicode=True)
        (folder / "dataset.yml").write_text(text if self.said else "", encoding="utf-8")
        if self.rows:
            with (folder / "runs.csv").open("w", newline="", encoding="utf-8") as handle:
                writer = csv.DictWriter(handle, self.columns, restval="")
                writer.writeheader()
                writer.writerows(self.rows)


def _apart(text: str) -> tuple[list[str], list[str]]:
    """Part lines of dataset.yml from those of runs.csv, which stand behind it and are indented."""
    lines, table = [], []
    in_table = False
    for line in text.splitlines():
        if line == "runs.csv:":
            in_table = True
        elif in_table and line.startswith("    "):
            table.append(line.removeprefix("    "))
        else:
            in_table = False
            lines.append(line)
    return lines, table


def said(tables) -> dict[tuple, str]:
    """Return all that a page says: each assumption and finding, with the lines that settle it."""
    found = {(row["what"], row["value"]): row["yaml"] for row in offers(tables)}
    of_findings = tables["finding"].select("check", "run_id", "path", "line", "message", "yaml")
    return found | {tuple(row): lines for *row, lines in of_findings.rows()}


def remedies(tables) -> list[tuple[set[tuple], str]]:
    """Return what a page offers to tick: what each settles, and the lines.

    An assumption each, and the findings of a check as they are settled together.
    """
    found = [({(row["what"], row["value"])}, row["yaml"]) for row in offers(tables)]
    for rows in tables["finding"].partition_by("check", "severity", maintain_order=True):
        if lines := remedy_of(rows).yaml:
            of_rows = rows.filter(pl.col("yaml").is_not_null())
            of_rows = of_rows.select("check", "run_id", "path", "line", "message")
            found.append(({*of_rows.rows()}, lines))
    return found


HEAD = re.compile(r"# \S.*:$")
KEY = re.compile(r"# (\w+):( |$)")


def alternatives(snippet: str) -> list[tuple[str, str]]:
    """Return what the comments of a snippet offer: (what it is for, lines of dataset.yml).

    A block begins with a line that says when it is right, and goes on to the next such line.
    """
    found: list[tuple[str, list[str]]] = []
    for line in snippet.splitlines():
        if not line.startswith("#"):
            continue
        key = KEY.match(line) or line in ("# runs.csv:",)
        if (HEAD.match(line) and not key) or not found:
            found.append((line.removeprefix("# "), []))
        elif line.startswith("#   ") and not found[-1][1] and not KEY.match(line):
            found[-1] = (line.removeprefix("#   "), [])
        else:
            found[-1][1].append(line.removeprefix("# "))
    return [(words, "\n".join(lines)) for words, lines in found if lines]


def inferred(rows: list[dict]) -> Paste:
    """Return all lines that say what was inferred, with the table of files or runs if needed."""
    block = merged_yaml([row["yaml"] for row in rows])
    paste = Paste("\n".join(line for line in block.splitlines() if not line.startswith("#")))
    for row in rows:
        for words, lines in alternatives(row["yaml"]):
            if row["what"] == "files" and words.startswith("with a table runs.csv"):
                paste.add(lines)
    return paste
