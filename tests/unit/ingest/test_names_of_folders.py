"""A folder's name, of 300: named and left out, or carried through all that it is written into."""

import html
import json
import os
import re
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
import yaml
from evenflow.ingest.assumptions import folder_title
from evenflow.ingest.described.folders import (
    RESERVED,
    find_datasets,
    refused_entries,
    why_no_dataset,
)
from evenflow.pages.site_index import write_index
from evenflow.paths import path_shown_as, printable, shown_path
from evenflow.render import escape_markdown, render_page
from evenflow.render.site import Site
from names_of_folders import BAD, GOOD
from raw_data import ROOT
from snakemake.io import PeriodicityDetector, apply_wildcards, regex_from_filepattern

THEME = ROOT / "workflow/theme"
LONGEST = 255  # bytes of a file's name
RULES = [ROOT / "workflow/Snakefile", *sorted((ROOT / "workflow/rules").glob("*.smk"))]


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    """data/raw with a folder of each name; no file system has longer names than 255 bytes."""
    folder = tmp_path_factory.mktemp("raw")
    for name in [*GOOD, *BAD]:
        there = folder / os.fsdecode(name)
        there.mkdir()
        (there / "x.log").write_text("x\n")
    (folder / "README.md").write_text("x\n")
    (folder / "loose.log").write_text("x\n")
    return folder


def test_there_are_enough_names():
    assert len({*GOOD, *BAD}) == len(GOOD) + len(BAD) >= 300


def test_each_name_is_a_data_set_or_is_named_with_a_remedy(raw):
    refused = refused_entries(raw)
    assert sorted(find_datasets(raw)) == sorted(GOOD)
    assert refused.keys() == {"loose.log", *map(os.fsdecode, BAD)}
    for name, (problem, remedy) in refused.items():
        said = printable(f"{name}: {problem}. {remedy}")
        assert printable(said) == said and len(said.splitlines()) == 1
        assert remedy


def test_where_logs_lie_loose_and_a_data_set_is_not_there_the_remedy_says_so(tmp_path):
    raw = tmp_path / "raw"
    problem = "there is no such data set"
    into = f"into a folder {raw}/my-logs"
    assert why_no_dataset(raw, "my-logs") == (problem, f"put its logs {into}")
    raw.mkdir()
    for name in ("README.md", "a.log", "b.log", "c.log", "d.log"):
        (raw / name).touch()
    loose = f"put the files that lie in {raw} itself (a.log, b.log, c.log and 1 more) {into}"
    assert why_no_dataset(raw, "my-logs") == (problem, loose)
    (raw / "my-log").mkdir()
    (raw / "my-log/x.log").touch()
    near = "correct the name (did you mean 'my-log'?)"
    assert why_no_dataset(raw, "my-logs") == (problem, f"{loose}, or {near}")
    for path in raw.glob("*.log"):
        if path.is_file():
            path.unlink()
    assert why_no_dataset(raw, "my-logs") == (problem, f"{near}, or put its logs {into}")
    (raw / "papers").mkdir()
    (raw / "papers/x.log").touch()
    assert why_no_dataset(raw, "papers")[0].startswith("the folder's name is reserved")


def outputs_of_rules() -> list[str]:
    """Return the patterns of paths in which the rules have a data set's name."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in RULES)
    text = re.sub(r"{(DERIVED|SITE|DRAWN|PUBLISHED|PART)}", "made", text).replace("{{", "{")
    found = re.findall(r'"([^"\s]*\{dataset\}[^"\s]*)"', text.replace("}}", "}"))
    return sorted({re.sub(r"\{(?!dataset\})\w+\}", "other", path) for path in found})


def test_snakemake_finds_each_name_again_in_each_path(raw):
    """And takes none for a rule that calls itself: it would stop every job with it."""
    patterns = outputs_of_rules()
    assert len(patterns) > 20
    periodic = PeriodicityDetector()
    known = [(p, re.compile(regex_from_filepattern(p))) for p in patterns]
    for name in find_datasets(raw):
        assert periodic.is_periodic(name) is None, name
        for pattern, regex in known:
            path = apply_wildcards(pattern, {"dataset": name})
            assert path == pattern.replace("{dataset}", name)
            assert regex.match(path)["dataset"] == name
            assert max(len(os.fsencode(part)) for part in path.split("/")) <= LONGEST


def test_what_snakemake_takes_for_periodic_is_refused():
    periodic = PeriodicityDetector()
    names = [name for name in map(os.fsdecode, BAD) if periodic.is_periodic(name)]
    assert len(names) > 12


def test_what_evenflow_makes_beside_the_folders_of_data_sets_is_reserved():
    text = "\n".join(path.read_text(encoding="utf-8") for path in RULES)
    beside = set(re.findall(r'f"{DERIVED}/([\w.-]+)', text))
    assert {"vega.js", "papers", "comparisons"} <= beside
    assert beside <= set(RESERVED)


def test_each_name_is_the_same_once_it_is_read_back(raw):
    for name in find_datasets(raw):
        assert unquote(quote(name)) == name
        assert path_shown_as(shown_path(name)) == name
        # the line that a page offers for dataset.yml
        assert yaml.safe_load(folder_title(name)) == {"title": name}
        assert json.loads(json.dumps({"title": name}))["title"] == name


def text_of(page: Path) -> str:
    page = re.sub(r"<(style|script)\b.*?</\1>", "", page.read_text("utf-8"), flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def test_each_name_stands_on_the_index_and_leads_to_its_page(raw, tmp_path):
    page, names = tmp_path / "index.html", find_datasets(raw)
    folders = [raw / name for name in names]
    refused = {printable(name): said for name, said in refused_entries(raw).items()}
    nothing = {key: {} for key in ("notes", "claims", "comparisons", "originals", "pictures")}
    about = {"refused": refused, "derived": tmp_path, "site": Site(), "confidence": 0.95}
    write_index([], folders, THEME, page, **nothing, **about)
    links = re.findall(r'href="(datasets/[^"]+)"', page.read_text("utf-8"))
    assert [unquote(html.unescape(link)) for link in links] == [
        f"datasets/{name}/index.html" for name in names
    ]
    said = " ".join(text_of(page).split())
    for name in (*names, *refused):
        assert " ".join(name.split()) in said, name


def test_each_name_may_be_the_title_of_a_page(raw, tmp_path):
    page, names = tmp_path / "page.html", find_datasets(raw)
    render_page(escape_markdown("text"), " | ".join(names), page, THEME)
    for place in ("title", "h1"):
        said = re.search(rf"<{place}\b[^>]*>(.*?)</{place}>", page.read_text("utf-8"), re.DOTALL)
        said = html.unescape(re.sub(r"<[^>]+>", "", said[1]))
        assert said.split(" | ")[0] == names[0].strip()
        for name in names:
            assert " ".join(name.split()) in " ".join(said.split()), name
