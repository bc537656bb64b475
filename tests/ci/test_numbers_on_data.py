"""Every number of every paper has its rows, these their runs, and these lead to lines.

Run it after `make`; .ci/run does. What is drawn is by a fixed seed; EVENFLOW_SEED draws others.
"""

import json
import os
import random
import re
from dataclasses import replace
from pathlib import Path

import claims_of_lines
import columns_of_lines
import listed_rows
import log_lines
import polars as pl
import polars.selectors as cs
import pytest
import test_claims_on_data as on_data
import yaml
from check_numbers import check_numbers
from evenflow.claims.judge import judge
from evenflow.papers.find import find_papers
from evenflow.provenance.behind import Behind, rows_drawn
from evenflow.provenance.words import KEYS, no_expression
from evenflow.render.live import read_spec
from evenflow.render.source import main_variables, pieces_and_variables
from recompute import of_lines, recompute, without_kind

ROOT = Path(__file__).parents[2]
DERIVED = ROOT / "data/derived"
PAPERS = sorted(path.parent.name for path in ROOT.glob("reports/*/paper.yml"))
DOCS = ROOT / "docs/explanation/provenance.md"
SEED = os.environ.get("EVENFLOW_SEED") or "47"
# tables of which no log is behind a row: behind none; a claim on the model, or of a case without a
# run; a printed value that an equation gives, or that nothing here measures
WITHOUT_RUNS = ("model_point", "claim", "printed")
OF_FORMULAS = ("queue.most_ms", "queue.factor")  # of a row whose other columns have runs
N_MOVED = int(os.environ.get("EVENFLOW_MOVED") or 8)  # drawn of a paper
# what tells runs apart and is no result of theirs: of the table that claims are made of
PLACES = ("base_rtt_s", "buffer_bdp", "bottleneck_bps", "rtt1_ms", "rtt2_ms", "fraction", "mss")
PLACES += ("sources", "source_kbps", "aggregate_mbps", "gap_s", "from_s", "to_s", "lead_s")
# claims that a listed run need not move: extremes over cells, and what is read of another table
# (`flow_share`, `average`); counts of runs in which a flow is ahead; slopes, in which the RTT in
# the middle has no weight; and of several parts the one that is nearest to a different outcome
STILL = ("buffer-both-ways", "one-flow-has-most", "implementation", "half-the-time")
STILL += ("fairer-with-rtt", "falls-with-rtt", "free-falls-with-rtt", "flat-nru")

pytestmark = pytest.mark.skipif(
    not all((ROOT / "reports" / paper / "_origins.json").exists() for paper in PAPERS),
    reason="the papers are not there: make first",
)


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch):
    monkeypatch.chdir(ROOT)


def paper_of(name: str):
    return find_papers("reports", derived="data/derived")[name]


