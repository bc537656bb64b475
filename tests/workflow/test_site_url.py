"""Where `site_url` says under which address a site is read, its pages say it too."""

import re

import pytest
from test_workflow import copy_project, snakemake

URL = "https://site.example/study"
SITE = "reports/_site"
PAPER = f"{SITE}/tiny-paper"
DATASET = f"{SITE}/datasets/tiny-ns2/index.html"
CANONICAL = re.compile(r'<link rel="canonical" href="([^"]*)">')
SHARED = re.compile(r'<meta property="og:image" content="([^"]*)">')


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return copy_project(tmp_path_factory.mktemp("site-url") / "evenflow")


def test_pages_papers_and_their_picture_have_the_address_of_the_site(project):
    figures = (project / "reports/tiny-paper/figures.py").read_text(encoding="utf-8")
    name = re.search(r"@paper\.figure\ndef (\w+)", figures)[1]
    with (project / "reports/tiny-paper/paper.yml").open("a", encoding="utf-8") as file:
        file.write(f"picture: {name}\ndoi: 10.1234/tiny\n")
    (project / "config/config.yaml").write_text(f"site_url: {URL}/\n", encoding="utf-8")
    wanted = (f"{PAPER}/index.html", f"{PAPER}/tiny-paper.bib", f"{PAPER}/card.png", DATASET)
    done = snakemake(project, "--", *wanted)
    assert done.returncode == 0, done.stdout[-3000:]
    page = (project / wanted[0]).read_text(encoding="utf-8")
    assert CANONICAL.findall(page) == [f"{URL}/tiny-paper/index.html"]
    assert SHARED.findall(page) == [f"{URL}/tiny-paper/card.png"]
    assert 'href="https://doi.org/10.1234/tiny"' in page
    assert 'href="../datasets/tiny-ns2/index.html"' in page  # between pages nothing is absolute
    assert (project / wanted[2]).read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    entry = (project / wanted[1]).read_text(encoding="utf-8")
    assert f"  url = {{{URL}/tiny-paper/index.html}}" in entry
    assert "  doi = {10.1234/tiny}," in entry
    described = (project / DATASET).read_text(encoding="utf-8")
    assert CANONICAL.findall(described) == [f"{URL}/datasets/tiny-ns2/index.html"]

    # all of the site has the pictures of its papers; without an address none is made
    assert "draw_card" not in snakemake(project, "--dry-run").stdout  # it is there
    (project / wanted[2]).unlink()
    assert "draw_card" in snakemake(project, "--dry-run").stdout
    (project / "config/config.yaml").write_text("{}\n", encoding="utf-8")
    assert "draw_card" not in snakemake(project, "--dry-run").stdout
