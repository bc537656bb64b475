"""Check the raw files, make everything anew from them in a scratch place, and compare.

Compared are the committed expected values, and what was made in the project, which is only read.
"""

import json
import sys
import tempfile
from pathlib import Path

from evenflow.errors import DataError
from evenflow.scratch import regenerate
from evenflow.scripting import reporting_errors
from evenflow.verdicts import raw_table, text_table
from evenflow.verification import check_raw, compare_kept, compare_made, read_tolerances

SUMMARY = ["what", "compared", "differ", "verdict"]


def say(text: str) -> None:
    """Print at once, so that the order among other programs' output is kept."""
    print(text, flush=True)


def main(tolerances: str, params: dict, cores: int) -> None:
    """Print what agrees and what does not; raise DataError where anything does not."""
    root = Path.cwd()
    allowed = read_tolerances(tolerances)
    checks, listed = check_raw(root, params["manifests"])
    say(raw_table(checks))
    if not all(check.holds for check in checks.values()):
        problem = "raw files are not those that were listed, so nothing was made from them"
        remedy = "put them back (git checkout -- data), or see docs/verifying.md"
        raise DataError(problem, path="data", remedy=remedy)
    with tempfile.TemporaryDirectory(prefix="evenflow-verify-") as temporary:
        place, settings = Path(temporary) / "evenflow", Path(temporary) / "config.json"
        settings.write_text(json.dumps(params["config"]), encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
        command += ["--configfile", str(settings), "--", "all", *params["expected"].values()]
        say("\nMaking everything anew from the listed raw files:")
        regenerate(root, place, params["layout"], listed, command, lambda done: say(f"  {done}"))
        rows = compare_kept(place, params["expected"], params["expected_folder"], allowed, say)
        new = [name for check in checks.values() for name in check.new]
        rows += compare_made(root, place, params["layout"], params["made_of"], new, allowed, say)
    say("\n" + text_table(rows, SUMMARY))
    if any(row["differ"] for row in rows):
        raise DataError("not everything agrees", remedy="see DIFFERS above, and docs/verifying.md")
    say("\nEverything agrees.")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.input.tolerances, dict(snakemake.params.items()), snakemake.threads)
