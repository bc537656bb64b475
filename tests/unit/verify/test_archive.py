"""The archive's metadata and its bytes; validators see it in tests/ci/test_archiving.py."""

import json
import os
import subprocess
import zipfile
from pathlib import Path

import polars as pl
import pytest
import yaml
from evenflow.errors import DataError
from evenflow.paths import shown_path
from evenflow.verify.archive import (
    check_names,
    column_descriptions,
    project_files,
    refuse_untracked,
    ro_crate,
    table_package,
    text_tables,
    write_zip,
)

ROOT = Path(__file__).parents[3]


def test_the_same_content_gives_the_same_bytes_whenever_it_was_written(tmp_path):
    script = tmp_path / "run"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    archives = []
    for number in (1, 2):
        os.utime(script, (number * 10**6, number * 10**6))
        entries = {"b.txt": b"b" * 1000, "bin/run": script}
        entries = dict(sorted(entries.items(), reverse=number == 2))
        write_zip(tmp_path / f"{number}.zip", entries)
        archives.append((tmp_path / f"{number}.zip").read_bytes())
    assert archives[0] == archives[1]
    with zipfile.ZipFile(tmp_path / "1.zip") as archive:
        assert archive.namelist() == ["b.txt", "bin/run"]
        assert archive.getinfo("bin/run").external_attr >> 16 & 0o111
        assert not archive.getinfo("b.txt").external_attr >> 16 & 0o111


ODD = ["ü 日本", "a'b\"c", "a\\b:c*?", "-rf", "$(x)`y`;#%", " ", "x" * 255, "e\u0301", "\u202eb"]


def test_odd_names_come_out_of_a_zip_as_they_were(tmp_path):
    entries = {f"data/raw/d/{name}": name.encode() for name in ODD}
    check_names(entries)
    write_zip(tmp_path / "odd.zip", entries)
    zipfile.ZipFile(tmp_path / "odd.zip").extractall(tmp_path / "out")
    files = {path.name: path.read_bytes().decode() for path in (tmp_path / "out").rglob("*/d/*")}
    assert files == {name: name for name in ODD}


@pytest.mark.parametrize("name", [b"caf\xe9.log", b"two\nlines", b"\x1b[31m", b"\xc2\x85"])
def test_a_name_that_a_zip_would_change_is_refused(name):
    name = f"data/raw/d/{os.fsdecode(name)}"
    with pytest.raises(DataError) as caught:
        check_names(["data/raw/d/good.log", name])
    said = str(caught.value)
    assert said.startswith(f"{shown_path(name)}: the name ") and "Remedy: rename the file" in said
    assert said.isprintable()


def test_without_git_hidden_and_made_files_are_left_out(tmp_path):
    for name in ("a.py", ".ci/run", ".venv/x", "made/x", "w/__pycache__/x", "w/b.py", ".gitignore"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    os.mkfifo(tmp_path / "pipe")  # whoever opened it would wait for ever
    assert project_files(tmp_path, ["made"]) == [".ci/run", ".gitignore", "a.py", "w/b.py"]


def test_with_git_the_project_is_what_is_tracked(tmp_path):
    (tmp_path / "ü.py").write_text("")
    (tmp_path / "scratch.txt").write_text("")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "ü.py"], check=True)
    assert project_files(tmp_path, []) == ["ü.py"]


def lost(folder: Path, *needed: str, packed: tuple[str, ...] = ()) -> str:
    """What an archive is refused with, if it is."""
    try:
        refuse_untracked(folder, ["made"], needed, {*project_files(folder, ["made"]), *packed})
    except DataError as error:
        return str(error)
    return ""


