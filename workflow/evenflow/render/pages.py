"""Small generated pages in the theme of the reports: the index, and one page per data set."""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..files import write_text
from ..scratch import job_folder
from .builtin import html_options
from .crossref import check_structure, number_targets, resolve_references
from .errors import RenderError
from .findings import read_claims
from .layout import for_html, number_captions
from .pandoc import pandoc_version, parse_markdown, run_pandoc, text_of
from .source import Source, read_source

HEADER = re.compile(r"---\n.*?\n---(?:\n|\Z)", re.DOTALL)  # YAML, at the beginning
CODE = re.compile(r"(`[^`\n]+`)")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
MARKUP = re.compile(r"([\\`*_{}\[\]<>#|@$~^&\"'])")


def render_page(
    markdown: str,
    title: str,
    output: Path,
    theme: Path,
    *,
    toc: bool = False,
    resources: Path | None = None,
) -> None:
    """Render generated ``markdown`` to one self-contained HTML file, atomically.

    ``theme`` is the directory with report.html and report.css; images are looked for in
    ``resources``. The subset of markdown is that of the reports, without shortcodes and
    citations. Raises RenderError for what does not resolve.
    """
    output, theme = Path(output), Path(theme).resolve()
    resources = Path(resources) if resources else output.parent
    lines = markdown.split("\n")
    origin = [(output, number) for number in range(1, len(lines) + 1)]
    source = Source(resources / output.name, markdown, origin)
    document = parse_markdown(markdown)
    problems: list[str] = []
    check_structure(document, source, problems)
    targets = number_targets(document, source, problems)
    document = resolve_references(document, targets, set(), source, problems)
    if problems:
        raise RenderError(problems)
    metadata = {
        "title": escape_markdown(title),
        "lang": "en",
        "toc-title": "Contents",
        "rendered-by": f"Rendered by pandoc {pandoc_version()}",
    }
    with job_folder() as temporary:
        metadata_file = temporary / "metadata.json"
        metadata_file.write_text(json.dumps(metadata), encoding="utf-8")
        arguments = ["--from=json", "--to=html5", "--standalone", "--wrap=none"]
        # the folder as it is: in a resource path a colon in its name would end it
        arguments += [f"--metadata-file={metadata_file}", "--resource-path=."]
        arguments += ["--toc", "--toc-depth=2"] if toc else []
        document = for_html(number_captions(document, targets), targets)
        resources.mkdir(parents=True, exist_ok=True)
        html = run_pandoc([*arguments, *html_options(theme)], json.dumps(document), cwd=resources)
    write_text(output, html)


def page_renderer_here() -> str:
    """What renders pages on this machine, with its version, as a page's footer says it.

    The rules take it for a parameter: another pandoc makes the pages again.
    """
    try:
        return f"pandoc {pandoc_version()}"
    except RenderError as error:  # of no concern before a page is rendered, which says it
        return str(error)


def render_index(
    papers: Iterable[Mapping[str, str]],
    datasets: Iterable[Mapping[str, str]],
    title: str,
    output: Path,
    theme: Path,
    introduction: str = "",
    *,
    more: Iterable[str] = (),
    resources: Path | None = None,
) -> None:
    """Render the page that leads to all papers and data sets (see index_markdown)."""
    markdown = index_markdown(papers, datasets, introduction, more)
    render_page(markdown, title, output, theme, resources=resources)


def index_markdown(
    papers: Iterable[Mapping[str, str]],
    datasets: Iterable[Mapping[str, str]],
    introduction: str = "",
    more: Iterable[str] = (),
) -> str:
    """The index as markdown.

    A paper has the keys title, abstract (a sentence), html and, where there is one, pdf; a data
    set title, description
    and html. Links are relative to the index; titles and sentences are plain text, descriptions too
    but for `code`; ``introduction`` and the sections ``more``, which come last, are markdown.
    """
    blocks = [introduction] if introduction else []
    blocks.append("# Papers")
    for paper in papers:
        html = paper["html"]
        blocks.append(f"## [{escape_markdown(paper['title'])}](<{html}>)")
        blocks.append(escape_markdown(paper["abstract"]))
        if "pdf" in paper:
            blocks.append(f"[Read it here (HTML)](<{html}>) or [as PDF](<{paper['pdf']}>)")
    blocks.append("# Data sets")
    for dataset in datasets:
        blocks.append(f"## [{escape_markdown(dataset['title'])}](<{dataset['html']}>)")
        blocks.append(escape_prose(dataset["description"]))
    blocks += more
    return "\n\n".join(blocks) + "\n"


def report_summary(report_dir: Path, claims: Path | None = None) -> dict[str, str]:
    """The plain title of a report and the sentence that describes it on the index.

    The sentence is the key 'description' of index.qmd, else the first of its abstract. Findings in
    them are bound to the table ``claims``, and left as they are without one.
    """
    source = read_source(Path(report_dir), claims=read_claims(claims) if claims else None)
    header = HEADER.match(source.text)
    metadata = parse_markdown(header[0] if header else "")["meta"]
    if "title" not in metadata:
        raise RenderError(f"{source.path}: key 'title' is missing in the header between the ---")
    words = " ".join(text_of(metadata.get("description") or metadata.get("abstract")).split())
    sentence = words if "description" in metadata else SENTENCE_END.split(words)[0]
    return {"title": text_of(metadata["title"]), "abstract": sentence}


def escape_markdown(text: str) -> str:
    """Plain text as markdown: what would be markup, a citation or a table's border is escaped."""
    return MARKUP.sub(r"\\\1", str(text))


def as_sentence(text: str) -> str:
    """Plain text with a capital at its beginning and a full stop, unless it ends as a sentence."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def escape_prose(text: str) -> str:
    """Plain text as markdown in which `code` stays code, as dataset.yml's `source` may hold it."""
    parts = CODE.split(str(text))
    return "".join(part if CODE.fullmatch(part) else escape_markdown(part) for part in parts)
