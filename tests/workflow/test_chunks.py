"""A large data set in the real workflow: a job a chunk; one run more has its own chunk read again.

The tests follow each other, as those of `test_make`. The data set is small; the configuration calls
it large.
"""

import os
import shutil

import polars as pl
import pytest
from test_make import rules as rules_of
from test_workflow import copy_project, snakemake

OF = "data/derived/tiny-testbed"
TABLES = [f"{OF}/{name}.parquet" for name in ("run_file", "finding", "cell", "assumption")]
CHUNKS = 2
LOG = "comparison/newreno-bic/rtt25_opb60/r1/flow1.server.log.gz"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project in which the data set was made, in chunks."""
    folder = copy_project(tmp_path_factory.mktemp("chunks") / "project")
    config = folder / "config/config.yaml"
    usual, small = "from_files: 10_000\n  files: 2_400", "from_files: 9\n  files: 40"
    config.write_text(config.read_text().replace(usual, small))
    return folder


def make(project, *options, also=()):
    return snakemake(project, *options, "--", *TABLES, *also)


def test_each_chunk_is_a_job(project):
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert rules_of(done)["read_chunk"] == CHUNKS
    assert "read_logs" not in rules_of(done)
    assert "Nothing to be done" in make(project).stdout


def test_one_run_more_has_its_chunk_read_again(project):
    run = (project / "data/raw/tiny-testbed" / LOG).parent
    record = shutil.copytree(run, run.with_name("r9")) / "run.json"
    record.write_text(record.read_text().replace('"repeat": 1,', '"repeat": 9,'))
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    for rule in ("read_chunk", "settle_chunks"):
        assert rules_of(done)[rule] == 1
    shutil.rmtree(run.with_name("r9"))
    assert rules_of(make(project))["read_chunk"] == 1


def test_tables_with_a_row_a_sample_are_made_on_demand_and_then_kept_up_to_date(project):
    page, table = (f"reports/_site/datasets/tiny-testbed/{n}" for n in ("index.html", "tables"))
    assert snakemake(project, "--", page).returncode == 0
    sample = f"{table}/sample.parquet"
    assert f"snakemake --cores all {sample}" in (project / page).read_text()
    assert not (project / sample).exists() and not (project / OF / "sample.parquet").exists()
    done = snakemake(project, "--", sample)
    assert done.returncode == 0, done.stdout[-3000:]
    samples = pl.read_parquet(project / sample)
    assert samples["run_id"].n_unique() == 12 and samples["run_id"].is_sorted()
    assert pl.read_csv(project / f"{table}/sample.csv.gz").height == len(samples)
    assert "publish_samples" not in rules_of(snakemake(project, "--dry-run"))
    run = (project / "data/raw/tiny-testbed" / LOG).parent
    run.rename(project / "kept")
    assert rules_of(snakemake(project, "--dry-run"))["publish_samples"] == 1
    (project / "kept").rename(run)


def test_a_chunk_that_failed_fails_until_it_is_mended(project):
    log = project / "data/raw/tiny-testbed" / LOG
    whole, times = log.read_bytes(), log.stat()
    log.write_bytes(whole[: len(whole) // 2])
    for _ in range(2):
        done = make(project)
        assert done.returncode != 0
        assert LOG in done.stdout[-1500:]
        assert rules_of(done)["read_chunk"] == 1
        assert not (project / OF / "run.parquet").exists()
    log.write_bytes(whole)
    os.utime(log, ns=(times.st_atime_ns, times.st_mtime_ns))
    done = make(project)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "Nothing to be done" in make(project).stdout


def test_other_chunks_than_before_leave_nothing_behind(project):
    config = project / "config/config.yaml"
    before = config.read_text()
    config.write_text(before.replace("files: 40", "files: 8"))  # more than four times as large
    done = make(project, also=[".evenflow/tidied"])
    assert done.returncode == 0, done.stdout[-3000:]
    n = rules_of(done)["read_chunk"]
    assert n == 10
    assert len(list((project / OF / "chunks").iterdir())) == n
    config.write_text(before.replace("from_files: 9", "from_files: 1000"))
    done = make(project, also=[".evenflow/tidied"])
    assert done.returncode == 0, done.stdout[-3000:]
    assert rules_of(done)["read_logs"] == 1
    assert not list((project / OF / "chunks").glob("*"))
