"""A finding of a report holds while its data say so; where they do not, page and run say it."""

import gzip
import re
from html import unescape
from pathlib import Path

import pytest
from test_workflow import built_project, snakemake

PAGE = "reports/_site/tiny-paper/index.html"
QMD = "reports/tiny-paper/index.qmd"
SENTENCE = "BIC takes more than NewReno in 12 runs"
SAID = "No longer supported:"


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return built_project(tmp_path_factory, "findings")


def divide_goodput(log: Path, by: int) -> None:
    """Have a server's log of iperf 2 say that a fraction of the bytes arrived."""
    text = gzip.decompress(log.read_bytes()).decode()
    counts = re.compile(r"(?<= )(\d+)(?= (?:Bytes|bits/sec))")
    text = counts.sub(lambda count: str(int(count[0]) // by), text)
    log.write_bytes(gzip.compress(text.encode(), mtime=0))


def test_data_that_reverse_a_finding_are_said_by_page_and_run(project):
    done = snakemake(project, "--forcerun", "render_report", "--", PAGE)
    assert done.returncode == 0, done.stdout[-3000:]
    assert SAID not in done.stdout
    html = " ".join((project / PAGE).read_text(encoding="utf-8").split())
    bound = re.search(r'<span class="finding" title="([^"]+)">(.*?runs</span>)', html)
    assert "NewReno&#39;s, tiny-testbed: reproduced: BIC " in bound[1]
    assert SENTENCE in re.sub("<[^>]*>", "", bound[2])
    assert "BIC takes more" not in html.split('id="tbl-claims"')[1]  # no sentence of an original

    for log in (project / "data/raw/tiny-testbed/comparison").rglob("flow2.server.log.gz"):
        divide_goodput(log, by=20)
    done = snakemake(project, "--", PAGE)
    assert done.returncode == 0, done.stdout[-3000:]  # said, and no failure
    line = 1 + (project / QMD).read_text(encoding="utf-8").split("[BIC takes")[0].count("\n")
    lost = f"{SAID} {QMD}:{line}: '{SENTENCE}' was written for more-for-bic = reproduced"
    assert done.stdout.count(lost) == 1, done.stdout[-3000:]
    assert "Now contradicted (BIC's throughput over NewReno's, tiny-testbed: " in done.stdout
    html = " ".join((project / PAGE).read_text(encoding="utf-8").split())
    marked = unescape(html.split("<mark")[1].split("</p>")[0])
    assert SENTENCE in re.sub("<[^>]*>", "", marked.partition(">")[2])
    assert "no longer supported" in marked
    assert "it was written for reproduced. Now BIC's throughput over NewReno's" in marked

    again = snakemake(project, "--", PAGE)
    assert "Nothing to be done" in again.stdout and again.stdout.count(lost) == 1