def test_what_git_does_not_track_is_refused_by_name(tmp_path):
    for name in ("paper.yml", "my notes.txt", "made/x", "w/__pycache__/x", ".venv/x", "raw.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert lost(tmp_path) == ""  # without git all that is there is packed
    git = ["git", "-C", tmp_path]
    subprocess.run([*git, "init", "-q"], check=True)
    said = lost(tmp_path, packed=("raw.log",))  # listed raw files are packed in any case
    assert "2 files that git does not track" in said
    assert "Remedy: git add 'my notes.txt' paper.yml; name in .gitignore" in said
    (tmp_path / ".gitignore").write_text("*.txt\nresults\n")
    subprocess.run([*git, "add", "paper.yml", ".gitignore", "raw.log"], check=True)
    assert lost(tmp_path) == ""
    (tmp_path / "results").mkdir()
    (tmp_path / "results/d.sha256").write_text("")
    assert "Remedy: git add --force results/d.sha256" in lost(tmp_path, "results/d.sha256")
    subprocess.run(["git", "init", "-q", tmp_path / "reports/inner"], check=True)
    (tmp_path / "reports/inner/paper.yml").write_text("")
    assert "git add reports/inner/paper.yml" in lost(tmp_path)


def test_a_data_package_says_type_and_meaning_of_every_column(tmp_path):
    table = pl.DataFrame({"scenario_id": ["a"], "mean": [0.5], "n": [5], "cut": [False]})
    table.write_parquet(tmp_path / "cell.parquet")
    table.write_csv(tmp_path / "cell.csv")
    data_model = ROOT / "docs/reference/data-model.md"
    described = column_descriptions(data_model.read_text(encoding="utf-8"))
    about = {"title": "Two flows", "licence": "CC-BY-4.0"}
    files = {tmp_path / "cell.csv": tmp_path / "cell.parquet"}
    package = table_package("My data", about, files, described)
    assert (package["name"], package["licenses"][0]["name"]) == ("my-data", "CC-BY-4.0")
    fields = {field["name"]: field for field in package["resources"][0]["schema"]["fields"]}
    types = {name: field["type"] for name, field in fields.items()}
    assert types == {"scenario_id": "string", "mean": "number", "n": "integer", "cut": "boolean"}
    assert fields["n"]["description"] == "repeats with a value"
    assert package["resources"][0]["path"] == "cell.csv"
    assert package["resources"][0]["bytes"] == (tmp_path / "cell.csv").stat().st_size


def test_a_table_and_the_runs_of_its_rows_have_names_of_their_own(tmp_path):
    files = {}
    for name in ("gap", "gap.runs"):
        pl.DataFrame({"row": [0]}).write_parquet(tmp_path / f"{name}.parquet")
        (tmp_path / f"{name}.csv.gz").write_bytes(b"row\n0\n")
        files[tmp_path / f"{name}.csv.gz"] = tmp_path / f"{name}.parquet"
    resources = table_package("paper", {}, files, {})["resources"]
    assert [resource["name"] for resource in resources] == ["gap", "gap.runs"]


def test_a_list_in_a_table_is_an_array_in_its_csv(tmp_path):
    (tmp_path / "tables").mkdir()
    parquet = tmp_path / "tables/scenario.parquet"
    table = pl.DataFrame({"n": [2, 0, 1], "seeds": [[7, 9], None, []]})
    table.write_parquet(parquet)
    files = text_tables((tmp_path / "tables").glob("*.parquet"), tmp_path / "text")
    assert files == {tmp_path / "text/scenario.csv": parquet}
    assert (tmp_path / "text/scenario.csv").read_text() == 'n,seeds\n2,"[7, 9]"\n0,\n1,[]\n'
    (resource,) = table_package("paper", {}, files, {})["resources"]
    assert [field["type"] for field in resource["schema"]["fields"]] == ["integer", "array"]


def test_every_part_of_the_crate_is_referred_to_once():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    parts = [
        {"id": "Snakefile", "name": "W", "description": "the workflow"},
        {"id": "data/raw/x/", "name": "X", "description": "logs", "licence": "CC-BY-4.0"},
    ]
    crate = ro_crate(citation, parts, "Snakefile")
    entities = {entity["@id"]: entity for entity in crate["@graph"]}
    assert len(entities) == len(crate["@graph"])
    parts = [part["@id"] for part in entities["./"]["hasPart"]]
    assert parts == ["Snakefile", "data/raw/x/"]
    assert entities["data/raw/x/"]["@type"] == "Dataset"
    assert "ComputationalWorkflow" in entities["Snakefile"]["@type"]
    for name in {ref for ref in json.dumps(crate).split('"') if ref.startswith("#author")}:
        assert entities[name]["name"]
