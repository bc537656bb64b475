"""Every number of every paper has its rows, these their runs, and these lead to lines.

Run it after `make`; .ci/run does. What is drawn is by a fixed seed; EVENFLOW_SEED draws others.
"""

import json
import os
import random
import re
import subprocess
from pathlib import Path

import polars as pl
import pytest
import test_claims_on_data as on_data
import yaml
from check_numbers import check_numbers, places, printed
from evenflow.claims.judge import judge
from evenflow.papers.find import find_papers
from evenflow.provenance.behind import Behind, no_expression

ROOT = Path(__file__).parents[2]
DERIVED = ROOT / "data/derived"
PAPERS = sorted(path.parent.name for path in ROOT.glob("reports/*/paper.yml"))
SEED = os.environ.get("EVENFLOW_SEED") or "47"
OF_FORMULAS = ("queue.most_ms", "queue.factor")  # of a row whose other columns have runs
N_MOVED, N_RAW = 2, 4  # drawn of a paper
IPERF = re.compile(r"\]\s+[\d.]+-\s*[\d.]+ sec\s+\d+ Bytes\s+(\d+) bits/sec")
# what moves a run's values, of the table that claims are made of
MOVED = ("jfi", "utilisation", "fairness_ratio_12", "beta_measured", "bpdd", "flows_losing")
MOVED += ("throughput1_bps", "mean_throughput_bps_flow1", "level_db_flow1", "level_db_flow2")
MOVED += ("loss_rate", "cut_rate", "time_full_s", "mean_throughput_bps_flow2")

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
            computed |= name in OF_FORMULAS
            if part.get("table") in pieces and not computed:
                assert part["n_runs"] > 0, (name, part["table"])


@pytest.mark.parametrize("paper", PAPERS)
def test_moving_all_runs_that_are_not_listed_moves_no_claim(paper, monkeypatch):
    """And moving one that is listed moves one of the claims that are drawn."""
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
        columns = [name for name in MOVED if name in values.columns]
        return values.with_columns(
            pl.when(is_moved).then(pl.col(c) * 0.93 + 0.001).otherwise(c).alias(c) for c in columns
        )

    monkeypatch.setattr(on_data, "relabelled", move)
    moved = []
    for i in sorted(rng.sample(range(len(known)), min(N_MOVED, len(known)))):
        row = known.row(i, named=True)
        mine = runs.filter(row=row["row"])["run"].to_list()
        for moves in (("others", mine), ("these", [rng.choice(mine)])):
            asked = on_data.of_paper(paper, moves)
            (claim,) = (each for each in asked["claims"] if each.key == row["claim"])
            subject = {row["subject"]: asked["subjects"][row["subject"]]}
            found = judge(paper, [claim], subject, confidence=asked["confidence"], fdr=1.0)
            again = found.filter(case=row["case"]).row(0, named=True)
            ends = ("estimate", "low", "high")
            same = all(again[end] == pytest.approx(row[end], rel=1e-9) for end in ends)
            if moves[0] == "others" and again["part"] == row["part"]:
                assert same, (row["claim"], row["subject"], row["case"])
            elif moves[0] == "these":
                moved.append(not same)
    assert any(moved)


# ---- from the lines alone: nothing of evenflow but the list of lines ----------------------------


def lines(dataset: str, run: str, ends: str) -> dict[str, list[str]]:
    table = pl.read_parquet(DERIVED / dataset / "run_file.parquet").filter(run_id=run)
    found = {}
    for path, first, last, used in table.select("path", "first_line", "last_line", "n_used").rows():
        if used is not None and first is not None and path.endswith(ends):
            command = f"zcat 'data/raw/{dataset}/{path}' | sed -n '{first},{last}p'"
            out = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
            found[path] = out.stdout.splitlines()
    return found


def rates(dataset: str, run: str) -> list[float]:
    """Mean throughput of each flow of a run, bit/s."""
    found: dict[str, list[float]] = {}
    if dataset.startswith("ns2"):
        for text in lines(dataset, run, "goodput.log.gz").values():
            for row in text:
                _, flow, size, *_ = row.split()
                found.setdefault(flow, []).append(8 * float(size))
    else:
        for path, text in sorted(lines(dataset, run, ".server.log.gz").items()):
            found[path] = [float(m[1]) for m in map(IPERF.search, text) if m]
    return [sum(of) / len(of) for _, of in sorted(found.items())]


def jain(ref: str, of_part: dict) -> float:
    part, _, run = ref.partition("/")
    means = rates(of_part[part], run)
    return sum(means) ** 2 / (len(means) * sum(x * x for x in means))


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def recomputed(paper: str, value: dict, of_part: dict) -> float | None:
    """A value from the listed lines alone; None for a kind that is not written here."""
    if "setting" in value or len(value["tables"]) != 1:
        return None
    ((table, pairs),) = value["tables"].items()
    path = DERIVED / f"papers/{paper}/{table}.runs.parquet"
    if len(value["columns"]) != 1 or not path.is_file():
        return None
    rows, (column,) = places(pairs), value["columns"]
    of = pl.read_parquet(path).filter(pl.col("row").is_in(rows))
    if table == "gap" and column in ("bound", "free", "bound_high", "free_high"):
        by: dict[str, dict] = {}
        for ref in of.filter(side=column)["run"]:
            part, _, run = ref.partition("/")
            place = re.search(r"newreno-\w+/rtt\d+_opb\d+", run)[0]
            by.setdefault(place, {}).setdefault(part == "simulation", []).append(jain(ref, of_part))
        return mean([abs(mean(both[True]) - mean(both[False])) for both in by.values()])
    if table == "change" and column in ("jfi", "base_jfi") and "expression" in value:
        side = "base,expected" if column == "base_jfi" else "jfi,n,utilisation"
        cells = [of.filter(row=row, side=side)["run"].to_list() for row in rows]
        return mean([mean([jain(ref, of_part) for ref in runs]) for runs in cells])
    if table == "pair_cell" and column == "jfi" and len(rows) < 8:
        means = [mean([jain(r, of_part) for r in of.filter(row=row)["run"]]) for row in rows]
        return min(means) if "Min" in value.get("expression", "") else max(means)
    return None


@pytest.mark.parametrize("paper", ["ns2-vs-testbed", "high-speed-fairness"])
def test_drawn_numbers_are_those_of_the_listed_lines(paper):
    print(f"EVENFLOW_SEED={SEED}")
    about = yaml.safe_load((ROOT / "reports" / paper / "paper.yml").read_text(encoding="utf-8"))
    of_part = about["datasets"] | about.get("further", {})
    origins = origins_of(paper)
    names = random.Random(f"{SEED} {paper}").sample(sorted(origins), len(origins))
    done = 0
    for name in names:
        if done == N_RAW:
            return
        for value in origins[name]["values"]:
            found = recomputed(paper, value, of_part)
            if found is not None:
                how = {key: value[key] for key in ("digits", "unit") if key in value}
                assert printed(found, **how) == value["text"], name
                done += 1
    assert done >= N_RAW
