"""The site's first page: papers with their pictures and findings, data sets with theirs."""

import re
from pathlib import Path

import polars as pl
import pytest
from evenflow.claims.judge import SCHEMA
from evenflow.errors import DataError
from evenflow.pages.shelf import BINS, jain_histogram
from evenflow.pages.site_index import write_index
from evenflow.papers.find import Paper
from evenflow.papers.picture import picture_of
from evenflow.render.site import SECTIONS, Site
from rendered_page import THEME, Page

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" aria-label="unseen" width="9" height="9"><rect/></svg>'
)
FINDING = '[It *grows*]{.finding claim="grows" is="reproduced"}'


def paper(folder: Path, name: str, abstract: str) -> Path:
    """Write a paper with a figure; return its folder."""
    report = folder / "reports" / name
    (report / "figures").mkdir(parents=True)
    (report / "figures/lines.svg").write_text(SVG)
    header = f"---\ntitle: Paper *{name}*\nabstract: |\n  {abstract}\n---\n"
    figure = '\n![C](figures/lines.svg){#fig-l fig-alt="It "rises". More."}\n'
    (report / "index.qmd").write_text(header + figure.replace('"rises"', "rises"))
    return report


def data_set(folder: Path, name: str, platform: str | None, jfi: list[float]) -> Path:
    """Write a data set's tables; return the folder of its raw logs, which has no dataset.yml."""
    raw, derived = folder / "raw" / name, folder / "derived" / name
    raw.mkdir(parents=True)
    derived.mkdir(parents=True)
    ids = [f"s{i}" for i in range(len(jfi))]
    runs = pl.DataFrame({"scenario_id": ids * 2, "platform": [platform] * 2 * len(ids)})
    runs.cast(pl.String).write_parquet(derived / "run.parquet")
    cell = pl.DataFrame(
        {"metric": ["jfi"] * len(ids), "mean": jfi}, schema_overrides={"mean": float}
    )
    cell.write_parquet(derived / "cell.parquet")
    return raw


def claims(folder: Path, outcome: str) -> Path:
    row = {
        "paper": "a",
        "claim": "grows",
        "subject": "s",
        "case": "",
        "place": "",
        "outcome": outcome,
        "quantifier": "all",
    }
    said = {"sentence": "S", "statistic": "slope", "digits": 1, "factor": 1.0, "unit": ""}
    path = folder / "claim.parquet"
    pl.DataFrame([row | said], schema=SCHEMA).write_parquet(path)
    return path


def table_rows(html: str) -> list[list[str]]:
    """Return the text of the cells of the table of data sets."""
    body = re.search(r'<div class="shelf">.*?<tbody>(.*?)</tbody>', html, re.DOTALL)[1]
    return [
        [" ".join(Page(cell).text.split()) for cell in re.findall("<td[^>]*>(.*?)</td>", row)]
        for row in re.findall("<tr[^>]*>(.*?)</tr>", body, re.DOTALL)
    ]


def test_how_much_of_the_plan_is_there_and_when_it_was_made_is_said(tmp_path, monkeypatch):
    bed = data_set(tmp_path, "bed", "testbed", [0.5])
    path = tmp_path / "derived/bed/run.parquet"
    ids = ["a/b/r1", "a/b/r2", "a/b/r3", "a/c/r1"]
    made = [f'{{"date": "2026-11-{day}T10:00:00Z"}}' for day in (21, 20, 25, 22)]
    runs = pl.DataFrame({"run_id": ids, "made_by": made, "platform": "testbed"})
    runs.with_columns(scenario_id=pl.lit("s")).write_parquet(path)
    plan = tmp_path / "planned.csv"
    lines = ["bed,a/b,2", "bed,a/c,1", "bed,a/d,7", "later,x,10", "broken,x,5"]
    plan.write_text("\n".join(["dataset_id,scenario,n_planned", *lines]) + "\n")
    (tmp_path / "data/raw/broken").mkdir(parents=True)  # nobody knows what is in it
    monkeypatch.chdir(tmp_path)
    html, page = index(tmp_path, datasets=[bed], planned=plan)
    # a fourth run of a scenario of three is none of the plan
    said = "As of 2026-11-25, 3 of the 20 planned runs have been made (15 %)."
    assert f"{said} 1 planned data set has no run yet: later." in page.text
    assert table_rows(html)[0][4:6] == ["2026-11-20 to 2026-11-25", "30 %"]


def index(folder: Path, reports=(), datasets=(), **more) -> tuple[str, Page]:
    given = {"notes": {}, "refused": {}, "claims": {}, "comparisons": {}, "pictures": {}}
    given |= {"originals": {}}
    html = folder / "site/index.html"
    html.parent.mkdir(exist_ok=True)
    derived = folder / "derived"
    given |= {"derived": derived, "site": Site(), "confidence": 0.95, **more}
    write_index(reports, datasets, THEME, html, **given)
    text = html.read_text(encoding="utf-8")
    return " ".join(text.split()), Page(text)


