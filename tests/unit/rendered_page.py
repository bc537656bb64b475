"""What the tests of rendering share: the fixture report, and a reader of its HTML."""

import os
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIXTURE = ROOT / "tests/fixtures/report"
THEME = ROOT / "workflow/theme"


def path_without_quarto() -> str:
    folders = os.environ["PATH"].split(os.pathsep)
    return os.pathsep.join(f for f in folders if not shutil.which("quarto", path=f))


def install_fake_quarto(folder: Path, monkeypatch, body: str, version: str = "1.9.37") -> Path:
    """Put an executable named quarto on the PATH that records how it is called.

    It is not Quarto and shows nothing about what Quarto makes of a report.
    """
    folder.mkdir()
    log = folder / "calls"
    script = folder / "quarto"
    script.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo {version}; exit; fi\n'
        f'echo "$*" >> {log}; for o; do :; done\n{body}\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{path_without_quarto()}")
    return log


def pdf_text(pdf: Path) -> str:
    """The text of a PDF with its spaces collapsed, by whichever reader is there."""
    if shutil.which("pdftotext"):
        command = ["pdftotext", "-enc", "UTF-8", str(pdf), "-"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    else:
        pypdf = pytest.importorskip("pypdf", reason="neither pdftotext nor pypdf is here")
        text = "\n".join(page.extract_text() for page in pypdf.PdfReader(pdf).pages)
    return " ".join(text.split())


class Page(HTMLParser):
    """What a reader and a browser meet in an HTML file."""

    def __init__(self, html: str):
        super().__init__()
        self.ids: list[str] = []
        self.links: list[tuple[str, str]] = []  # (text, target)
        self.loads: list[str] = []  # what the browser would fetch
        self.captions: list[str] = []
        self.alts: list[str] = []
        self.scripts = 0
        self.css = ""
        self.words: list[str] = []  # text outside footer, style, script, TeX annotations
        self._open: list[str] = []
        self._href: str | None = None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag not in ("meta", "link", "img", "br", "hr", "input", "col"):
            self._open.append(tag)
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag == "a" and "href" in attrs:
            self._href = attrs["href"]
            self.links.append(("", attrs["href"]))
        if tag == "img":
            self.alts.append(attrs.get("aria-label") or attrs.get("alt") or "")
        if tag == "figcaption":
            self.captions.append("")
        self.scripts += tag == "script"
        if tag in ("link", "script", "img", "source", "iframe", "object", "image", "use"):
            for key in ("src", "href", "srcset", "data", "xlink:href"):
                if attrs.get(key):
                    self.loads.append(attrs[key])

    def handle_endtag(self, tag):
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        if tag == "a":
            self._href = None

    def handle_data(self, data):
        if "style" in self._open:
            self.css += data
            return
        if "annotation" in self._open or "script" in self._open:
            return
        if self._href is not None:
            text, target = self.links[-1]
            self.links[-1] = (text + data, target)
        if "figcaption" in self._open and self.captions:
            self.captions[-1] += data
        if "footer" not in self._open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())
