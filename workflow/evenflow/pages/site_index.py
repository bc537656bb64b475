"""The site's first page: what the papers found, their claims, and the data sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from .. import places
from ..files import write_text
from ..render import as_image, escape_markdown, render_page, report_summary, with_policy
from ..render.site import Place, Site, of_original, page_of_dataset
from ..runs.scratch import job_folder
from ..tables import read_table
from .campaign import Plan, plans, state_in_words
from .dataset import read_about
from .glance import glance_markdown
from .overview import overview_data, with_overview
from .shelf import Entry, entry_of, shelf_markdown

TITLE = "evenflow"
# what the overview stands before: the papers, or else the data sets
NO_PAPERS = "# Papers {#sec-papers}\n\nThis site has no papers."
NO_SETS = "# Data sets {#data-sets}\n\nThis site has no data sets."
AFTER_OVERVIEW = ('<h2 id="sec-papers"', '<h2 id="data-sets"')
INTRODUCTION = (
    "How do competing TCP flows share a link? evenflow measures this and repeats published "
    "studies: {contents}. Every figure and every number was computed from raw logs, and can be "
    "traced back to the lines of these logs. `make verify` checks this."
)
OWN_LOGS = " For logs of your own, start with [the tutorial](docs/tutorial/index.html)."


def write_index(
    reports: Iterable[Path],
    datasets: Iterable[Path],
    theme: Path,
    html: Path,
    *,
    notes: Mapping[str, str],
    refused: Mapping[str, tuple[str, str]],
    claims: Mapping[str, Path],
    comparisons: Mapping[str, Mapping[str, str]],
    originals: Mapping[str, Mapping | None],
    pictures: Mapping[str, Path],
    derived: Path,
    site: Site,
    confidence: float,
    planned: Path | None = None,
) -> None:
    """Write the index of the reports and data sets.

    Args:
        reports: their folders, which hold index.qmd.
        datasets: the folders of raw logs.
        theme: the folder of the reports' theme.
        html: the page to write; the pages that it leads to lie next to it.
        notes: {link of a page that could not be made: what went wrong, in plain text}.
        refused: {what lies among the raw data and can be no data set: (problem, remedy)}.
        claims: {paper: its table `claim`}, of papers that have one; it may be missing.
        comparisons: {name: {'of': data set, 'against': data set}}.
        originals: {paper: the study that it repeats, as paper.yml has it}.
        pictures: {paper: the figure (SVG) that shows its finding}; it may be missing.
        derived: the folder of the tables of all data sets.
        confidence: of the intervals.
        site: what its header leads to.
        planned: the runs that campaigns plan (`campaign.plans`).
    """
    papers = {
        folder: about_report(folder, notes, claims.get(folder.name), pictures.get(folder.name))
        | {"original": what_it_repeats(originals.get(folder.name))}
        for folder in reports
    }
    datasets = list(datasets)
    sets = [entry_of(folder, notes, derived) for folder in datasets]
    found = plans_of(planned, datasets, derived)
    sets = [
        entry._replace(plan=found.get(folder.name))
        for entry, folder in zip(sets, datasets, strict=True)
    ]
    last_day = max((entry.days[1] for entry in sets if entry.days), default=None)
    # of one that could not be made dataset.yml may be no YAML
    whole = [folder for folder in datasets if page_of_dataset(folder.name) not in notes]
    about = {folder.name: read_about(folder / "dataset.yml") for folder in whole}
    pairs = overview_data(whole, about, derived, confidence)
    with job_folder() as temporary:
        sections = [introduction(len(papers), sets, site)]
        sections += [papers_section(papers, pictures, temporary)] if papers else []
        sections.append(glance(papers, claims))
        sections += [shelf_markdown(sets, state_in_words(found, last_day))] if sets else [NO_SETS]
        sections += [] if papers else [NO_PAPERS]  # the header of every page leads there
        sections += [comparison_section(comparisons, notes)] if comparisons else []
        sections += [refused_section(refused)] if refused else []
        plain = temporary / "index.html"
        render_page(
            "\n\n".join(filter(None, sections)) + "\n",
            TITLE,
            plain,
            theme,
            resources=temporary,
            styles=["index.css"],
            place=Place(0, site=site, path="index.html"),
        )
        below = AFTER_OVERVIEW if papers else reversed(AFTER_OVERVIEW)
        page = with_overview(plain.read_text("utf-8"), pairs, theme, below)
        script = (theme / "index.js").read_text("utf-8")
        page = page.replace("</body>", f"<script>\n{script}</script>\n</body>", 1)
    write_text(html, with_policy(page))


def plans_of(planned: Path | None, folders: Iterable[Path], derived: Path) -> dict[str, Plan]:
    """Return what is planned of the data sets of the index, and of those that have no folder yet.

    One whose tables are not there, or that this index is not of, is left out: of it nobody knows.
    """
    tables = {folder.name: derived / folder.name / "run.parquet" for folder in folders}
    runs = {name: read_table(path) for name, path in tables.items() if path.is_file()}
    raw = Path(places.folders().raw)
    found = plans(planned, runs)
    return {name: plan for name, plan in found.items() if name in runs or not (raw / name).is_dir()}


def introduction(n_papers: int, sets: Sequence[Entry], site: Site) -> str:
    """Return what this is, in a few sentences, with the number of what there is."""
    n_runs = sum(entry.n_runs or 0 for entry in sets)
    counts = {"paper": n_papers, "data set": len(sets), "run": n_runs}
    said = [f"{n:,} {what}{'' if n == 1 else 's'}" for what, n in counts.items()]
    own = OWN_LOGS if site.docs and places.holds_tool() else ""
    return INTRODUCTION.format(contents=", ".join(said)) + own


def about_report(
    folder: Path,
    notes: Mapping[str, str],
    claims: Path | None = None,
    picture: Path | None = None,
) -> dict[str, str]:
    """Return what the index says of a report, and where its outputs lie."""
    html = f"{folder.name}/index.html"
    if html in notes:
        return {"title": folder.name, "finding": escape_markdown(notes[html]), "html": html}
    judged = claims if claims and claims.is_file() else None
    pdf = f"{folder.name}/{folder.name}.pdf"
    return {**report_summary(folder, judged, picture), "html": html, "pdf": pdf}


def papers_section(
    papers: Mapping[Path, Mapping[str, str]], pictures: Mapping[str, Path], folder: Path
) -> str:
    """Return the section on the papers: of each its title, finding and picture.

    Pictures that are there are copied into `folder`.
    """
    blocks = ["# What the papers found {#sec-papers}"]
    for paper, about in papers.items():
        link = about["html"]
        lines = [f"## [{escape_markdown(about['title'])}](<{link}>)"]
        picture = pictures.get(paper.name)
        if "pdf" in about and picture and picture.is_file():
            copy_picture(picture, folder / f"{paper.name}.svg")
            alt = about.get("alt", "").replace('"', "'") or "The paper's figure"
            lines.append(f'[![]({paper.name}.svg){{fig-alt="{alt}"}}](<{link}>)')
        lines.append(about["finding"])
        lines += [about["original"]] if about["original"] else []
        if "pdf" in about:
            lines.append(f"[Read it here (HTML)](<{link}>) or [as PDF](<{about['pdf']}>)")
        blocks.append("::: {.card .paper}\n" + "\n\n".join(lines) + "\n:::")
    return "\n\n".join(blocks)


def what_it_repeats(original: Mapping | None) -> str:
    """Return the study that a paper repeats, in a line of markdown; '' where it repeats none."""
    if not original:
        return ""
    words, href = of_original(original)
    words = escape_markdown(words)
    return f"[Repeats {f'[{words}](<{href}>)' if href else words}.]{{.source}}"


def copy_picture(svg: Path, copy: Path) -> None:
    """Copy a chart without what an image does not show."""
    copy.write_text(as_image(svg.read_text("utf-8")), "utf-8")


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
        words = f"Jain's index of {of} and of {against}, cell by cell."
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
