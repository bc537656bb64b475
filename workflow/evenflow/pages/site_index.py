"""The page that leads to every report and to the page of every data set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import quote, unquote

from ..files import write_text
from ..render import as_sentence, escape_markdown, render_index, report_summary
from ..scratch import job_folder
from ..tables import read_table
from .dataset import read_about
from .glance import glance_markdown
from .search import with_search

TITLE = "evenflow"
INTRODUCTION = (
    "Papers on how competing TCP flows share a link. Every figure and every number in them was "
    "computed from the raw logs of the data sets below. `make verify` checks that."
)
WORKFLOW = """# Workflow

Each word is a rule of the workflow; a line leads down to a rule that uses its output. Blue: what
starts from the raw logs, or from formulas alone.

![The rules of the workflow.]({name}){{#fig-workflow fig-alt="{alt}"}}"""


def write_index(
    reports: Iterable[Path],
    datasets: Iterable[Path],
    workflow: Path,
    theme: Path,
    html: Path,
    notes: Mapping[str, str],
    refused: Mapping[str, tuple[str, str]],
    claims: Mapping[str, Path],
    comparisons: Mapping[str, Mapping[str, str]],
) -> None:
    """Write the index of the reports and data sets, with a search over their pages.

    Args:
        reports: their folders, which hold index.qmd.
        datasets: the folders of raw logs.
        workflow: the picture of the rules (SVG); left out where it is not there.
        theme: the folder of the reports' theme.
        html: the page to write; the pages that it leads to lie next to it.
        notes: {link of a page that could not be made: what went wrong, in plain text}.
        refused: {what lies among the raw data and can be no data set: (problem, remedy)}.
        claims: {paper: its table `claim`}, of papers that have one; it may be missing.
        comparisons: {name: {'of': data set, 'against': data set}}.
    """
    papers = {folder: about_report(folder, notes, claims.get(folder.name)) for folder in reports}
    sets = [about_dataset(folder, notes) for folder in datasets]
    introduction = "\n\n".join([INTRODUCTION, glance(papers, claims)])
    compared = {name: comparison_link(name) for name in comparisons}
    more = [comparison_section(comparisons, notes)] if comparisons else []
    more += [refused_section(refused)] if refused else []
    more += [workflow_section(workflow)] if workflow.is_file() else []
    with job_folder() as temporary:
        plain = temporary / "index.html"
        render_index(
            papers.values(), sets, TITLE, plain, theme, introduction,
            more=more, resources=workflow.parent,
        )  # fmt: skip
        page = plain.read_text("utf-8")
    links = [about["html"] for about in (*papers.values(), *sets)] + list(compared.values())
    pages = {link: html.parent / unquote(link) for link in links}
    texts = {link: path.read_text("utf-8") for link, path in pages.items() if path.is_file()}
    write_text(html, with_search(page, texts))


def about_report(
    folder: Path, notes: Mapping[str, str], claims: Path | None = None
) -> dict[str, str]:
    """Return what the index says of a report, and where its outputs lie."""
    html = f"{folder.name}/index.html"
    if html in notes:
        return {"title": folder.name, "abstract": notes[html], "html": html}
    judged = claims if claims and claims.is_file() else None
    return {
        **report_summary(folder, judged),
        "html": html,
        "pdf": f"{folder.name}/{folder.name}.pdf",
    }


def about_dataset(folder: Path, notes: Mapping[str, str]) -> dict[str, str]:
    """Return what the index says of a data set, and where its page lies."""
    html = f"datasets/{quote(folder.name)}/index.html"
    if html in notes:
        return {"title": folder.name, "description": notes[html], "html": html}
    about = read_about(folder / "dataset.yml")
    source = about.get("source") or "Nobody has said yet who measured this"
    return {
        "title": str(about.get("title", folder.name)),
        "description": as_sentence(str(source)),
        "html": html,
    }


def comparison_link(name: str) -> str:
    """Return the link from the index to the page of a comparison."""
    return f"comparisons/{quote(name)}/index.html"


def comparison_section(
    comparisons: Mapping[str, Mapping[str, str]], notes: Mapping[str, str]
) -> str:
    """Return the section on the comparisons, with what went wrong where one was not made."""
    lines = ["# Comparisons"]
    for name, sides in comparisons.items():
        link, (of, against) = comparison_link(name), (sides["of"], sides["against"])
        words = f"Jain's index of {of} compared with that of {against}, cell by cell."
        lines.append(f"## [{escape_markdown(name)}](<{link}>)")
        lines.append(escape_markdown(notes.get(link, words)))
    return "\n\n".join(lines)


def refused_section(refused: Mapping[str, tuple[str, str]]) -> str:
    """Return the section on what lies among the raw data and can be no data set."""
    lines = [
        f"- {escape_markdown(path)}: {escape_markdown(problem)}. *What to do:* {remedy}."
        for path, (problem, remedy) in refused.items()
    ]
    return "\n".join(["# No data sets", "", *lines])


def glance(papers: Mapping[Path, Mapping[str, str]], claims: Mapping[str, Path]) -> str:
    """Return the panel of results of the papers (by folder) that have claims."""
    found = {}
    for folder, about in papers.items():
        path = claims.get(folder.name)
        if path and path.is_file() and "pdf" in about:
            title = escape_markdown(about["title"])
            found[folder.name] = (title, f"{about['html']}#tbl-claims", read_table(path))
    return glance_markdown(found) if found else ""


def workflow_section(svg: Path) -> str:
    """Return the section with the picture of the workflow."""
    rules = sorted(set(re.findall(r">([a-z]+_[a-z_]+)</text>", svg.read_text("utf-8"))))
    alt = f"Graph of {len(rules)} rules: {', '.join(rules)}"
    return WORKFLOW.format(name=svg.name, alt=alt)
