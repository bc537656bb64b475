"""What all ns-2 programs of experiments/ do: simulate one run, check it and file it.

The order, of `file_run`: ns-2 writes its logs into a new folder; what it printed and logged says if
it ran what was asked for; run.json is written, the logs are compressed, the folder gets its name.
"""

import functools
import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

from experiments.filing import EXPERIMENTS, RunError, gz, new_folder, now, read_commit, write_record
from experiments.ns2 import lanes, output

ROOT = EXPERIMENTS.parent
OWN_RENO = "ns2reno"  # what a flow is said to run whose congestion control ns-2 does not know


def find_simulator():
    """Path of ns-2's executable. Raises RunError where it is not installed."""
    path = shutil.which("ns")
    if path is None:
        raise RunError("ns-2 is not installed: install Debian's package ns2 (apt-get install ns2)")
    return path


def simulate(simulator, script, options, out_dir, wall_limit_s):
    """Run a script of experiments/, which writes its logs into `out_dir`; return what ns-2 printed.

    Raises RunError where ns-2 fails or takes longer than `wall_limit_s`.
    """
    words = [str(word) for pair in options.items() for word in pair]
    command = [simulator, str(EXPERIMENTS / script), *words, "out_dir", str(out_dir)]
    scheduler = lanes.find_lanes(read_package_version())
    try:
        done = subprocess.run(
            command,
            env=os.environ | ({"NS2_LANES": str(scheduler)} if scheduler else {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=wall_limit_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunError(
            f"stopped after the wall-clock limit of {wall_limit_s} s: raise wall_limit_s in"
            " the campaign's grid.yaml or simulate less"
        ) from None
    if done.returncode != 0:
        printed = "\n".join((done.stdout + done.stderr).splitlines()[-10:])
        raise RunError(f"ns-2 exited with status {done.returncode}; its last lines:\n{printed}")
    return done.stdout


def check_variant(messages, variant, flows):
    """Raise ValueError where ns-2 ran something else (docs/explanation/ns2.md, fallback).

    `variant` is the congestion control of Linux that all flows run, or None: ns-2's own TCP.
    """
    asked, unknown, _ = output.scan_algorithms(messages)
    wanted = [variant] * flows if variant else []
    if asked != wanted or unknown:
        raise ValueError(f"ns-2 reports select_ca for {asked}, unknown {unknown}; wanted: {wanted}")


def check_fallback(fallback, known, allow_fallback):
    """Raise RunError where flows ran ns-2's own Reno for want of the algorithm asked for."""
    if fallback and not allow_fallback:
        flows = " and ".join(f"flow {flow} ({name!r})" for flow, name in fallback.items())
        raise RunError(
            f"ns-2 does not know the congestion control of {flows} and ran its own Reno instead."
            f" The names it knows: {', '.join(known)}. Correct the name; where this is what you"
            " want to simulate, pass --allow-fallback"
        )


def read_package_version():
    """Version of Debian's package ns2, or None where dpkg does not know it."""
    if shutil.which("dpkg-query") is None:
        return None
    query = ["dpkg-query", "-W", "-f", "${Version}", "ns2"]
    return subprocess.run(query, capture_output=True, text=True).stdout or None


def read_simulator_version(goodput_log):
    """'2.35' from the line '# simulator ns-2.35' of goodput.log."""
    for line in goodput_log.splitlines():
        if line.startswith("# simulator ns-"):
            return line.removeprefix("# simulator ns-")
    raise RunError("goodput.log does not name the simulator: the simulation did not start")


def describe_making(script, options, wall_s):
    """The part `made_by` of run.json: command, commit, date, versions, wall-clock time."""
    words = [str(word) for pair in options.items() for word in pair]
    package_version = read_package_version()
    return {
        "command": shlex.join(["ns", Path(script).name, *words, "out_dir", "."]),
        "commit": read_commit(),
        "date": now(),
        "versions": {
            "debian_package_ns2": package_version,
            "python": ".".join(map(str, sys.version_info[:3])),
            "scheduler": "Lanes" if lanes.find_lanes(package_version) else "Calendar",
        },
        "wall_s": round(wall_s, 2),
    }


def file_run(folder, script, options, record, logs, observe, wall_limit_s, left_out=()):
    """Simulate and write `folder` with the logs and run.json; returns the record.

    `record` is what run.json says before the run. `observe(messages, read)` gets what ns-2 printed
    and what reads a log by its name, raises where ns-2 ran something else, and returns what
    run.json says of the run itself. Logs of `left_out` are not kept.

    Raises RunError or ValueError, and leaves no folder, where anything is not as it should be.
    """
    simulator = find_simulator()
    with new_folder(folder) as work:
        started = time.monotonic()
        messages = simulate(simulator, script, options, work, wall_limit_s)
        wall_s = time.monotonic() - started
        read = functools.cache(lambda name: (work / name).read_text())
        record["observed"] = observe(messages, read)
        record["run"]["tool_version"] = read_simulator_version(read("goodput.log"))
        record["made_by"] = describe_making(script, options, wall_s)
        for name in logs:
            if name not in left_out:
                (work / f"{name}.gz").write_bytes(gz((work / name).read_bytes()))
            (work / name).unlink()
        write_record(work, record)
    return record


def asked_flows(record):
    """The flows of a run.json with the congestion controls that were asked for, not what ran."""
    observed = record.get("observed", {}).get("flows", {})
    return {
        flow: keys | ({"cca": observed[flow]["asked"]} if keys["cca"] == OWN_RENO else {})
        for flow, keys in record["flows"].items()
    }


def check_existing(folder, want):
    """True where `folder` holds this very run, False where it is free.

    `want` is what run.json says of it before it is made. Raises RunError where the folder holds
    another run, or something that is no run.
    """
    if not folder.exists() or not any(folder.iterdir()):
        return False
    remedy = "remove the folder to simulate the run again"
    try:
        there = json.loads((folder / "run.json").read_text())
        have = {**there["run"], "flows": asked_flows(there)}
    except (OSError, ValueError, KeyError) as error:
        raise RunError(f"{folder} holds no complete run ({error!r}): {remedy}") from None
    for key, value in {**want["run"], "flows": want["flows"]}.items():
        if have.get(key) != value:
            raise RunError(
                f"{folder}/run.json: there is a run with {key} = {have.get(key)!r}, not {value!r};"
                f" {remedy}"
            )
    return True


def file_once(folder, want, file_run):
    """Call `file_run`, which makes the run `want` and returns its record, unless `folder` holds it.

    Returns what was done, in words. Raises as `check_existing` and `file_run` do.
    """
    if check_existing(folder, want):
        return "there already"
    return f"done in {file_run()['made_by']['wall_s']} s"


def as_command(make):
    """The main function of a script: prints what `make` returns, or the error; its exit status."""

    @functools.wraps(make)
    def main(argv=None):
        try:
            print(make(argv))
        except (RunError, ValueError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        return 0

    return main


def number(text):
    """An int where the text is one, else a float: 100 and 12.5 stay as they were written."""
    try:
        return int(text)
    except ValueError:
        return float(text)
