"""The fonts that figures are measured with: those inside vl-convert, on every machine the same.

It would ask those of the machine first, and map a file of Liberation Sans, where that is installed,
for each text that it measures: almost half of the time of a figure. It looks for them as
fontconfig does (Linux, BSD); on macOS and Windows it knows other places, which nothing closes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ASKED = "FONTCONFIG_FILE"
NONE = Path(__file__).with_name("fonts.conf")


@contextmanager
def own_fonts() -> Iterator[None]:
    """Let vl-convert find no font of the machine; typst and browsers, started later, find all."""
    before = os.environ.get(ASKED)
    os.environ[ASKED] = str(NONE)
    try:
        yield
    finally:
        if before is None:
            del os.environ[ASKED]
        else:
            os.environ[ASKED] = before
