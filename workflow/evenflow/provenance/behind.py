"""What is behind each number of a report: one sentence, the rows, and the runs of each.

Runs are numbered once per data set, in the order of their names; a set of runs is {data set: ranges
of numbers}, stored once however many numbers share it. Nothing here is written by hand: rows and
expressions are those of `evidence.say`, runs those of companions (`runs`), words of tables.yml.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import polars as pl

from ..claims.words import region_in_words
from ..evidence.runs import by_row, runs_in
from ..evidence.say import TAG, path_of, places, ranges, table_of
from ..markdown import NOTHING, number
from ..metrics.catalogue import METRICS
from ..schema import read_yaml
from ..table_names import companion
from .words import (
    KEYS,
    in_a_sentence,
    label_of,
    pairs_in_words,
    setting_in_words,
    value_in_words,
    with_unit,
)

WORDS = Path(__file__).with_name("tables.yml")
MOST_ROWS = 24  # of a number that a page shows; the others are counted
OF_CELL = 8  # the same, of a cell of a table in print
FLOWS = ["flows"]  # what a table reads that does not say it


class Behind:
    """Reads the tables of a paper and their companions; makes records that share sets of runs."""

    def __init__(self, derived: str, paper: str, of_part: Mapping[str, str]):
        """Take the paper's name, the folder of derived tables, and the data set of each part."""
        self.derived, self.paper, self.of_part = derived, paper, of_part
        self.sets: list[dict] = []
        self._known: dict[str, int] = {}
        self.table = cache(self._table)
        self._companion = cache(self._read_companion)
        self._numbers = cache(self._number_runs)
        self._cached = cache(self._runs_behind)
        self._refs = cache(self._refs_of)

    @cached_property
    def words(self) -> dict:
        """Return tables.yml."""
        return read_yaml(WORDS)[0]

    def path(self, table: str) -> str:
        """Return the file of a table."""
        return path_of(table, self.derived, self.paper)

    def _table(self, name: str) -> pl.DataFrame:
        return pl.read_parquet(self.path(name), glob=False)

    def _read_companion(self, table: str) -> dict[tuple[int, str], list[str]] | None:
        path = Path(companion(self.path(table)))
        return by_row(pl.read_parquet(path, glob=False)) if path.exists() else None

    def _number_runs(self, dataset: str) -> dict[str, int]:
        runs = pl.read_parquet(f"{self.derived}/{dataset}/run.parquet", columns=["run_id"])
        return {run: i for i, run in enumerate(runs["run_id"].sort())}

    # ---- runs -----------------------------------------------------------------------------------

    def set_of(self, refs: Sequence[str]) -> int | None:
        """Return the number of the set of these runs, 'part/run_id'; None for no run."""
        by: dict[str, set[int]] = {}
        for ref in refs:
            part, _, run = ref.partition("/")
            dataset = self.of_part.get(part, part)
            by.setdefault(dataset, set()).add(self._numbers(dataset)[run])
        made = {name: ranges(sorted(of)) for name, of in sorted(by.items())}
        key = json.dumps(made)
        if made and key not in self._known:
            self._known[key] = len(self.sets)
            self.sets.append(made)
        return self._known.get(key)

    def runs_behind(self, table: str, rows: Sequence[int], columns: Sequence[str]) -> list[str]:
        """Return the runs that columns of some rows were computed from, 'part/run_id'."""
        if columns and set(columns) <= set(self.about(table).get("typed", ())):
            return []
        return self._cached(table, tuple(rows), tuple(columns))

    def _runs_behind(self, table: str, rows: tuple, columns: tuple) -> list[str]:
        of_rows = self._companion(table)
        if of_rows is not None:
            return runs_in(of_rows, rows, columns)
        refs = self._refs(table)
        return sorted({refs[row] for row in rows if refs[row] is not None}) if refs else []

    def _refs_of(self, table: str) -> list[str | None]:
        """Return the run of each row of a table of runs, 'part/run_id'; nothing of another."""
        found = self.table(table)
        if "run_id" not in found.columns:
            return []
        if "/" in table:
            part = pl.lit(table.partition("/")[0])
        elif "part" in found.columns:
            part = pl.col("part")
        else:
            part = pl.lit(next(iter(self.of_part)))
        return found.select(pl.format("{}/{}", part, "run_id")).to_series().to_list()

    # ---- words ----------------------------------------------------------------------------------

    def about(self, table: str) -> Mapping:
        """Return what tables.yml says of a table; nothing of one that it does not know."""
        return self.words.get(table.rpartition("/")[2], {})

    def reads(self, table: str) -> list[str]:
        """Return the kinds of logs that a table's values are computed from."""
        return self.about(table).get("reads", FLOWS)

    def column(self, table: str, name: str) -> str:
        """Return what a column is, in words."""
        columns = self.about(table).get("columns", {})
        if name in columns:
            return columns[name]
        for end, words in (("_low", "lower end of the interval of"), ("_high", "upper end of")):
            of = name.removesuffix(end)
            if of != name and of in columns:
                return f"{words} {columns[of]}"
        known = METRICS.get(name)
        label = in_a_sentence(known.label) if known else None
        return label or KEYS.get(name, name.replace("_", " "))

    def where(self, table: str, rows: Sequence[int]) -> dict[str, str]:
        """Return the keys that all rows share and the table has several of: what selects them.

        A key is in words, and its value has the unit.
        """
        whole = self.table(table)
        keys = [k for k in self.about(table).get("keys", []) if k in whole.columns]
        if not rows or not keys:
            return {}
        mine = whole[keys][list(rows)]
        selecting = {
            key: mine[key][0]
            for key in keys
            if mine[key].n_unique() == 1 and (whole[key].n_unique() > 1 or len(mine) == 1)
        }
        return dict(
            with_unit(label_of(key, value, self.of_part), self.value(table, key, value))
            for key, value in selecting.items()
        )

    def value(self, table: str, column: str, value: object) -> str:
        """Return a key or a value of a table in words: its own, or those of any table."""
        own = self.about(table).get("values", {})
        known = own.get(value) if isinstance(value, str) else None
        return known or self.in_words(column, value)

    def in_words(self, column: str, value: Any) -> str:
        """Return a key or a value as a reader writes it."""
        if column in ("part", "subject") and value in self.of_part:
            return self.of_part[value]
        if column == "claim" and value is not None:
            return f"'{self._sentences.get(value, value)}'"
        return value_in_words(column, value)

    @cached_property
    def _sentences(self) -> dict[str, str]:
        return dict(self.table("claim").select("claim", "sentence").rows())

    # ---- records --------------------------------------------------------------------------------

    def number(self, origin: Mapping) -> dict:
        """Return the record of a number: text, sentence, and its parts with rows and runs.

        Args:
            origin: of _origins.json.
        """
        parts: dict[str, dict] = {}
        for value in (*origin["values"], *origin.get("behind", [])):
            if "setting" in value:
                key = f"setting {value['setting']}"
                parts[key] = {"setting": value["setting"], "value": f"{value['value']}"}
                continue
            for table, pairs in value["tables"].items():
                own = [c for c in value["columns"] if c in self.table(table).columns]
                if value["columns"] and not own and len(value["tables"]) > 1:
                    continue  # of joined tables the one whose columns are printed
                how = value.get("words") or self.how(table, value)
                self._add(parts, table, places(pairs), own, how, held_by(table, value, how))
        made = [self._finished(part) for part in parts.values()]
        record = {"text": origin["text"].replace("`", ""), "parts": made}
        return record | {"sentence": sentence(made)}

    def cells(self, listed: Mapping[str, list]) -> tuple[dict[str, list], list[dict]]:
        """Return what is behind the cells of tables in print: ({label: marks}, records).

        Args:
            listed: {label: as `evidence.cells.cells_as_json` writes it}.

        Returns:
            marks: [row, [columns], place in the records]; records: parts and what they say, with
            the words of a cell's column to go before it. Cells that were made of the same rows
            share one.
        """
        marks: dict[str, list] = {}
        records: list[dict] = []
        known: dict[str, int] = {}
        for label, cells in listed.items():
            for row, columns, tables in cells:
                key = json.dumps(tables)
                if key not in known:
                    known[key] = len(records)
                    parts: dict[str, dict] = {}
                    for table, pairs in tables.items():
                        self._add(parts, table, places(pairs), [])
                    made = [self._finished(part, OF_CELL) for part in parts.values()]
                    said = "; and ".join(dict.fromkeys(map(rows_in_words, made)))
                    records.append({"parts": made, "said": said})
                marks.setdefault(label, []).append([row, columns, known[key]])
        return marks, records

    def marks(self, specs: Iterable[Mapping]) -> dict[str, dict]:
        """Return what is behind the marks of charts: {table: its words, and the runs of each row}.

        Args:
            specs: Vega-Lite specifications whose data carry the place of each row (`say.TAG`); of
                a mark that is of several rows a list of them.

        Returns:
            path, row (what a row is), reads, rows: {place: number of the set of its runs}.
        """
        found: dict[str, set[int]] = {}
        for spec in specs:
            for table, rows in rows_drawn(spec).items():
                found.setdefault(table, set()).update(rows)
        made = {}
        for table, rows in sorted(found.items()):
            of_rows = {
                row: number
                for row in sorted(rows)
                if (number := self.set_of(self.runs_behind(table, [row], ()))) is not None
            }
            about = {"path": self.path(table), "row": self.about(table).get("row", "a row")}
            made[table] = about | {"reads": self.reads(table), "rows": of_rows}
        return made

    def figure(self, spec: Mapping, claims: Sequence[int]) -> dict:
        """Return what is behind a figure and its title: title, parts with rows and runs, sentence.

        Args:
            spec: as `marks` takes them.
            claims: rows of the table `claim` that the title says.
        """
        parts: dict[str, dict] = {}
        for row in claims:
            self._add(parts, "claim", [row], [])
        for table, rows in sorted(rows_drawn(spec).items()):
            self._add(parts, table, sorted(rows), [])
        made = [self._finished(part, OF_CELL) for part in parts.values()]
        title = spec.get("title") or ""
        title = title.get("text", "") if isinstance(title, dict) else title
        return {
            "title": title if isinstance(title, str) else " ".join(title),
            "parts": made,
            "said": [rows_in_words(part) for part in made],
        }

    def _add(
        self,
        parts: dict,
        table: str,
        rows: list[int],
        columns: list,
        how: str = "",
        held: Sequence[dict] = (),
    ) -> None:
        key = f"{table} {ranges(rows)}"
        part = parts.setdefault(
            key, {"table": table, "rows": rows, "columns": [], "how": [], "held": [], "runs": set()}
        )
        part["held"] += [each for each in held if each not in part["held"]]
        part["columns"] += [c for c in columns if c not in part["columns"]]
        part["runs"] |= set(self.runs_behind(table, rows, columns))
        if how and how not in part["how"]:
            part["how"].append(how)
        low = how.replace("largest ", "smallest ", 1)
        if low != how and low in part["how"]:
            both = how.replace("largest ", "smallest and largest ", 1)
            part["how"] = [*(h for h in part["how"] if h not in (how, low)), both]

    def how(self, table: str, value: Mapping) -> str:
        """Return what a value is: the words of its column, or of what is computed of it."""
        names = [self.column(table, name) for name in value["columns"]]
        if "expression" not in value:
            of, _, end = value["columns"][0].rpartition("_")
            is_end = end in ("low", "high") and (not of or of in self.table(table).columns)
            return "its interval" if is_end else names[0]
        expression = str(pl.Expr.deserialize(value["expression"].encode(), format="json"))
        named = " and ".join(names) or "rows"
        for ending, words in AGGREGATES.items():
            if ending in expression:
                return aggregate_in_words(words, named)
        return named

    def _finished(self, part: dict, most: int = MOST_ROWS) -> dict:
        if "setting" in part:
            return part
        table, rows = part["table"], part["rows"]
        made = {
            "table": table,
            "path": self.path(table),
            "rows": len(rows),
            "of": len(self.table(table)),
            "first": rows[0] if rows else None,
            "where": self.where(table, rows),
            "how": part["how"],
            "row": self.about(table).get("row", "a row"),
            "reads": self.reads(table),
            "n_runs": len(part["runs"]),
        }
        if part["held"] and len(rows) > 1:
            made["held"] = part["held"]
        if (of := self.set_of(sorted(part["runs"]))) is not None:
            made["set"] = of
        if table == "claim" and len(rows) == 1:
            null = self.runs_behind(table, rows, ["null_estimate"])
            made["claim"] = claim_words(self, rows[0], part)
            if null and (of := self.set_of(null)) is not None:
                made["null_set"] = of
        # of a cell in print nobody says which columns it is of: those that have words
        shown = part["columns"] if part["how"] else self.readable(table)
        return made | self._shown(table, rows, shown, most)

    def readable(self, table: str) -> list[str]:
        """Return the columns of a table that tables.yml has words for."""
        known = self.about(table).get("columns", {})
        return [name for name in self.table(table).columns if name in known or name in METRICS]

    def _shown(self, table: str, rows: list[int], columns: Sequence[str], most: int) -> dict:
        """Return the head and the cells of rows: keys that differ, and columns that were read."""
        keys = [k for k in self.about(table).get("keys", []) if k in self.table(table).columns]
        whole = self.table(table).select(
            pl.col(list(dict.fromkeys([*keys, *columns]))).gather(rows)
        )
        shown = [k for k in keys if whole[k].n_unique() > 1]
        hidden = ("made_by", "observed")
        shown += [c for c in columns if c not in shown and c not in hidden]
        cells = [
            [self.value(table, c, v) for c, v in zip(shown, row, strict=True)]
            for row in whole[:most][shown].rows()
        ]
        head = [KEYS[c] if c in keys and c in KEYS else self.column(table, c) for c in shown]
        return {"head": head, "cells": cells}


