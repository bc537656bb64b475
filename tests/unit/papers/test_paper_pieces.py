"""What a paper's functions read, as their signatures say it: parts, data sets, marks."""

import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.papers import find
from evenflow.papers.find import Paper
from evenflow.papers.make import Values
from evenflow.papers.origins import shown_by

YML = """
datasets: {lab: raw-lab, lab_two: raw-lab-two}
further: {modern: raw-modern}
parameters: {example: 3}
"""
TABLES = """
from evenflow.papers import paper


@paper.metric
def share(modern_run, lab_two_run, lab_sample):
    return modern_run


@paper.metric
def surface(run):
    return run["lab"]


@paper.figure(of=["modern"])
def shares(share):
    return share


@paper.figure
def both(share, surface):
    return share
"""
NUMBERS = """
from evenflow.papers import paper


@paper.number
def said(share, confidence):
    return {"a": "1"}


@paper.number
def given(modern_run, example, confidence):
    return {"a": "1"}
"""


@pytest.mark.parametrize(
    ("mark", "problem"),
    [
        ("@paper.figure(of=[PART])", "of=[PART] is not written out"),
        ("@paper.figure(of='lab')", "of='lab' is not"),
        ("@paper.metric(runs='no')", "runs='no' is not"),
        ("@paper.metric(run=True)", "run= is not a keyword"),
        ("@paper.metric(**more)", "**= is not a keyword"),
    ],
)
def test_a_mark_whose_keyword_would_be_lost_is_refused(mark, problem, tmp_path):
    module = tmp_path / "figures.py"
    module.write_text(f"from evenflow.papers import paper\n\n\n{mark}\ndef drawn(run):\n    pass\n")
    with pytest.raises(DataError) as error:
        find.pieces_of(module)
    assert str(error.value).startswith(f"{module}:4: {problem}") and "Remedy:" in str(error.value)


@pytest.fixture
def paper(tmp_path):
    folder = tmp_path / "a-paper"
    folder.mkdir()
    for name, text in (("paper.yml", YML), ("tables.py", TABLES), ("numbers.py", NUMBERS)):
        (folder / name).write_text(text)
    return Paper(str(folder), "derived", {"confidence": 0.95}, {"run", "sample"})


def test_a_table_of_one_part_is_named_by_the_part(paper):
    reads = paper.reads(paper.pieces("metric")[0])
    assert reads == {
        "modern_run": "derived/raw-modern/run.parquet",
        "lab_two_run": "derived/raw-lab-two/run.parquet",
        "lab_sample": "derived/raw-lab/sample.parquet",
    }
    # further parts are read by this name alone
    assert paper.where("run") == ["derived/raw-lab/run.parquet", "derived/raw-lab-two/run.parquet"]
    assert paper.all_parts == {"lab": "raw-lab", "lab_two": "raw-lab-two", "modern": "raw-modern"}


def test_a_part_that_there_is_not_is_named(paper, tmp_path):
    (tmp_path / "a-paper/more.py").write_text(
        "from evenflow.papers import paper\n\n@paper.metric\ndef a(modrn_run):\n    pass\n"
    )
    with pytest.raises(DataError, match="a reads 'modrn_run'"):
        paper.reads(next(part for part in paper.pieces("metric") if part.name == "a"))


def test_a_sample_of_one_part_is_read_lazily(tmp_path):
    for name in ("run", "sample"):
        pl.DataFrame({"a": [1]}).write_parquet(tmp_path / f"{name}.parquet")
    paths = {f"lab_{name}": str(tmp_path / f"{name}.parquet") for name in ("run", "sample")}
    values = Values(paths, {"parts": {"lab": "raw-lab", "lab_two": "raw-lab-two"}})
    assert isinstance(values["lab_sample"], pl.LazyFrame)
    assert values["lab_run"].rows() == [(1,)]


def test_a_figure_is_of_the_parts_that_its_mark_names(paper):
    assert shown_by(paper, f"{paper.folder}/figures/shares.svg") == ["raw-modern"]
    assert shown_by(paper, f"{paper.folder}/figures/both.svg") == []


def test_paper_yml_is_read_once(paper, monkeypatch):
    reads = []
    read = find.read_yaml
    monkeypatch.setattr(find, "read_yaml", lambda path: reads.append(path) or read(path))
    known = paper.knowing(of_dataset={"cell"})
    assert known.datasets == paper.datasets and known.about is paper.about
    assert (known.of_dataset, known.derived) == ({"cell"}, paper.derived)
    assert reads == [f"{paper.folder}/paper.yml"]


def test_a_paper_is_not_called_like_a_folder_of_the_site(tmp_path):
    (tmp_path / "comparisons").mkdir()
    (tmp_path / "comparisons/paper.yml").write_text(YML, encoding="utf-8")
    with pytest.raises(DataError, match=r"comparisons.*another name"):
        find.find_papers(str(tmp_path))


def test_a_module_has_a_job_but_those_that_only_print_have_one(paper, tmp_path):
    folder = tmp_path / "a-paper"
    mark = "from evenflow.papers import paper\n\n@paper.table\n"
    (folder / "words.py").write_text(f"{mark}def in_print(share, example):\n    pass\n")
    found = Paper(str(folder), "data/derived", of_dataset=paper.of_dataset, shared=paper.shared)
    assert found.jobs == {"tables": ["tables"], "numbers_words": ["numbers", "words"]}
    assert {"number", "origins", "in_print"} <= found.outputs("numbers", "words").keys()
    assert found.settings("numbers", "words").keys() == {"confidence", "example", "parts"}
    assert found.inputs("numbers", "words").keys() == {"share", "modern_run"}


IMPORTS = {
    "numbers.py": "from .lib import K\nfrom .tools.deep import f\nfrom . import words, \\\n more",
    "lib/__init__.py": "from .h import K\n",
    "lib/h.py": "K = 1\n",
    "lib/other.py": "",
    "tools/__init__.py": "from ..._grid import shared\n",
    "tools/deep/__init__.py": "from .f import f\n",
    "tools/deep/f.py": "def f(): ...\n",
    "words.py": "",
    "more/__init__.py": "",
    "../_grid/__init__.py": "",
    "../_grid/shared/__init__.py": "",
}


def test_the_code_of_a_paper_is_what_python_loads_for_it_packages_included(tmp_path):
    folder = tmp_path / "reports/a-paper"
    for name, text in IMPORTS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = {
        path.removeprefix(f"{folder}/") for path in Paper(str(folder), "").code("x", "numbers")
    }
    beside = {name for name in IMPORTS if not name.startswith("..")} - {"lib/other.py"}
    shared = {
        str(tmp_path / "reports/_grid" / name) for name in ("__init__.py", "shared/__init__.py")
    }
    assert found == beside | shared
