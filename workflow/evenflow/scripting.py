"""What the command-line scripts share: errors of the user's data end without a traceback."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import DataError


@contextmanager
def reporting_errors(log: str | Path) -> Iterator[None]:
    """End the process with a message for a DataError; write whatever went wrong to `log`."""
    Path(log).parent.mkdir(parents=True, exist_ok=True)
    Path(log).write_text("", encoding="utf-8")
    try:
        yield
    except DataError as error:
        Path(log).write_text(f"{error}\n", encoding="utf-8")
        sys.exit(f"\nerror: {error}\n")
    except Exception:
        Path(log).write_text(traceback.format_exc(), encoding="utf-8")
        raise
