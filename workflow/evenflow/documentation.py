"""Which texts are the documentation, and where their pages lie in the site."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from .places import TEXTS

PLACES = ("docs/**/*.md", "CHANGELOG.md", "CONTRIBUTING.md", "experiments/*/README.md")
FOLDER = TEXTS
FIRST = "docs/README.md"  # leads to all others; without it there is no documentation


def pages_of_docs(root: Path) -> dict[str, str]:
    """Return {text: its page in the site} of a project, sorted; a README is a folder's first.

    `docs/guides/verifying.md` becomes docs/guides/verifying.html, `experiments/ns2/README.md`
    docs/experiments/ns2/index.html.
    """
    if not Path(root, FIRST).is_file():
        return {}
    texts = sorted({path for place in PLACES for path in Path(root).glob(place)})
    names = [path.relative_to(root).as_posix() for path in texts]
    return {name: _page(name) for name in names}


def _page(text: str) -> str:
    path = PurePosixPath(text)
    path = path.relative_to(FOLDER) if path.is_relative_to(FOLDER) else path
    stem = "index" if path.name == "README.md" else path.stem.lower()
    return f"{FOLDER}/{path.with_name(stem)}.html"