def held_by(table: str, value: Mapping, how: str) -> list[dict]:
    """Return which extreme a value is, the first row that has it and how many have, if any.

    Args:
        table: of the rows.
        value: of _origins.json.
        how: what it is, in words.
    """
    at = places(value.get("at", {}).get(table, []))
    if not at:
        return []
    which = value["extreme"]
    words = how if how.startswith(which) else f"{which} ({how})"
    return [{"which": words, "row": at[0], "rows": len(at)}]


def rows_drawn(spec: Mapping) -> dict[str, set[int]]:
    """Return {table: places of its rows} that the data of a chart carry."""
    found: dict[str, set[int]] = {}
    for data in spec.get("datasets", {}).values():
        for tag in {key for row in data for key in row if key.startswith(TAG)}:
            of = found.setdefault(table_of(tag), set())
            for at in (row[tag] for row in data if row.get(tag) is not None):
                of.update(at if isinstance(at, list) else [at])
    return found


SUBSCRIPTS = {"l": "ₗ", "p": "ₚ", "h": "ₕ", "n": "ₙ"}

# what an expression computes, by how it is written; the first that fits
AGGREGATES = {
    ".std(": "standard deviation of {}",
    ".mean()": "mean of {}",
    ".median()": "median of {}",
    ".max()": "largest {}",
    ".min()": "smallest {}",
    ".sum()": "sum of {}",
    ".n_unique()": "number of different {}",
    ".count()": "number of rows with {}",
    "len()": "number of {}",
    ".implode(": "all values of {}",
}


