"""Keep the numbers of the reports, made anew in a scratch place from the listed raw files."""

import json
import shutil
import sys
from pathlib import Path

from evenflow.errors import DataError
from evenflow.files import write_text
from evenflow.scratch import regenerate, scratch_folder
from evenflow.scripting import reporting_errors
from evenflow.verify.expected import expected_text
from evenflow.verify.manifest import read_manifest


def main(params: dict, cores: int) -> None:
    """Make what is kept, then put it in the place of what was kept before."""
    missing = [path for path in params["manifests"] if not Path(path).is_file()]
    if missing:
        raise DataError("there is no such manifest", path=missing[0], remedy="make manifest")
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
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in texts.items():
        write_text(folder / name, text)
    print(f"{folder}: {len(texts)} files, {sum(map(len, texts.values()))} characters")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(dict(snakemake.params.items()), snakemake.threads)