def origins_of(paper: str) -> dict:
    return json.loads((ROOT / "reports" / paper / "_origins.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("paper", PAPERS)
def test_the_recorded_rows_give_every_number(paper):
    assert len(check_numbers(paper_of(paper), whole=True)) > 50


@pytest.mark.parametrize("paper", PAPERS)
def test_every_cell_says_in_words_what_it_was_made_of_and_has_runs(paper):
    behind = Behind("data/derived", paper, paper_of(paper).all_parts)
    files = (ROOT / "reports" / paper / "tables").glob("*.cells.json")
    listed = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in files}
    marks, records = behind.cells(listed)
    assert sum(map(len, marks.values())) > 50
    for record in records:
        assert no_expression(record["said"]), record["said"]
        for part in record["parts"]:
            assert part["n_runs"] or part["table"] in WITHOUT_RUNS, record["said"]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_has_a_sentence_that_a_reader_understands(paper):
    behind = Behind("data/derived", paper, paper_of(paper).all_parts)
    for name, origin in origins_of(paper).items():
        record = behind.number(origin)
        assert no_expression(record["sentence"]), (name, record["sentence"])
        for part in record["parts"]:
            if part.get("table") == "claim" and "claim" in part:
                words = part["claim"]
                control = words["Control"].replace("none", "no control")
                for said in (words["Found"], words["Asserted"], control, words["Outcome"]):
                    assert said in record["sentence"], (name, said)


@pytest.mark.parametrize("paper", PAPERS)
def test_what_was_measured_has_runs(paper):
    """A table whose rows carry runs has some behind each row that a number is of."""
    behind = Behind("data/derived", paper, paper_of(paper).all_parts)
    pieces = {piece.name for piece in paper_of(paper).pieces("metric") if piece.runs}
    for name, origin in origins_of(paper).items():
        for part in behind.number(origin)["parts"]:
            computed = part.get("claim", {}).get("Of") == "a computed value"
            computed |= name in OF_FORMULAS or part.get("how") == ["the printed value"]
            if part.get("table") in pieces and not computed:
                assert part["n_runs"] > 0, (name, part["table"])


@pytest.mark.parametrize("paper", PAPERS)
def test_moving_all_runs_that_are_not_listed_moves_no_claim(paper, monkeypatch):
    """And moving one that is listed moves each that is drawn, but STILL.

    EVENFLOW_MOVED=9999 tries all rows of claims.
    """
    table = pl.read_parquet(DERIVED / f"papers/{paper}/claim.parquet").with_row_index("row")
    runs = pl.read_parquet(DERIVED / f"papers/{paper}/claim.runs.parquet").filter(side="")
    known = table.filter(
        pl.col("low").is_not_null(), pl.col("row").is_in(runs["row"].unique().to_list())
    )
    rng = random.Random(f"{SEED} {paper}")
    part = next(iter(paper_of(paper).datasets))

    def move(values: pl.DataFrame, moves) -> pl.DataFrame:
        ref = pl.format("{}/{}", "part" if "part" in values.columns else pl.lit(part), "run_id")
        kept = pl.Series(moves[1])
        is_moved = ref.is_in(kept.implode()) if moves[0] == "these" else ~ref.is_in(kept.implode())
        columns = [name for name in values.select(cs.float()).columns if name not in PLACES]
        return values.with_columns(
            pl.when(is_moved).then(pl.col(c) * (0.93 - 0.02 * i) + 0.001).otherwise(c).alias(c)
            for i, c in enumerate(columns)  # each by another factor: ratios move as well
        )

    monkeypatch.setattr(on_data, "relabelled", move)
    still = []
    for i in sorted(rng.sample(range(len(known)), min(N_MOVED, len(known)))):
        row = known.row(i, named=True)
        mine = runs.filter(row=row["row"])["run"].to_list()
        one = (row["of"] or 1) == 1
        for moves in (("others", mine), ("these", [rng.choice(mine)])):
            asked = on_data.of_paper(paper, moves)
            (claim,) = (each for each in asked["claims"] if each.key == row["claim"])
            claim = replace(claim, subjects=())  # one subject is asked, not all that it names
            subject = {row["subject"]: asked["subjects"][row["subject"]]}
            found = judge(paper, [claim], subject, confidence=asked["confidence"], fdr=1.0)
            again = found.filter(case=row["case"]).row(0, named=True)
            ends = ("estimate", "low", "high")
            same = all(again[end] == pytest.approx(row[end], rel=1e-9) for end in ends)
            if moves[0] == "others" and again["part"] == row["part"]:
                assert same, (row["claim"], row["subject"], row["case"])
            elif moves[0] == "these":
                still += [(row["claim"], row["subject"], row["case"], moves[1])] * (same and one)
    assert not {claim for claim, *_ in still} - set(STILL), still


# ---- cells of tables in print, and marks of charts -----------------------------------------------

NUMBER = re.compile(r"[−-]?\d[\d,]*(?:\.\d+)?")
PRINTED_IN = (1, 1e6, 1e-2, 1e-3, 1e-6, -1)  # units of a column in print: Mb/s, %, ms, per million
FOUND_IN_ROW = 0.9  # of the numbers in cells of one row; others are computed of several columns


def tables_in_print(paper: str) -> dict[str, tuple[list[list[str]], list]]:
    """{table: its cells as text, and what is said to be behind them}."""
    found = {}
    for path in sorted((ROOT / "reports" / paper / "tables").glob("*.md")):
        lines = [x for x in path.read_text("utf-8").splitlines() if x.startswith("|")][2:]
        cells = [[c.strip() for c in re.split(r"(?<!\\)\|", x)[1:-1]] for x in lines]
        found[path.stem] = cells, json.loads(path.with_suffix(".cells.json").read_text("utf-8"))
    return found


def is_value(text: str, values: list[float], unit: float | None) -> bool:
    """Whether a printed number is one of some values, in a unit of print."""
    number = float(text.replace("−", "-").replace(",", ""))
    digits = len(text.partition(".")[2])
    return any(
        abs(value / each - number) <= 0.5000001 * 10**-digits
        for value in values
        for each in ([unit] if unit else PRINTED_IN)
    )


@pytest.mark.parametrize("paper", PAPERS)
def test_cells_of_tables_say_what_is_in_the_rows_behind_them(paper):
    """The rows are there; a number of a cell that is of one row is a value of that row."""
    inside, n, n_cells, missed = 0, 0, 0, []
    for name, (texts, cells) in tables_in_print(paper).items():
        for row, columns, tables in cells:
            known = {}
            for table, pairs in tables.items():
                path = listed_rows.path_of(paper, table)
                known[table] = listed_rows.tables(paper, table)
                assert path.is_file() and pairs[0] >= 0 and pairs[-1] < len(known[table])
            n_cells += len(columns)
            ((table, pairs),) = list(tables.items())[:1]
            if len(tables) > 1 or pairs[0] != pairs[-1]:
                continue
            values = known[table].row(pairs[0], named=True)
            of = [float(v) for v in values.values() if isinstance(v, (int, float))]
            of += [1 - v for v in of if 0 < v < 1]
            words = " ".join(v for v in values.values() if isinstance(v, str))
            for column in columns:
                for number in NUMBER.findall(
                    re.sub(r"`[^`]*`|10[⁻⁰¹²³⁴-⁹]+", "", texts[row][column])
                ):
                    n += 1
                    seen = is_value(number, of, values.get("factor")) or is_value(number, of, None)
                    seen |= number in words
                    inside += seen
                    missed += [] if seen else [(name, row, column, texts[row][column])]
    assert n_cells > 500, n_cells
    assert inside >= FOUND_IN_ROW * n, (inside, n, missed[:20])


def test_figures_whose_marks_know_no_row_are_named_in_docs():
    text = DOCS.read_text("utf-8")
    (section,) = re.findall(r"\*\*Marks without a row\.\*\*.*?(?=\n\n)", text, re.DOTALL)
    without, n = set(), 0
    for paper in PAPERS:
        labels, _ = pieces_and_variables(ROOT / "reports" / paper)
        for file in labels.values():
            if file.endswith(".svg") and (spec := read_spec(ROOT / "reports" / paper / file)):
                n += 1
                if not rows_drawn(spec):
                    without.add(Path(file).stem)
    assert set(re.findall(r"`([a-z][\w-]*)`", section)) == without
    assert len(without) < n / 4


# ---- from the lines alone: nothing of evenflow but the list of lines ----------------------------

MOST_WITHOUT = {"main": 1 / 5, "all": 1 / 2}  # share of numbers that no recomputation is of


@pytest.mark.parametrize("paper", PAPERS)
def test_numbers_are_those_of_the_listed_lines(paper):
    """Every number of a kind that has an independent recomputation, so none need be drawn."""
    n = 0
    for name, origin in origins_of(paper).items():
        if not without_kind(paper, origin):
            n += 1
            for value in of_lines(origin):
                assert recompute(paper, value) == value["text"], name
    assert n >= 25


def test_lines_that_are_left_out_are_noticed(monkeypatch):
    """The recomputation reads lines: without the last tenth of them numbers are others."""
    paper, whole = "high-speed-fairness", log_lines.lines

    def cut(*of):
        return {path: rows[: -len(rows) // 10 or None] for path, rows in whole(*of).items()}

    forget()
    monkeypatch.setattr(
        log_lines, "lines", lambda d, run, end: (whole if "run" in end else cut)(d, run, end)
    )
    origins = origins_of(paper)
    moved = 0
    for name in ("estimate.unfriendly.simulation.bic_at_20_pct", "drift.testbed.n_unsteady"):
        moved += any(recompute(paper, v) != v["text"] for v in of_lines(origins[name]))
    forget()
    assert moved


def forget():
    """Forget what was read of logs and computed of it."""
    for module in (log_lines, listed_rows, columns_of_lines, claims_of_lines):
        for of in vars(module).values():
            if hasattr(of, "cache_clear"):
                of.cache_clear()


def test_most_numbers_have_a_recomputation_and_docs_name_the_kinds_that_have_none(capsys):
    lacking, n = {"main": 0, "all": 0}, {"main": 0, "all": 0}
    kinds = set()
    for paper in PAPERS:
        main = set(main_variables(ROOT / "reports" / paper))
        for name, origin in origins_of(paper).items():
            why = without_kind(paper, origin)
            if why:
                kinds.add(why.split(":")[0].split("/")[-1])
            for of in {"all", "main"} if name in main else {"all"}:
                n[of] += 1
                lacking[of] += bool(why)
    said = {of: f"{lacking[of]} of {n[of]} ({100 * lacking[of] / n[of]:.0f} %)" for of in n}
    with capsys.disabled():
        print(f"\nnumbers without a recomputation: {said}")
    for of, most in MOST_WITHOUT.items():
        assert lacking[of] <= most * n[of], said
    (section,) = re.findall(
        r"\*\*What is not recomputed\.\*\*.*?(?=\n\*\*)", DOCS.read_text("utf-8"), re.DOTALL
    )
    named = set(re.findall(r"`([a-z_]+)`", section))
    assert named == {kind for kind in kinds if " " not in kind}


def test_every_key_of_a_table_has_words():
    tables = yaml.safe_load((ROOT / "workflow/evenflow/provenance/tables.yml").read_text("utf-8"))
    keys = {key for table in tables.values() for key in table["keys"]}
    assert all("_" not in KEYS.get(key, key) for key in keys)
