"""Do faults to a small project, and say what plain `make` made of each.

    python tests/faults/run.py --faults 200 --seed 1

Fault n of a seed is always the same, but for the moment in which it meets the run. `--first`
begins later, `--kind` does one kind only. Exit code 1 where something is wrong.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
from kinds import KINDS, Skip
from place import Place


class Outcome(NamedTuple):
    """What a fault did: `wrong` is empty where all is well, `skipped` says why it was not done."""

    kind: str
    did: str
    wrong: str = ""
    skipped: str = ""


def try_fault(place: Place, seed: int, number: int, only: str | None = None) -> Outcome:
    """Do a fault, run `make`, and compare all files with the undisturbed build's."""
    kind = only or list(KINDS)[number % len(KINDS)]
    did = ""
    try:
        did = KINDS[kind](place, Random(f"{seed}-{number}"))
        recover(place, twice=number % 4 == 0)
    except Skip as reason:
        return Outcome(kind, did, skipped=str(reason))
    except AssertionError as error:
        return Outcome(kind, did, wrong=str(error))
    return Outcome(kind, did)


def recover(place: Place, twice: bool) -> None:
    """Run `make` once: it ends well, all is as in the undisturbed build, and nothing is left.

    If `twice`, a second run must find nothing to do.

    Raises:
        AssertionError: with what is wrong.
    """
    run = place.make("recovery")
    assert run.returncode == 0, f"exit {run.returncode}: {run.output[-1500:]}"
    made = place.made()
    wrong = [f"{name} differs" for name in made if made[name] != place.expected.get(name)]
    wrong += [f"{name} is not there" for name in place.expected if name not in made]
    waiting = place.work.glob("set-aside/*/.evenflow-list")
    wrong += [f"{path.parent} waits for what is made" for path in waiting]
    wrong += [f"{path.name} is left in TMPDIR" for path in place.tmp.iterdir() if not early(path)]
    assert not wrong, f"{len(wrong)}: {'; '.join(wrong[:8])}\n{run.output[:2000]}"
    if not twice:
        return
    again = place.make("again")
    assert again.returncode == 0 and "Nothing to be done" in again.output, (
        f"the run after it has something to do: {again.output[:1500]}"
    )
    assert place.made() == place.expected, "the run after it changed something"


def early(path: Path) -> bool:
    """Say whether this is what Snakemake leaves if it is killed before it reads the Snakefile.

    An empty folder; nothing of the project has run by then that could know of it.
    """
    return path.name.startswith("snakemake") and path.is_dir() and not any(path.iterdir())


def table(outcomes: list[Outcome]) -> str:
    """Return how the faults of each kind ended, as a markdown table."""
    rows = ["| fault | done | all files identical | wrong | skipped |", "|---|--:|--:|--:|--:|"]
    count = Counter((o.kind, bool(o.wrong), bool(o.skipped)) for o in outcomes)
    total = [0, 0, 0, 0]
    for kind in KINDS:
        well, bad = count[kind, False, False], count[kind, True, False]
        cells = [well + bad, well, bad, count[kind, False, True]]
        total = [a + b for a, b in zip(total, cells, strict=True)]
        rows.append(f"| {kind} | {' | '.join(map(str, cells))} |" if any(cells) else "")
    rows.append(f"| all | {' | '.join(map(str, total))} |")
    return "\n".join(filter(None, rows))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first fault")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--keep", action="store_true", help="keep the place, and stop at a wrong")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))  # and remove the place
    place = Place(asked.keep)
    print(
        f"{len(place.expected)} files, built in {place.seconds:.0f} s in {place.root}", flush=True
    )
    outcomes = []
    try:
        for number in range(asked.first, asked.first + asked.faults):
            started = time.monotonic()
            outcome = try_fault(place, asked.seed, number, asked.kind)
            outcomes.append(outcome)
            ended = "WRONG" if outcome.wrong else "skipped" if outcome.skipped else "well"
            took = time.monotonic() - started
            print(f"{number} {ended} {took:.0f} s: {outcome.kind}: {outcome.did}", flush=True)
            if outcome.wrong or outcome.skipped:
                print(f"    {outcome.wrong or outcome.skipped}", flush=True)
            if outcome.wrong and asked.keep:
                break
    finally:
        place.close()
    print(table(outcomes))
    return int(any(outcome.wrong for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
