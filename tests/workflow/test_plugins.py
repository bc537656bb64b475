"""A format, a metric and a congestion control of a study's own, by the guide's examples alone."""

import re
import tomllib
from pathlib import Path

import polars as pl
import pytest
import test_module
import yaml
from test_module import PAGE, TABLES, WORKFLOW, make_study, snakemake

GUIDE = (WORKFLOW.parent / "docs/guides/extending.md").read_text(encoding="utf-8")
OWN = GUIDE.partition("\n## A metric\n")[0]
LOG = "ourtool 1.0\n" + "".join(f"t={t}.0 rate={{rate}}.5 Mbps\n" for t in range(1, 181))


NAMES = ("formats/ourtool.py", "metrics/shares.py", "congestion_controls.yml")


def example(name: str) -> str:
    """The block of the guide that is the file of this name."""
    [text] = re.findall(rf"`evenflow_plugins/{name}`.*?```\w+\n(.*?)```", OWN, re.DOTALL)
    assert len(text.splitlines()) < 30
    return text


def study_of_ourtool(folder: Path) -> Path:
    study = make_study(folder)
    for log in (study / "data/raw/mine").iterdir():
        log.unlink()
    for run, rate in ((1, 40), (2, 44)):
        for flow, cca in enumerate(("ours", "cubic"), 1):
            path = study / f"data/raw/mine/ours-cubic/run{run}/flow{flow}_{cca}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(LOG.format(rate=rate // flow))
    return study


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    study = study_of_ourtool(tmp_path_factory.mktemp("plugins") / "study")
    for name in NAMES:
        path = study / "evenflow_plugins" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(example(name))
    done = snakemake(study, "--", PAGE)
    assert done.returncode == 0, done.stdout[-3000:]
    return study


def test_a_format_a_metric_and_a_congestion_control_by_the_guide_have_their_page(study):
    have_their_page(study)


def test_those_of_an_installed_package_have_their_page_too(tmp_path, monkeypatch):
    """By the entry points of the guide; installed is what has its metadata where Python looks."""
    installed, study = tmp_path / "installed", study_of_ourtool(tmp_path / "study")
    package, about = installed / "ourpackage", installed / "ourpackage-1.0.dist-info"
    for folder in (package, about):
        folder.mkdir(parents=True)
    for name, module in zip(NAMES[:2], ("ourtool", "shares"), strict=True):
        (package / f"{module}.py").write_text(example(name))
    entries = yaml.safe_load(example(NAMES[2]))
    (package / "controls.py").write_text(f"CONTROLS = {entries!r}\n")
    (package / "__init__.py").touch()
    [said] = re.findall(r"```toml\n(.*?)```", OWN, re.DOTALL)
    points = tomllib.loads(said)["project"]["entry-points"]
    lines = [
        f"[{g}]\n" + "".join(f"{n} = {m}\n" for n, m in of.items()) for g, of in points.items()
    ]
    (about / "entry_points.txt").write_text("\n".join(lines))
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ourpackage\nVersion: 1.0\n")
    monkeypatch.setattr(test_module, "WORKFLOW", f"{WORKFLOW}:{installed}")
    done = snakemake(study, "--", PAGE)
    assert done.returncode == 0, done.stdout[-3000:]
    have_their_page(study)
    assert "Nothing to be done" in snakemake(study, "--", PAGE).stdout
    metric = package / "shares.py"
    metric.write_text(metric.read_text().replace("mean.min() /", "mean.max() /"))
    done = snakemake(study, "--", PAGE)
    assert done.returncode == 0, done.stdout[-3000:]
    assert pl.read_parquet(study / TABLES / "mine/run_metric.parquet")["smallest_share"].min() > 0.6


def have_their_page(study: Path) -> None:
    table = {name: pl.read_parquet(study / TABLES / f"mine/{name}.parquet")
             for name in ("run", "flow", "ledger", "run_metric")}  # fmt: skip
    assert set(table["run"]["tool"]) == {"ourtool"} and len(table["run"]) == 2
    assert sorted(table["flow"]["cca"]) == ["cubic", "cubic", "ours", "ours"]
    logs = table["ledger"].filter(entry="file")
    assert set(logs["format"]) == {"ourtool"} and logs["lines_rejected"].sum() == 0
    shares = table["run_metric"].sort("run_id")["smallest_share"]
    assert shares.to_list() == pytest.approx([20.5 / 61.0, 22.5 / 67.0], abs=1e-6)
    page = (study / PAGE).read_text(encoding="utf-8")
    assert "Smallest share" in page and "Ours" in page and "ourtool" in page


def test_an_edit_makes_again_what_depends_on_it_and_a_removal_too(study):
    assert "Nothing to be done" in snakemake(study, "--", PAGE).stdout
    path = study / "evenflow_plugins/metrics/shares.py"
    text = path.read_text()
    path.write_text(text.replace("mean.min() /", "mean.max() /"))
    done = snakemake(study, "--", PAGE)
    assert done.returncode == 0, done.stdout[-3000:]
    shares = pl.read_parquet(study / TABLES / "mine/run_metric.parquet")["smallest_share"]
    assert shares.min() > 0.6
    path.unlink()
    done = snakemake(study, "--", PAGE)
    assert done.returncode == 0, done.stdout[-3000:]
    table = pl.read_parquet(study / TABLES / "mine/run_metric.parquet")
    assert "smallest_share" not in table.columns
    path.write_text(text)


WRONG = {
    "formats/broken.py": ("NAME = 'x'\n1 / 0\n", "broken.py:2: ZeroDivisionError"),
    "formats/lacking.py": ("NAME = 'x'\n", "a format needs TOOL, PLATFORM, CLOCK, SIGNATURE"),
    "formats/taken.py": (
        "NAME = TOOL = 'iperf3'\nPLATFORM = SIGNATURE = None\nCLOCK = 'run'\nparse = print\n",
        "there is a format 'iperf3' already",
    ),
    "metrics/syntax.py": ("def x(:\n", "syntax.py:1: SyntaxError"),
    "congestion_controls.yml": ("mine: {lable: x}\n", "'mine' is not a congestion control"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_plug_in_that_cannot_be_is_named_before_any_job_starts(tmp_path, name):
    study = make_study(tmp_path / "study")
    text, problem = WRONG[name]
    path = study / "evenflow_plugins" / name
    path.parent.mkdir(parents=True)
    path.write_text(text)
    done = snakemake(study, "-n")
    assert done.returncode and problem in done.stdout and "Remedy: " in done.stdout, done.stdout
    assert not Path(study / "data/derived").exists()
