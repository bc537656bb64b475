"""Simulate one run of the two-flow dumbbell in ns-2 and file it in its folder.

    python -m experiments.ns2.run --role comparison --cca newreno bic --rtt-ms 100 --buffer-pct 20

from the root of the repository. Settings that are not given come from
experiments/grid_ns2/grid.yaml. The run's folder appears whole or not at all.
"""

import argparse
import contextlib
import datetime
import functools
import gzip
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

from experiments.ns2 import lanes, output, scenario

EXPERIMENTS = Path(__file__).resolve().parent.parent
ROOT = EXPERIMENTS.parent
CONFIG = EXPERIMENTS / "grid_ns2" / "grid.yaml"
SCRIPT = "ns2/dumbbell.tcl"
LOGS = ("goodput.log", "queue.log", "drops.tr")
OWN_RENO = "ns2reno"  # what a flow is said to run whose congestion control ns-2 does not know
DETAILED_LOGS = ("queue.log", "drops.tr")  # kept of the first repeats only: they are the bulk


class RunError(Exception):
    """A run that cannot be done, with what to do about it."""


def find_simulator():
    """Path of ns-2's executable. Raises RunError where it is not installed."""
    path = shutil.which("ns")
    if path is None:
        raise RunError("ns-2 is not installed: install Debian's package ns2 (apt-get install ns2)")
    return path


def simulate(simulator, options, out_dir, wall_limit_s, script=SCRIPT):
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


def check_fallback(fallback, known, allow_fallback):
    """Raise RunError where flows ran ns-2's own Reno for want of the algorithm asked for."""
    if fallback and not allow_fallback:
        flows = " and ".join(f"flow {flow} ({name!r})" for flow, name in fallback.items())
        raise RunError(
            f"ns-2 does not know the congestion control of {flows} and ran its own Reno instead."
            f" The names it knows: {', '.join(known)}. Correct the name; where this is what you"
            " want to simulate, pass --allow-fallback"
        )


def write_gzip(path, content):
    """Compress bytes without a time or a name: equal content gives equal files."""
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", compresslevel=9, fileobj=file, mtime=0) as compressed,
    ):
        compressed.write(content)


