"""Small generated pages in the theme of the reports: the index, and one page per data set."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..charts.describe import read_description
from ..files import write_text
from ..markdown import escape_markdown
from ..runs.scratch import job_folder
from .builtin import html_options
from .crossref import number_targets, resolve_references
from .errors import RenderError
from .findings import read_claims
from .layout import for_html, number_captions
from .pandoc import (
    READER,
    elements,
    pandoc_version,
    parse_markdown,
    plain,
    run_pandoc,
    strings,
    text_of,
    walk,
)
from .policy import with_policy
from .reach import within_reach
from .site import Place, with_header
from .source import Source, read_source
from .subset import check_structure

HEADER = re.compile(r"---\n.*?\n---(?:\n|\Z)", re.DOTALL)  # YAML, at the beginning
CODE = re.compile(r"(`[^`\n]+`)")
END = tuple(".!?")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def render_page(
    markdown: str,
    title: str,
    output: Path,
    theme: Path,
    *,
    toc: bool = False,
    resources: Path | None = None,
    styles: Iterable[str] = (),
    place: Place | None = None,
) -> None:
    """Render generated ``markdown`` to one self-contained HTML file, atomically.

    ``theme`` is the directory with report.html and report.css, ``styles`` are further style sheets
    in it; images are looked for in ``resources``. ``place`` is where the page stands in the site,
    for the header; None: it has none. The subset of markdown is that of the reports,
    without shortcodes and citations. Raises RenderError for what does not resolve.
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
    options = ["--toc", "--toc-depth=2"] if toc else []
    options += [f"--css={theme / name}" for name in styles]
    document = for_html(number_captions(document, targets), targets)
    resources.mkdir(parents=True, exist_ok=True)
    html = as_html(document, title, theme, resources, options)
    html = within_reach(html)
    write_text(output, with_policy(with_header(html, place, theme) if place else html))


def as_html(
    document: dict, title: str, theme: Path, resources: Path, options: Iterable[str] = ()
) -> str:
    """Return a document (pandoc's tree) as one self-contained page in the theme.

    Images are looked for in ``resources``; ``options`` are further ones of pandoc.
    """
    metadata = {
        "title": escape_markdown(title),
        "lang": "en",
        "toc-title": "Contents",
        "rendered-by": f"Rendered by pandoc {pandoc_version()}",
    }
    with job_folder() as temporary:
        metadata_file = temporary / "metadata.json"
        # no escapes: pandoc reads it as YAML, which has none of two halves for a character
        metadata_file.write_text(json.dumps(metadata, ensure_ascii=False), encoding="utf-8")
        arguments = ["--from=json", "--to=html5", "--standalone", "--wrap=none"]
        # the folder as it is: in a resource path a colon in its name would end it
        arguments += [f"--metadata-file={metadata_file}", "--resource-path=."]
        arguments += [*html_options(Path(theme).resolve()), *options]
        return run_pandoc(arguments, json.dumps(document), cwd=resources)


def page_renderer_here() -> str:
    """What renders pages on this machine, with its version, as a page's footer says it.

    The rules take it for a parameter: another pandoc makes the pages again.
    """
    try:
        return f"pandoc {pandoc_version()}"
    except RenderError as error:  # of no concern before a page is rendered, which says it
        return str(error)


# a number on another page leads to its panel in its paper
EVIDENCE = re.compile(r'\[([^][]*)\]\{\.evidence of="([^"]+)"\}')


def report_summary(
    report_dir: Path, claims: Path | None = None, picture: Path | None = None
) -> dict[str, str]:
    """The plain title of a report, what it found in a sentence of markdown, and ``alt``.

    The sentence is the first of the abstract that has a finding with a number, or the first with a
    finding; else the key 'description' of index.qmd, else the abstract's first sentence. Findings
    are bound to the table ``claims``, and left as they are without one. ``alt`` begins the
    alternative text of ``picture``, a figure of the report; of one that its text does not show, it
    is what the figure says of itself.
    """
    origins = Path(report_dir, "_origins.json")
    traced = json.loads(origins.read_text(encoding="utf-8")).keys() if origins.is_file() else ()
    source = read_source(Path(report_dir), traced, read_claims(claims) if claims else None)
    header = HEADER.match(source.text)
    document = parse_markdown(header[0] if header else "")
    metadata = document["meta"]
    if "title" not in metadata:
        raise RenderError(f"{source.path}: key 'title' is missing in the header between the ---")
    found = {"title": text_of(metadata["title"])}
    if finding := _first_finding(document):
        page = f"{Path(report_dir).name}/index.html"
        found["finding"] = EVIDENCE.sub(rf"[\1](<{page}#number=\2>){{.evidence}}", finding)
    else:
        words = " ".join(text_of(metadata.get("description") or metadata.get("abstract")).split())
        sentence = words if "description" in metadata else SENTENCE_END.split(words)[0]
        found["finding"] = escape_markdown(sentence)
    if picture:
        shown = re.compile(rf'\]\([^)]*\b{re.escape(picture.name)}\).*?fig-alt="([^"]*)')
        if image := shown.search(source.text):
            found["alt"] = SENTENCE_END.split(image[1])[0]
        elif said := read_description(picture):
            found["alt"] = said
    return found


def _first_finding(document: dict) -> str | None:
    """The first sentence of an abstract with a finding, as markdown; that it is lost is said.

    One with a number comes before one that says no more than that something is so.
    """
    found = list(_findings(document))
    with_number = [words for words in found if _has_class(words, "evidence")]
    if not found:
        return None
    words = walk([*with_number, *found][0], _in_brief)
    arguments = ["--from=json", f"--to={READER}", "--wrap=none"]
    text = json.dumps({**document, "meta": {}, "blocks": [plain(words)]})
    return run_pandoc(arguments, text).strip()


def _findings(document: dict) -> Iterator[list[dict]]:
    """Yield the sentences of an abstract that have a finding, in their order."""
    for paragraph in elements(document["meta"].get("abstract", {}), "Para", "Plain"):
        inlines, begin = paragraph["c"], 0
        ends = [i + 1 for i, inside in enumerate(inlines) if text_of(inside)[-1:] in END]
        for end in [*ends, len(inlines)]:
            if _has_class(inlines[begin:end], "finding"):
                yield inlines[begin:end]
            begin = end


def _has_class(inlines: list[dict], name: str) -> bool:
    return any(name in span["c"][0][1] for one in inlines for span in elements(one, "Span"))


def _in_brief(element: dict) -> list[dict] | None:
    """What takes the place of a citation, and of what is said of a finding that is lost."""
    if element["t"] == "Span" and "finding-note" in element["c"][0][1]:
        return [{"t": "Strong", "c": strings("(no longer supported)")}]
    return [] if element["t"] == "Cite" else None


def as_sentence(text: str) -> str:
    """Plain text with a capital at its beginning and a full stop, unless it ends as a sentence."""
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def escape_prose(text: str) -> str:
    """Plain text as markdown in which `code` stays code, as dataset.yml's `source` may hold it."""
    parts = CODE.split(str(text))
    return "".join(part if CODE.fullmatch(part) else escape_markdown(part) for part in parts)
