"""What readers without a mouse, without sight or with a telephone need, in the HTML of any page."""

from __future__ import annotations

import re

# what scrolls sideways on a narrow screen (report.css): the keyboard must reach it
EQUATION = re.compile(r'<span id="eq-[\w-]+"(?: class="[^"]*")?(?=>)|(?<=<p>)<math display="block"')
TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
CODE = re.compile(r"<pre\b(?![^>]*\btabindex)")
IMAGE = re.compile(r"(<a\b[^>]*>\s*)?<img\b[^>]*>")  # one in a link leads to a larger one
# a heading of a table that says nothing is read out as one
EMPTY_HEADING = re.compile(r"<th\b([^>]*)>\s*</th>")
TITLE = re.compile(r"<h([1-6])\b.*?</h\1>", re.DOTALL)
# in its text, not in an attribute: ns-2, H-TCP
MAIN = re.compile(r"(?<=<main)\b.*(?=</main>)", re.DOTALL)
LEVEL = re.compile(r"(?<=<)(/?)h([1-5])\b")
SECTION = re.compile(r'(<h([2-6])\b[^>]*\bid="([^"]+)"[^>]*>.*?)(?=</h\2>)', re.DOTALL)
CAPTION = re.compile(
    r'(<figure id="(tbl-[^"]+)"[^>]*>\s*<figcaption>.*?)(?=\s*(?:</p>)?\s*</figcaption>)', re.DOTALL
)
SHORT_NAME = re.compile(r"\b[A-Za-z]{1,2}-(?:\d+|[A-Z]+)\b(?![^<]*>)")


def within_reach(html: str) -> str:
    """Return a page that fits a telephone and the keyboard.

    Tables and images are put into boxes that scroll sideways: a wide table would make the whole
    page wider, and the type of an image that shrinks cannot be read. Boxes, equations and blocks of
    code can have the focus, and no heading of a table is empty. The title alone is of the first
    level. In headings, whose lines are short, no line ends after the hyphen of a name. Quarto does
    none of that.
    """
    html = EQUATION.sub(r'\g<0> tabindex="0"', html)
    html = TABLE.sub(r'<div class="table-scroll" tabindex="0">\g<0></div>', html)
    html = CODE.sub(r'\g<0> tabindex="0"', html)
    html = IMAGE.sub(_image_in_box, html)
    html = EMPTY_HEADING.sub(r"<td\1></td>", html)
    html = MAIN.sub(_below_the_title, html)
    unbroken = r'<span class="unbroken">\g<0></span>'
    return TITLE.sub(lambda title: SHORT_NAME.sub(unbroken, title[0]), html)


def _image_in_box(found: re.Match) -> str:
    if found[1]:
        return found[0]
    box = '<span class="image-scroll" role="group" aria-label="Figure" tabindex="0">'
    return f"{box}{found[0]}</span>"


def _below_the_title(main: re.Match) -> str:
    """Return the content of a page with its sections a level lower, where some are of the first."""
    if not re.search(r"<h1\b", main[0]):
        return main[0]
    return LEVEL.sub(lambda tag: f"{tag[1]}h{int(tag[2]) + 1}", main[0])


def with_permalinks(html: str) -> str:
    """Return a page whose sections and tables have a link to themselves, to be copied.

    The link has no text (site.css draws its sign): what is searched and copied stays as it is.
    Figures have theirs in the menu below them (take.js).
    """
    html = MAIN.sub(lambda main: SECTION.sub(rf"\1{_link('3', 'section')}", main[0]), html)
    return CAPTION.sub(rf"\1{_link('2', 'table')}", html)


def _link(group: str, what: str) -> str:
    return rf'<a class="permalink" href="#\{group}" aria-label="Link to this {what}"></a>'
