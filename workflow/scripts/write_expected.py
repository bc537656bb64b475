"""Keep the numbers of the reports, made anew in a scratch place from the listed raw files."""

import json
import sys
from pathlib import Path

from evenflow.errors import DataError
from evenflow.files import write_text
from evenflow.paths import printable
from evenflow.places import typed
from evenflow.runs.clearing import Clearing
from evenflow.runs.known import Known
from evenflow.runs.receipts import keep_receipt
from evenflow.runs.scratch import regenerate, scratch_folder
from evenflow.runs.scripting import reporting_errors
from evenflow.verify.expected import expected_text
from evenflow.verify.manifest import read_manifest


def main(params: dict, cores: int) -> None:
    """Make what is kept, then put it in the place of what was kept before."""
    missing = [path for path in params["manifests"] if not Path(path).is_file()]
    if missing:
        raise DataError("there is no such manifest", path=missing[0], remedy=typed("manifest"))
    listed = {k: v for path in params["manifests"] for k, v in read_manifest(path).items()}
    files = params["expected"]
    with scratch_folder("evenflow-expected") as temporary:
        place, settings = temporary / "evenflow", temporary / "config.json"
        settings.write_text(json.dumps(params["config"]), encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", "--cores", str(cores)]
        command += ["--configfile", str(settings), "--", *sorted(set(files.values()))]
        regenerate(Path.cwd(), place, params["layout"], listed, command, print)
        texts = {name: expected_text(place / source) for name, source in files.items()}
    folder = Path(params["expected_folder"])
    keep(folder, texts)
    print(f"{folder}: {len(texts)} files, {sum(map(len, texts.values()))} characters")


def keep(folder: Path, texts: dict[str, str]) -> None:
    """Write the files; remove those that this job wrote before and does not any more."""
    known, new = Known(), {str(folder / name): text for name, text in texts.items()}
    clearing = Clearing(known)
    for path, text in new.items():
        clearing.clear_odd(path)
        write_text(path, text)
    before = {path for path in known.files if path.startswith(f"{folder}/")} - new.keys()
    known.remove(before, [str(folder)])
    keep_receipt("write_expected", {}, new)
    others = {str(path) for path in folder.glob("*/**/*") if path.is_file()} - new.keys()
    for path in sorted(others):
        print(f"{printable(path)}: nothing is kept there. Remedy: if it is of no use, remove it")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.params.items()), snakemake.threads)
