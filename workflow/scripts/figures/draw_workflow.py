"""Draw which rule needs what another one makes."""

import json
import os
import subprocess
import sys

from evenflow import places
from evenflow.charts.base import save_chart
from evenflow.pages.rulegraph import rulegraph_chart
from evenflow.scratch import job_folder
from evenflow.scripting import reporting_errors


def rulegraph(config: dict) -> str:
    """Ask Snakemake for the graph of its rules, all of them, as DOT; nothing is run or locked."""
    with job_folder() as temporary:
        settings = temporary / "config.json"
        settings.write_text(json.dumps(config), encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", "--cores", "1", "--nolock", "--forceall"]
        command += ["--snakefile", places.SNAKEFILE]
        command += ["--configfile", str(settings), "--rulegraph", "dot", "--", "all"]
        env = {**os.environ, "TMPDIR": str(temporary)}
        done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        save_chart(rulegraph_chart(rulegraph(snakemake.params.config)), snakemake.output[0])