SUPERLATIVE = re.compile(r"(largest|smallest|longest|fewest|most)\b")


def aggregate_in_words(words: str, named: str) -> str:
    """Return what is computed of a column; 'largest' of one that is a largest one says it once."""
    ends = words.startswith(("largest", "smallest"))
    if ends and (found := SUPERLATIVE.match(named)):
        return named if words.startswith(found[1]) else words.format(f"value of the {named}")
    return words.format(named)


def sentence(parts: Sequence[Mapping]) -> str:
    """Return one sentence on where a number is from.

    Args:
        parts: of `Behind.number`.
    """
    said = [part_in_words(part) for part in parts]
    text = "; and ".join(dict.fromkeys(said))
    # a Greek letter is a symbol and stays small
    return f"{text[:1].upper() if text[:1].isascii() else text[:1]}{text[1:]}."


def part_in_words(part: Mapping) -> str:
    """Return what one part of a number says."""
    if "setting" in part:
        return setting_in_words(part["setting"], part["value"])
    if "claim" in part:
        return rows_in_words(part)
    how = ", ".join(part["how"]).replace(", its interval", " with its interval")
    return f"{how}: {rows_in_words(part)}"


def rows_in_words(part: Mapping) -> str:
    """Return which rows and runs a part of a number is from; of a claim its sentence."""
    if "claim" in part:
        return claim_sentence(part["claim"])
    runs = f"{part['n_runs']:,} {'run' if part['n_runs'] == 1 else 'runs'}"
    where = pairs_in_words(part["where"])
    n, of = part["rows"], part["of"]
    rows = "one row" if n == 1 else f"all {n:,} rows" if n == of else f"{n:,} of {of:,} rows"
    place = f" ({where})" if where else ""
    each = "" if n == 1 else "each "
    computed = f", computed from {runs}" if part["n_runs"] else ""
    return f"from {rows}{place}, {each}{part['row']}{computed}"


