"""The whole paper on hand-made tables: its parts, one module after the other, to the report."""

import json
from pathlib import Path

import polars as pl
import pytest
import yaml
from check_numbers import check_numbers
from documented import documented_columns
from evenflow.errors import DataError
from evenflow.markdown import NO_BREAK_SPACE
from evenflow.papers.find import Paper
from evenflow.places import THEME
from evenflow.render import render_report
from made_paper import make_paper, table_of

FOLDER = Path(__file__).parents[1]
DATASET = "my-buffers"


def tables(places: list[tuple]) -> dict[str, pl.DataFrame]:
    """The tables of runs at (flows, Mb/s, aqm, fraction): 90 % used, a drop a second.

    A place may go on with implementation and Mb/s of the senders' links.
    """
    rows = {name: [] for name in ("run", "flow", "sample", "queue_sample", "flow_metric")}
    for n_flows, mbps, aqm, fraction, *senders in places:
        implementation, access_mbps = senders or ("sack1", 10_000)
        run = f"{implementation}/{access_mbps}/{n_flows}/{mbps:g}/{aqm}/{fraction}/r1"
        factors = {"implementation": implementation, "buffer_fraction": fraction}
        factors["access_mbps"] = access_mbps
        rows["run"].append({
            "run_id": run, "scenario_id": run.replace("r1", "r*"), "dataset_id": DATASET,
            "n_flows": n_flows, "repeat": 1, "bottleneck_bps": mbps * 1e6, "aqm": aqm,
            "tool": "ns-2",
            "tool_version": "2.35", "buffer_bytes": round(300_000 * fraction), "duration_s": 20.0,
            "factors": json.dumps(factors), "made_by": '{"date": "2026-11-21T10:00:00Z"}',
        })  # fmt: skip
        packets = mbps * 125 * 0.9  # a second
        for t in range(21):
            rows["queue_sample"].append({
                "run_id": run, "t_s": float(t), "queue_bytes": 5000.0, "queue_packets": 5.0,
                "arrived_packets": int(t * (packets + 1)), "departed_packets": int(t * packets),
                "dropped_packets": t,
            })  # fmt: skip
        for i in range(1, n_flows + 1):
            rtt = 0.08 + 0.02 * (i - 1) / (n_flows - 1)
            flow = {"run_id": run, "flow_id": i}
            rows["flow"].append(flow | {"base_rtt_s": rtt, "mss_bytes": 948, "start_s": 0.5})
            rows["flow_metric"].append(flow | {"mean_throughput_bps": mbps * 9e5 / n_flows})
            for t in range(20):
                rows["sample"].append(flow | {
                    "t_start_s": float(t), "t_end_s": t + 1.0,
                    "bytes": int(packets / n_flows) * 948, "cwnd_bytes": 9480.0 * (1 + t % 5),
                })  # fmt: skip
    integers = {"n_flows": pl.Int32, "repeat": pl.Int32, "flow_id": pl.Int32}
    made = {
        name: pl.DataFrame(these).cast({k: v for k, v in integers.items() if k in these[0]})
        for name, these in rows.items()
    }
    ids = made["run"].select("run_id")
    made["window"] = ids.with_columns(warmup_s=pl.lit(10.0), end_s=pl.lit(20.0))
    steady = {name: pl.lit(1.0) for name in ("flow_change", "use_change")}
    made["run_metric"] = ids.with_columns(
        jfi=pl.lit(1.0), utilisation=pl.lit(0.85), drift=pl.lit(0.0), **steady
    )
    made["ledger"] = pl.DataFrame(
        {"entry": ["file"], "bytes": [1000], "lines": [20], "lines_rejected": [0]}
    )
    return made


TEN = [
    (10, rate, aqm, f) for rate in (1000, 2500) for aqm in ("droptail", "red") for f in (0.1, 0.2)
]
OTHERS = [(10, 2500, "droptail", 0.1, *senders) for senders in (("linux", 10_000), ("sack1", 1000))]
OTHERS += [(10, 1000, "droptail", 0.2, "linux", 10_000)]
TWO = [(2, 1000, "droptail", f) for f in (0.1, 1.0)]


def make(folder: Path, places: list) -> Paper:
    paper = make_paper(folder, FOLDER.name, {"simulation": tables(places)}, fdr=0.05)
    # another rule's
    Path(paper.folder, "provenance.md").write_text("# Provenance {.unnumbered}\n")
    return paper


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Paper:
    return make(tmp_path_factory.mktemp("whole"), TEN + OTHERS + TWO)


@pytest.fixture(scope="module")
def report(made) -> Path:
    return Path(made.folder)


