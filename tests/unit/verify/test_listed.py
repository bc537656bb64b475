"""What a verification goes by: data sets and papers with manifests, and what is kept of them."""

from pathlib import Path

import pytest
from evenflow.papers.find import Paper
from evenflow.places import Folders
from evenflow.verify import listed

TABLES = "from evenflow.papers import paper\n\n@paper.table\ndef all_cells(cell):\n    pass\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("lab", "new"):
        Path("data/raw", name).mkdir(parents=True)
    Path("data/raw/lab/dataset.yml").write_text("licence: CC-BY-4.0\n")
    Path("data/raw/new/dataset.yml").write_text("licence: [\n")
    Path("results/manifest/raw").mkdir(parents=True)
    for name in ("lab", "lost"):
        Path(f"results/manifest/raw/{name}.sha256").touch()
    papers = {}
    for name, dataset in (("old-paper", "lab"), ("new-paper", "new")):
        Path("reports", name).mkdir(parents=True)
        Path("reports", name, "paper.yml").write_text(f"datasets: {{lab: {dataset}}}\n")
        Path("reports", name, "tables.py").write_text(TABLES)
        papers[name] = Paper(f"reports/{name}", "data/derived")
    compared = {"both": {"of": "new", "against": "lab"}}
    return listed.Study(Folders(), ["lab", "new"], papers, compared)


def test_manifests_of_new_and_of_lost_data_sets_are_among_them(study):
    found = listed.manifests(study)
    raw = {f"results/manifest/raw/{n}.sha256": [f"data/raw/{n}"] for n in ("lab", "lost", "new")}
    assert found == raw | {"results/manifest/data.sha256": ["data", "data/raw", "data/derived"]}


def test_what_has_no_manifest_yet_is_left_out(study):
    config = {"datasets": ["lab", "new"], "papers": None, "chunks": 3}
    assert listed.listed_config(study, config) == {
        "datasets": ["lab"], "papers": ["old-paper"], "comparisons": {}, "chunks": 3,
    }  # fmt: skip
    assert listed.expected_files(study) == {
        "datasets/lab.csv": "data/derived/lab/cell.parquet",
        "old-paper/_variables.yml": "reports/old-paper/_variables.yml",
        "old-paper/all-cells.md": "reports/old-paper/tables/all-cells.md",
    }


def test_every_made_file_is_of_its_data_sets(study):
    found = listed.made_of(study)
    assert found["data/derived/lab/"] == ["lab"] == found["reports/old-paper/"]
    assert found["reports/_site/comparisons/both/"] == ["lab", "new"]
    assert found["reports/_site/index.html"] == ["lab", "new"]


def test_the_archive_names_what_is_there_and_the_licences_of_data_sets(study):
    Path("README.md").touch()
    parts = {part["id"]: part for part in listed.archive_parts(study)}
    assert {"README.md", "sbom.cdx.json"} <= parts.keys() and "Snakefile" not in parts
    assert parts["data/raw/lab/"]["licence"] == "CC-BY-4.0"
    assert parts["data/raw/new/"]["licence"] == ""  # it is no YAML
    assert parts["reports/_site/comparisons/both/index.html"]["description"] == (
        "Comparison of new against lab"
    )
