"""What a page may do, as its first line of the head says it to browsers (Content Security Policy).

Everything that a page needs is in it: it loads nothing, sends nothing, and runs its own scripts
alone, each named by its hash. So a script that a stranger's text brought in would not run. Styles
cannot be named so: pandoc and Vega write them into attributes.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re

META = '<meta http-equiv="Content-Security-Policy" content="{}">'
THERE = re.compile(META.format('[^"]*'))
HEAD = re.compile(r"<head\b[^>]*>\s*(?:<meta charset[^>]*>\s*)?")
SCRIPT = re.compile(r"<script\b([^>]*)>(.*?)</script>", re.DOTALL)
DATA = ("text/plain", "application/json")  # types of script elements that are not run
PACKED = re.compile(r'<script type="text/plain" id="vega">([^<]*)</script>')
ALLOWED = {
    "default-src": "'none'",
    "style-src": "'unsafe-inline'",
    "img-src": "data: blob:",
    "font-src": "data:",
    "base-uri": "'none'",
    "form-action": "'none'",
}


def with_policy(page: str) -> str:
    """Return a page that allows what is in it now and nothing else; call it when it is complete.

    The theme's template has the line, and allows nothing; a page of another one gets it.
    """
    scripts = [text for about, text in SCRIPT.findall(page) if not _is_data(about)]
    # unpacked and run by report.js when the first chart comes into view
    scripts += [json.loads(gzip.decompress(base64.b64decode(p))) for p in PACKED.findall(page)]
    hashes = " ".join(dict.fromkeys(map(_source, scripts)))
    allowed = ALLOWED | ({"script-src": hashes} if hashes else {})
    policy = "; ".join(f"{what} {where}" for what, where in allowed.items())
    line = META.format(policy)
    page, n = THERE.subn(line, page, count=1)
    if not n:
        page, n = HEAD.subn(rf"\g<0>{line}\n", page, count=1)
    return page if n else f"{line}\n{page}"


def _is_data(about: str) -> bool:
    return any(f'type="{kind}"' in about for kind in DATA)


def _source(script: str) -> str:
    """Return a script as a policy names it: by the SHA-256 of its text."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