def claim_words(behind: Behind, row: int, part: Mapping) -> dict[str, str]:
    """Return what a row of claims says, in words; cells and runs are those that entered."""
    of = behind.table("claim").row(row, named=True)

    def printed(end: str) -> str:
        unit = f" {of['unit']}" if of["unit"] else ""
        return number(of[end] / of["factor"], of["digits"]) + unit

    def with_interval(prefix: str) -> str:
        if of.get(f"{prefix}estimate") is None:
            return NOTHING
        if of[f"{prefix}low"] is None:
            return printed(f"{prefix}estimate")
        ends = (printed(f"{prefix}{end}") for end in ("estimate", "low", "high"))
        return "{}, interval {} to {}".format(*ends)

    found = with_interval("")
    on = "On" if label_of("subject", of["subject"], behind.of_part) == "on" else "Of what"
    null = NOTHING
    if of["null_estimate"] is not None:
        null = f"{of['null_is']}: {printed('null_estimate')}"
    words = {
        "The sentence": f"{of['sentence']} ({of['place'] or 'a finding of our own'})",
        "What is measured": without_markup(of["statistic"]),
        on: behind.in_words("subject", of["subject"]),
        "Case": ", ".join(filter(None, [of["case"], of["part"]])) or "all of the sentence",
        "Found": found,
        "Of": cells_in_words(of, len(behind.runs_behind("claim", [row], ["estimate"]))),
        "Asserted": region_in_words(of),
        "Control": null if null != NOTHING else "none",
        "Less the control": with_interval("contrast_"),
        "Outcome": of["outcome"],
    }
    if words["Less the control"] == NOTHING:
        del words["Less the control"]
    if (of["of"] or 1) > 1:
        words["Holds"] = f"in {of['holds']} of {of['of']} parts, of which this is one"
    if of["why"]:
        words["Because"] = of["why"]
    if of["p_value_bh"] is not None:
        words["p-value"] = f"{of['p_value_bh']:.2g}, adjusted over {family_in_words(behind, of)}"
    if of.get("steady_estimate") is not None:
        there = f"outcome there: {of['steady_outcome'] or NOTHING}"
        words["In steady cells"] = f"{with_interval('steady_')}; {there}"
    if part["columns"] == ["folded"]:
        words["Outcome"] = f"{of['folded']} (all cases together)"
    return words