def text(report: Path, table: str) -> str:
    text = (report / f"tables/{table}.md").read_text(encoding="utf-8")
    return text.replace(NO_BREAK_SPACE, " ")


def test_utilisation_and_losses_reach_the_report(report):
    """90 % of the link, a drop a second: one of 281,251 packets on the faster link."""
    lines = text(report, "comparison").split("\n")
    row = next(line for line in lines if "2.5 Gb/s, RED" in line)
    assert " | 90.0 | – | " in row and " | 3.6·10⁻⁶ | " in row
    assert "| 10 | 1 |" in row


def test_every_run_is_in_the_coverage(report):
    assert text(report, "coverage").count("10 (1), 20 (1)") == 4
    assert "| `sack1-slow` | 1 | 10 (1) |" in text(report, "coverage")
    assert "10 (1), 100 (1)" in text(report, "coverage")


def test_the_report_says_what_it_was_made_of(report):
    found = yaml.safe_load((report / "_variables.yml").read_text(encoding="utf-8"))
    assert found["data"]["n_runs"] == "13" and found["two"] == {"n": "2", "unsteady": "0"}


def test_the_report_renders(made, report, tmp_path):
    """With one run a cell what was written for more is marked, and what the model has is not."""
    html, pdf, lost = (tmp_path / name for name in ("index.html", "paper.pdf", "lost.txt"))
    claims = Path(made.derived, "papers", made.name, "claim.parquet")
    render_report(report, html, pdf, THEME, claims=claims, lost=lost)
    assert pdf.read_bytes().startswith(b"%PDF")
    text = html.read_text(encoding="utf-8").replace("\u00a0", " ")
    assert "a tenth of the link’s BDP" in text and "90.0 % (n = 1)" in text
    marked = lost.read_text(encoding="utf-8")
    assert "tenth-by-link = reproduced" in marked
    assert "on=model" not in marked and "uniqueness" not in marked


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("places", "n_two"),
    [(TEN[:1], "0"), (TWO[:1], "1")],
    ids=["one of ten flows", "one of two"],
)
def test_a_campaign_of_one_run_gives_every_table_and_number(places, n_two, tmp_path):
    report = Path(make(tmp_path, places).folder)
    found = yaml.safe_load((report / "_variables.yml").read_text(encoding="utf-8"))
    assert found["data"]["n_runs"] == "1"
    assert found["two"]["n"] == n_two
    assert len(text(report, "claims").split("\n")) > 10


def test_the_model_is_evaluated_at_the_places_of_paper_yml(made):
    point = table_of(made, "model_point").filter(reading="taken")
    parameters = made.about["parameters"]
    assert len(point) == 2 * len(parameters["links"]) * len(parameters["fractions"])
    assert set(point["k"]) >= {1250, 12500, 6250}


def test_other_starts_of_the_steady_state_are_those_that_a_run_reaches(made):
    """Runs of 20 s: of the starts of paper.yml only MSER-5's lies in them."""
    assert set(table_of(made, "buffer_sensitivity")["start"]) == {"MSER-5"}


def test_every_number_of_the_text_has_rows_that_give_it(made):
    assert len(check_numbers(made)) > 25


def test_a_number_names_its_rows(report):
    origins = json.loads((report / "_origins.json").read_text(encoding="utf-8"))
    for name, table in (("errors.mean", "model_error"), ("slow.gbps", "link_buffer")):
        (value,) = origins[name]["values"]
        assert list(value["tables"]) == [table]
    (value,) = origins["settings.confidence_pct"]["values"]
    assert value["setting"] == "confidence" and value["text"] == "95"


def test_a_parameter_that_cannot_be_is_refused(made, tmp_path):
    for name in ("paper.yml", "paper.schema.json"):
        (tmp_path / name).write_text((FOLDER / name).read_text(encoding="utf-8"), encoding="utf-8")
    about = tmp_path / "paper.yml"
    about.write_text(about.read_text(encoding="utf-8").replace("close: 0.05", "close: 5"))
    line = 1 + about.read_text(encoding="utf-8").split("close: 5")[0].count("\n")
    with pytest.raises(DataError, match=f"paper.yml:{line}: parameters.thresholds.close: 5 is"):
        assert Paper(str(tmp_path), "").about


README = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_table_is_documented(made):
    known = [part.name for part in made.pieces("metric")]
    assert sorted(documented_columns(README)) == sorted(known)


@pytest.mark.parametrize("table", documented_columns(README))
def test_documented_columns_are_those_of_the_table(made, table):
    schema = [(name, str(dtype)) for name, dtype in table_of(made, table).schema.items()]
    assert documented_columns(README)[table] == schema