@contextlib.contextmanager
def new_folder(folder):
    """Yield a folder to write a run into, which becomes `folder` whole, or nothing on an error."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        yield work
        work.chmod(0o755)  # mkdtemp makes it private
        work.replace(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def write_run(work, record, logs, left_out=()):
    """Write run.json into `work` and compress its logs, but for those left out, which go."""
    for name in logs:
        log = work / name
        if name not in left_out:
            write_gzip(work / f"{name}.gz", log.read_bytes())
        log.unlink()
    (work / "run.json").write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")


def read_commit():
    """HEAD of the code that makes the runs, '-dirty' where experiments/ differs from it."""
    git = ["git", "-C", str(EXPERIMENTS)]
    try:
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
        changes = subprocess.run(
            [*git, "status", "--porcelain", "--", "."], capture_output=True, text=True
        )
    except FileNotFoundError:
        return "unknown (no git)"
    if head.returncode != 0:
        return "unknown (not a git checkout)"
    return head.stdout.strip() + ("-dirty" if changes.stdout else "")


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


def describe_run(case, repeat, settings, options):
    """The parts of run.json that are known before the run."""
    return {
        "record": "evenflow-run/1",
        "run": {
            "platform": "ns2",
            "tool": "ns-2",
            "role": case["role"],
            "repeat": repeat,
            "seed": options["seed"],
            "bottleneck_mbps": settings["bottleneck_mbps"],
            "rtt_ms": case["rtt_ms"],
            "buffer_pct": case["buffer_pct"],
            "buffer_bytes": options["queue_packets"] * scenario.packet_bytes(settings),
            "duration_s": settings["duration_s"],
            "aqm": "droptail",
            "mss_bytes": settings["mss_bytes"],
        },
        "flows": {
            "1": {"cca": case["cca1"], "start_s": float(options["start1_s"])},
            "2": {"cca": case["cca2"], "start_s": options["start2_s"]},
        },
    }


def describe_observed(options, fallback, trailer):
    """What the run itself measured, for run.json: the counters of goodput.log's trailer, and the
    congestion control that each flow really ran."""
    flows = {}
    for flow, counters in trailer["flows"].items():
        asked = options[f"select_ca{flow}"]
        ran = f"ns-2's own Reno (fallback from {asked!r})" if flow in fallback else asked
        flows[flow] = {"congestion_control": ran, **counters}
        flows[flow] |= {"asked": asked} if flow in fallback else {}
    return {"flows": flows, "queue": trailer["queue"]}


def describe_making(script, options, wall_s):
    """The part `made_by` of run.json: command, commit, date, versions, wall-clock time."""
    words = [str(word) for pair in options.items() for word in pair]
    package_version = read_package_version()
    return {
        "command": shlex.join(["ns", Path(script).name, *words, "out_dir", "."]),
        "commit": read_commit(),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "versions": {
            "debian_package_ns2": package_version,
            "python": ".".join(map(str, sys.version_info[:3])),
            "scheduler": "Lanes" if lanes.find_lanes(package_version) else "Calendar",
        },
        "wall_s": round(wall_s, 2),
    }


def file_run(folder, case, repeat, settings, options, allow_fallback, wall_limit_s, detailed=True):
    """Simulate and write `folder` with the logs and run.json; returns the record.

    Without `detailed` the logs of the queue and of the drops are left out; their totals are in
    goodput.log and in run.json all the same.

    Raises RunError or ValueError, and leaves no folder, where anything is not as it should be.
    """
    simulator = find_simulator()
    with new_folder(folder) as work:
        started = time.monotonic()
        messages = simulate(simulator, options, work, wall_limit_s)
        wall_s = time.monotonic() - started
        goodput_log = (work / "goodput.log").read_text()
        trailer = output.read_trailer(goodput_log)
        fallback, known = output.check_algorithms(options, messages, trailer)
        check_fallback(fallback, known, allow_fallback)

        record = describe_run(case, repeat, settings, options)
        record["run"]["tool_version"] = read_simulator_version(goodput_log)
        record["made_by"] = describe_making(SCRIPT, options, wall_s)
        record["observed"] = describe_observed(options, fallback, trailer)
        for flow in fallback:
            record["flows"][flow]["cca"] = OWN_RENO
        write_run(work, record, LOGS, () if detailed else DETAILED_LOGS)
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


def read_config():
    """The section experiments: ns2-dumbbell of the default configuration."""
    return yaml.safe_load(CONFIG.read_text())["experiments"][scenario.DATASET]


def number(text):
    """An int where the text is one, else a float: 100 and 12.5 stay as they were written."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def parse_arguments(argv):
    config = read_config()
    parser = argparse.ArgumentParser(
        prog="python -m experiments.ns2.run", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--role", required=True, choices=scenario.ROLES)
    parser.add_argument("--cca", required=True, nargs=2, metavar=("FLOW1", "FLOW2"))
    parser.add_argument("--rtt-ms", required=True, type=number)
    parser.add_argument("--buffer-pct", required=True, type=number, help="%% of bottleneck x RTT")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seed", type=int, help="default: derived from the run's path")
    for key in scenario.SETTING_KEYS:
        option = "--" + key.replace("_", "-")
        parser.add_argument(option, type=number, default=config["settings"][key])
    parser.add_argument(
        "--delayed-acks-s",
        type=number,
        help="receivers acknowledge every second packet, and a lone one after so many seconds",
    )
    parser.add_argument("--wall-limit-s", type=number, default=config["wall_limit_s"])
    parser.add_argument("--detailed-repeats", type=int, default=config["detailed_repeats"])
    parser.add_argument(
        "--dataset-dir", type=Path, default=ROOT / "data" / "raw" / scenario.DATASET
    )
    parser.add_argument(
        "--allow-fallback",
        action="store_true",
        help="keep a run in which ns-2 does not know a congestion control and runs its own Reno",
    )
    return parser.parse_args(argv)


@as_command
def main(argv):
    arguments = parse_arguments(argv)
    cca1, cca2 = arguments.cca
    case = {
        "role": arguments.role,
        "cca1": cca1,
        "cca2": cca2,
        "rtt_ms": arguments.rtt_ms,
        "buffer_pct": arguments.buffer_pct,
    }
    settings = {key: getattr(arguments, key) for key in scenario.SETTING_KEYS}
    settings["delayed_acks_s"] = arguments.delayed_acks_s
    path = scenario.run_path(case, arguments.repeat)
    seed = arguments.seed if arguments.seed is not None else scenario.draw_seed(path)
    options = scenario.simulator_options(case, settings, seed)
    folder = arguments.dataset_dir / path
    done = file_once(
        folder,
        describe_run(case, arguments.repeat, settings, options),
        lambda: file_run(
            folder,
            case,
            arguments.repeat,
            settings,
            options,
            arguments.allow_fallback,
            arguments.wall_limit_s,
            detailed=arguments.repeat <= arguments.detailed_repeats,
        ),
    )
    return f"{path}: {done}"


if __name__ == "__main__":
    sys.exit(main())