def without_markup(text: str) -> str:
    """Return a text of markdown as a panel shows it: '$w_l$' is 'wₗ'; bars are not escaped."""
    plain = re.sub(r"\$([^$]*)\$", lambda found: found[1].replace("{", "").replace("}", ""), text)
    return re.sub(r"_([a-z])\b", lambda found: SUBSCRIPTS.get(found[1], found[1]), plain).replace(
        "\\|", "|"
    )


def cells_in_words(of: Mapping, n_runs: int) -> str:
    """Return over how many cells a row of claims is, and of how many runs these are.

    Args:
        of: the row. n and n_most are of the cells whose runs move the estimate.
        n_runs: that are listed of it, with those of cells that lend their variance.
    """
    cells, least, most = of["n_cells"] or 0, of["n"] or 0, of["n_most"] or of["n"] or 0
    if not cells:
        return "a computed value"
    over = "1 cell" if cells == 1 else f"{cells} cells"
    in_all = f"{n_runs} run{'s' if n_runs != 1 else ''}"
    if of["n_borrowed"]:
        return f"{over} ({in_all} in all, with those of cells that lend their variance)"
    if not n_runs or not cells * least <= n_runs <= cells * most:
        return f"{over} ({in_all} in all)" if n_runs else over
    if cells == 1:
        return f"{over} with {in_all}"
    n = f"{least}" if least == most else f"{least} to {most}"
    return f"{over} with {n} run{'' if n == '1' else 's'} each ({in_all} in all)"


def family_in_words(behind: Behind, of: Mapping) -> str:
    """Return the tests that a row's p-value was adjusted over (`judge`: findings of ours apart)."""
    place, p = (behind.table("claim")[name] for name in ("place", "p_value"))
    is_own = place == ""
    family = (p.is_not_null() & (is_own == (of["place"] == ""))).sum()
    which = ", of its own findings" if of["place"] == "" else ", of sentences of the original"
    tests = "test" if family == 1 else "tests"
    return f"{family} {tests} of the paper{which if is_own.n_unique() > 1 else ''}"


def claim_sentence(of: Mapping[str, str]) -> str:
    """Return a row of claims as one sentence."""
    control = "no control" if of["Control"] == "none" else f"control, {of['Control']}"
    case = "" if of["Case"] == "all of the sentence" else f" ({of['Case']})"
    over = of["Of"] if of["Of"] == "a computed value" else f"over {of['Of']}"
    on = f"on {of['On']}" if "On" in of else f"of {of['Of what']}"
    holds = f"; it holds {of['Holds']}" if "Holds" in of else ""
    return (
        f"{of['What is measured']}{case}, {on}, {over}: "
        f"{of['Found']}; asserted: {of['Asserted']}; {control}; outcome: {of['Outcome']}{holds}"
    )
