"""`make clean`: remove what evenflow made, and is as it left it; nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

from . import receipts
from .known import Known
from .locking import AnotherRunError, hold_run
from .places import PLACE, is_committed, tops


def main() -> int:
    """Remove what is ours; say what stays that was made and changed since."""
    if not PLACE.is_dir() and not Path(".snakemake/made").is_dir():
        print("There is no record of what was made here: nothing is removed.", file=sys.stderr)
        return 0
    try:
        lock = hold_run()
    except AnotherRunError as error:
        print(error, file=sys.stderr)
        return 1
    known = Known()
    known.end_begun()
    made = sorted(path for path in {*known.files, *known.logs} if not is_committed(path))
    removed = known.remove(made, tops())
    for path, receipt in known.receipts.items():
        if not any(map(receipts.is_plain, receipt.outputs)):
            Path(path).unlink(missing_ok=True)
    changed = [path for path in made if path in known.files and receipts.is_plain(path)]
    print(f"{len(removed)} files that evenflow made are removed.", file=sys.stderr)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        print(f"{changed[0]}{more}: changed since it was made, so not removed.", file=sys.stderr)
    return 0 if lock else 1


if __name__ == "__main__":
    sys.exit(main())