def test_a_paper_has_its_title_finding_picture_and_links(tmp_path):
    report = paper(tmp_path, "a", f"We look. {FINDING}. More.")
    picture = report / "figures/lines.svg"
    html, page = index(
        tmp_path, [report], pictures={"a": picture}, claims={"a": claims(tmp_path, "reproduced")}
    )
    assert ("Paper a", "a/index.html") in page.links and ("as PDF", "a/a.pdf") in page.links
    assert "It grows" in page.text and "We look" not in page.text
    assert "It rises." in page.alts
    assert "no longer supported" not in page.text
    assert all(load.startswith("data:") for load in page.loads)
    assert "unseen" not in html  # an image is read by its alternative text alone


def test_a_finding_that_is_lost_is_said_on_the_first_page(tmp_path):
    report = paper(tmp_path, "a", f"{FINDING}.")
    _, page = index(tmp_path, [report], claims={"a": claims(tmp_path, "contradicted")})
    assert "It grows (no longer supported)." in page.text


def test_what_is_missing_is_left_out(tmp_path):
    report = paper(tmp_path, "a", "One. Two.")
    failed = tmp_path / "reports/b"
    lone = tmp_path / "raw/lone"
    lone.mkdir(parents=True)
    html, page = index(
        tmp_path,
        [report, failed],
        [lone, tmp_path / "raw/broken"],
        notes={"b/index.html": "It *failed*.", "datasets/broken/index.html": "No log."},
        pictures={"a": tmp_path / "none.svg", "b": tmp_path / "none.svg"},
        claims={"a": tmp_path / "none.parquet"},
    )
    assert "One." in page.text and "Two." not in page.text
    assert "It *failed*." in page.text and "No log." in page.text
    assert "Who measured this is not stated." in page.text
    assert ("lone", "datasets/lone/index.html") in page.links
    assert page.alts == [] and "2 papers, 2 data sets, 0 runs" in page.text
    assert 'class="spread"' not in html


def test_a_site_without_papers_or_data_is_a_page(tmp_path):
    _, page = index(tmp_path)
    assert "0 papers, 0 data sets, 0 runs" in page.text
    assert "This site has no data sets." in page.text and "This site has no papers." in page.text


@pytest.mark.parametrize("there", [(), ("reports",), ("datasets",), ("reports", "datasets")])
def test_the_header_leads_to_places_that_the_index_has(tmp_path, there):
    lone = tmp_path / "raw/lone"
    lone.mkdir(parents=True)
    what = {"reports": [paper(tmp_path, "a", f"{FINDING}.")], "datasets": [lone]}
    html, _ = index(tmp_path, **{name: what[name] for name in there})
    for _, anchor in (href.split("#") for href in SECTIONS.values() if "#" in href):
        assert html.count(f'id="{anchor}"') == 1, anchor


def test_data_sets_are_a_table_by_platform_with_runs_scenarios_and_a_picture(tmp_path):
    sets = [
        data_set(tmp_path, "mine", None, [0.2, 0.9]),
        data_set(tmp_path, "sim", "ns2", [1.0]),
        data_set(tmp_path, "bed", "testbed", [0.5, 0.75, 1.0]),
        data_set(tmp_path, "clear", "testbed", []),
    ]
    html, page = index(tmp_path, datasets=sets)
    rows = [row[1:] for row in table_rows(html)]
    assert [row[:4] for row in rows] == [
        ["Testbed", "6", "3", "–"],
        ["ns-2", "2", "1", "–"],
        ["other", "4", "2", "–"],
        ["other", "0", "0", "–"],
    ]
    assert "Of the plan" not in page.text
    assert 'aria-label="Jain&#39;s index of 3 scenarios: 0.50 to 1.00, median 0.75"' in html
    assert html.count('class="spread"') == 3


def test_the_picture_of_jains_index_has_every_scenario_in_its_bin():
    two = jain_histogram(pl.Series([0.5, 0.51, 0.99, 1.0]))
    heights = [part.split("%")[0] for part in two.split("height: ")[1:]]
    assert heights == ["100", *["0"] * (BINS - 2), "100"]
    assert "[0.5]" in two
    below = jain_histogram(pl.Series([0.2, 1.0]))
    assert "[0.0]" in below and below.split("height: ")[5].startswith("100%")
    assert jain_histogram(pl.Series([], dtype=pl.Float64)) is None


def test_a_picture_that_is_no_figure_of_the_paper_is_named(tmp_path):
    folder = tmp_path / "reports/a"
    folder.mkdir(parents=True)
    text = "from evenflow.papers import paper\n\n\n@paper.figure\ndef rtt_ratio():\n    ...\n"
    (folder / "figures.py").write_text(text)
    (folder / "paper.yml").write_text("datasets: {data: d}\npicture: rtt_ratio\n")
    assert picture_of(Paper(str(folder), "derived")) == f"{folder}/figures/rtt-ratio.svg"
    (folder / "paper.yml").write_text("datasets: {data: d}\npicture: rtt_rato\n")
    with pytest.raises(DataError, match=r"no figure 'rtt_rato'.*did you mean 'rtt_ratio'"):
        picture_of(Paper(str(folder), "derived"))
    (folder / "paper.yml").write_text("datasets: {data: d}\n")
    assert picture_of(Paper(str(folder), "derived")) is None
