"""Runs one scenario on the virtual testbed and puts one run directory in place.

    python -m experiments.testbed.run OUT --cca1 newreno --cca2 bic --rtt-ms 100 --buffer-pct 60

OUT is the run's directory. It appears whole or not at all: flow<k>.server.log.gz,
flow<k>.client.log.gz, router.log.gz, run.json; with --trace also compound.log.gz; with
--packing xz they end in .xz, a third smaller where a run is long. Needs the
kernel of build_kernel.sh.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import lzma
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from experiments.filing import RunError, gz, new_folder, now, read_commit, write_record
from experiments.testbed import compound, hoststate, topology
from experiments.testbed.scenario import (
    AQMS,
    HOST_PROFILES,
    KERNEL_CCA,
    MSS_BYTES,
    ROLES,
    ROUTER_MODELS,
    Scenario,
    buffer_bytes,
    buffer_packets,
    cubic_changes,
    drawn_start_s,
    flow_rtts_ms,
    jitter_ns,
    problems,
    seed_of,
)

HERE = Path(__file__).resolve().parent
MEMORY = "1G"  # of the guest; a sparse file, some 100 MB are touched
EPOCH_NS = 946_684_800 * 10**9  # the guest's clock starts at 2000-01-01T00:00:00Z in every run
NOBODY = 65534
FP_STATE_BYTES = 12_288  # the kernel's room for a process's floating-point state: kernel/0006


def kernel_cache() -> Path:
    """Directory with the built kernel and tools. RunError when it is not built yet."""
    script = HERE / "build_kernel.sh"
    asked = subprocess.run([script, "--print"], capture_output=True, text=True)
    if asked.returncode:
        raise RunError(asked.stderr.strip())
    entry = Path(asked.stdout.strip())
    if not (entry / "linux").exists():
        raise RunError(
            "the testbed's kernel is not built; remedy: experiments/testbed/build_kernel.sh"
        )
    return entry


def check_host(cache: Path) -> dict[str, object]:
    """Return the host's processor and the size of its floating-point state, for run.json.

    Raises RunError where that state is larger than the kernel's room for it: the kernel would
    panic at its first process.
    """
    asked = subprocess.run([cache / "tools/fp_state"], capture_output=True, text=True)
    if asked.returncode:
        raise RunError(f"the host's floating-point state cannot be read: {asked.stderr.strip()}; "
                       "remedy: allow ptrace (in a container: --cap-add SYS_PTRACE)")  # fmt: skip
    size = int(asked.stdout)
    if size > FP_STATE_BYTES:
        raise RunError(
            f"this processor has {size} bytes of floating-point state, the testbed's kernel has "
            f"room for {FP_STATE_BYTES}; remedy: raise HOST_FP_SIZE in "
            "experiments/testbed/kernel/0006-um-fp-state-of-amx.patch and FP_STATE_BYTES in "
            "experiments/testbed/run.py, then experiments/testbed/build_kernel.sh"
        )
    named = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {"processor": named[1] if named else "unknown", "fp_state_bytes": size}


def scratch_base() -> Path:
    """Where a run is staged: EVENFLOW_SCRATCH, else /dev/shm where it has room, else TMPDIR."""
    if chosen := os.environ.get("EVENFLOW_SCRATCH"):
        return Path(chosen)
    shm = Path("/dev/shm")
    if shm.is_dir() and os.access(shm, os.W_OK) and shutil.disk_usage(shm).free > 2 * 2**30:
        return shm
    return Path(tempfile.gettempdir())


def boot_command(stage: Path, unprivileged: bool, parameters: Sequence[str] = ()) -> list[str]:
    """The command line that boots the guest; `unprivileged` when the caller is no root.

    `parameters` are further words of the kernel's own command line.
    """
    drop = [] if unprivileged else [
        "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"
    ]  # fmt: skip
    environment = ["env", "-i", f"HOME={stage}/out", f"TMPDIR={stage}/out", "PATH=/usr/bin:/bin"]
    kernel = [
        f"{stage}/linux", f"mem={MEMORY}", "umid=evenflow",
        "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "devtmpfs.mount=0",
        f"init={stage}/guest/init.sh", f"STAGE={stage}",
        "time-travel=inf-cpu", f"time-travel-start={EPOCH_NS}",
        "con=null", "con0=null,fd:1", "norandmaps", *parameters,
    ]  # fmt: skip
    return [*drop, *environment, "setarch", "-R", *kernel]


def prepare_stage(stage: Path, scenario: Scenario, cache: Path) -> None:
    """Puts kernel, tools, scripts and settings where the guest (as nobody) can read them."""
    stage.chmod(0o755)
    shutil.copy(cache / "linux", stage / "linux")
    shutil.copytree(cache / "tools", stage / "tools")
    (stage / "guest").mkdir()
    for script in HERE.glob("guest/*.sh"):
        shutil.copy(script, stage / "guest")
    for name, content in topology.guest_files(scenario).items():
        (stage / "guest" / name).write_text(content)
    (stage / "guest" / "init.sh").chmod(0o755)
    out = stage / "out"
    out.mkdir()
    if os.geteuid() == 0:
        os.chown(out, NOBODY, NOBODY)


@contextlib.contextmanager
def own_cpu() -> Iterator[int]:
    """A CPU that no other run uses, while there is one.

    A User-Mode Linux and its processes take turns, never run at once; on one CPU their switches
    cost half of what they cost across two.
    """
    cpus = sorted(os.sched_getaffinity(0))
    for cpu in cpus:
        lock = Path(tempfile.gettempdir()) / f"evenflow-{os.geteuid()}-cpu{cpu}.lock"
        with lock.open("w") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            yield cpu
            return
    yield cpus[os.getpid() % len(cpus)]


def boot(stage: Path, limit_s: float, parameters: Sequence[str] = ()) -> None:
    """Boots the guest and waits for its end. RunError after `limit_s` of wall clock."""
    with (stage / "boot.log").open("wb") as log, own_cpu() as cpu:
        guest = subprocess.Popen(
            ["taskset", "-c", str(cpu),
             *boot_command(stage, os.geteuid() != 0, parameters)],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            cwd=stage / "out", start_new_session=True,
        )  # fmt: skip
        try:
            guest.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise RunError(
                f"not finished after {limit_s:g} s of wall clock; remedy: raise "
                f"--limit-s, or look for a process in the guest that spins\n{console_tail(stage)}"
            ) from None
        finally:
            end_guest(guest)


def end_guest(guest: subprocess.Popen) -> None:
    """Ends the guest's processes: TERM, and KILL only for what outlives it by 10 s."""
    for how, patience_s in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
        if guest.poll() is not None:
            return
        os.killpg(guest.pid, how)
        try:
            guest.wait(patience_s)
        except subprocess.TimeoutExpired:
            continue


def console_tail(stage: Path, lines: int = 15) -> str:
    """The last lines of the guest's console and of the kernel's messages."""
    parts = []
    for path in (stage / "boot.log", stage / "out" / "console.log"):
        if path.exists():
            text = path.read_text(errors="replace").splitlines()[-lines:]
            parts.append(f"--- {path.name}\n" + "\n".join(text))
    return "\n".join(parts)


def check_logs(out: Path, scenario: Scenario) -> dict[str, object]:
    """Checks that a run's logs are whole and its hosts did as asked; returns `observed`.

    Raises RunError naming the file and what is wrong with it.
    """
    console = out / "console.log"
    if not console.exists() or "experiment ended with 0" not in console.read_text(errors="replace"):
        raise RunError("the guest's script failed")
    flows = (1,) if scenario.cca2 is None else (1, 2)
    lasts = {1: float(scenario.duration_s), 2: scenario.duration_s - scenario.start2_s}
    for flow in flows:
        server = (out / f"flow{flow}.server.log").read_text()
        check_server_log(server, f"flow{flow}.server.log", lasts[flow])
        client = (out / f"flow{flow}.client.log").read_text()
        if not re.search(r"\] 0\.0+-\d+\.\d+ sec +\d+ Bytes", client):
            raise RunError(f"flow{flow}.client.log holds no final report")
    try:
        observed = hoststate.observe((out / "router.log").read_text(), flows)
    except hoststate.HostStateError as error:
        raise RunError(str(error)) from None
    asked = {"1": scenario.cca1, "2": scenario.cca2}
    for flow, cca in observed["cca"].items():
        if cca != KERNEL_CCA[asked[flow]]:
            raise RunError(f"flow {flow} ran {cca}, asked for {KERNEL_CCA[asked[flow]]}")
    if scenario.tcp_info:
        for flow in flows:
            log = (out / f"flow{flow}.tcp_info.log").read_text()
            check_tcp_info(log, f"flow{flow}.tcp_info.log", KERNEL_CCA[asked[str(flow)]])
    if cubic_changes(scenario):
        check_cubic(observed["cubic"], topology.kernel_parameters(scenario))
    if observed["reordering"]:
        raise RunError(f"{observed['reordering']} packets were reordered; the path must not do so")
    return observed


def check_cubic(seen: dict[str, int], asked: Sequence[str]) -> None:
    """The running kernel's parameters of cubic must be those that its command line had."""
    for word in asked:
        name, value = word.removeprefix("tcp_cubic.").split("=")
        if seen.get(name) != int(value):
            raise RunError(f"cubic ran with {name} {seen.get(name)}, asked for {value}")


def check_server_log(text: str, name: str, duration_s: float) -> None:
    """Every second of the flow must have its report, and the total must be there."""
    spans = re.findall(r"\] (\d+\.\d+)-(\d+\.\d+) sec", text)
    whole = {round(float(a)) for a, b in spans if abs(float(b) - float(a) - 1) < 0.02}
    missing = sorted(set(range(int(duration_s))) - whole)
    if missing:
        raise RunError(f"{name}: {len(missing)} of {int(duration_s)} seconds lack their report, "
                       f"the first at {missing[0]} s")  # fmt: skip
    if not any(float(a) == 0 and float(b) > duration_s - 0.05 for a, b in spans):
        raise RunError(f"{name}: the total over {duration_s:g} s is missing")


def check_tcp_info(text: str, name: str, cca: str) -> None:
    """The reader must have come to its end, and every sample be of the congestion control asked
    for."""
    lines = text.splitlines()
    sampled = {line.split()[1] for line in lines if not line.startswith("#")}
    if not lines or lines[-1] != "# end":
        raise RunError(f"{name} was cut: it lacks its last line, '# end'")
    if sampled != {cca}:
        raise RunError(f"{name}: the sampled congestion control is {sorted(sampled)}, not {cca}")


def versions(cache: Path) -> dict[str, str]:
    """Versions of everything that can change a run's result."""

    def first_line(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True)
        return (done.stdout or done.stderr).strip().splitlines()[0]

    return json.loads((cache / "versions.json").read_text()) | {
        "iperf": first_line("iperf", "-v"),
        "iproute2": first_line("/sbin/tc", "-V"),
        "python": sys.version.split()[0],
    }


def run_record(
    scenario: Scenario, observed: dict[str, object], made_by: dict[str, object]
) -> dict[str, object]:
    """The content of run.json."""
    flows = {"1": {"cca": scenario.cca1, "start_s": 0.0}}
    if scenario.cca2 is not None:
        flows["2"] = {"cca": scenario.cca2, "start_s": scenario.start2_s}
    of_scenario = {}
    if scenario.rtt2_ms is None:
        of_scenario["rtt_ms"] = scenario.rtt_ms
    else:
        for flow, rtt_ms in zip(flows, flow_rtts_ms(scenario), strict=True):
            flows[flow]["rtt_ms"] = rtt_ms
    for key in ("buffer_pct", "view", "queue"):
        if getattr(scenario, key) is not None:
            of_scenario[key] = getattr(scenario, key)
    return {
        "record": "evenflow-run/1",
        "run": {
            "platform": "testbed", "tool": "iperf", "tool_version": "2.1.8",
            "role": scenario.role, "repeat": scenario.repeat, "seed": scenario.seed,
            "bottleneck_mbps": scenario.rate_mbps, "buffer_bytes": buffer_bytes(scenario),
            "duration_s": scenario.duration_s, "aqm": scenario.aqm, "mss_bytes": MSS_BYTES,
            "router_model": scenario.router_model, "host_profile": scenario.host_profile,
            "jitter_us": jitter_ns(scenario) / 1000,
        } | of_scenario | ({} if scenario.gamma_tuning else {"gamma_tuning": False})
        | cubic_changes(scenario),
        "flows": flows,
        "made_by": made_by,
        "observed": observed
        | ({"buffer_packets": buffer_packets(scenario)}
           if scenario.router_model == "netem-limit" else {}),
    }  # fmt: skip


def keep_trace(stage: Path) -> None:
    """Copies Compound's lines from the kernel's console to out/compound.log."""
    lines = (stage / "boot.log").read_text(errors="replace").splitlines()
    steps = [line[found.start() :] for line in lines if (found := compound.LINE.search(line))]
    if not steps:
        raise RunError("the kernel printed no line of Compound's trace")
    (stage / "out" / "compound.log").write_text("\n".join(steps) + "\n")


def xz(content: bytes) -> bytes:
    """Compresses a long run's logs to two thirds of what `gz` leaves."""
    return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)


PACKERS = {"gz": gz, "xz": xz}


def put_in_place(out: Path, record: dict[str, object], target: Path, packing: str = "gz") -> None:
    """Writes the whole run directory beside its place, then renames it; `packing` of PACKERS."""
    with new_folder(target) as new:
        for log in sorted([*out.glob("flow*.log"), *out.glob("compound.log"), out / "router.log"]):
            (new / f"{log.name}.{packing}").write_bytes(PACKERS[packing](log.read_bytes()))
        write_record(new, record)
        if target.exists():  # Snakemake makes it, empty; or --force replaces a run
            shutil.rmtree(target)


def run(
    scenario: Scenario, target: Path, limit_s: float, command: str, packing: str = "gz"
) -> dict[str, object]:
    """One run, from boot to run directory; returns the content of run.json. Raises RunError."""
    cache = kernel_cache()
    host = check_host(cache)
    began = time.monotonic()
    stage = Path(tempfile.mkdtemp(prefix="evenflow-run.", dir=scratch_base()))
    try:
        prepare_stage(stage, scenario, cache)
        boot(stage, limit_s, topology.kernel_parameters(scenario))
        try:
            observed = check_logs(stage / "out", scenario)
            if scenario.trace:
                keep_trace(stage)
        except (RunError, OSError) as error:
            raise RunError(f"{error}\n{console_tail(stage)}") from None
        made_by = {
            "command": command,
            "commit": read_commit(HERE),
            "date": now(),
            "versions": versions(cache),
            "host": host,
            "wall_s": round(time.monotonic() - began, 1),
        }
        record = run_record(scenario, observed, made_by)
        put_in_place(stage / "out", record, target, packing)
        return record
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="experiments.testbed.run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="the run's directory, to be made")
    parser.add_argument("--scenario", type=Path, help="JSON with the keys of the options below")
    parser.add_argument("--cca1", choices=KERNEL_CCA)
    parser.add_argument("--cca2", choices=[*KERNEL_CCA, "none"], help="none: flow 1 is alone")
    parser.add_argument("--rtt-ms", type=int)
    parser.add_argument("--buffer-pct", type=int, help="buffer, %% of the BDP")
    parser.add_argument("--role", choices=ROLES)
    parser.add_argument("--repeat", type=int)
    parser.add_argument("--router-model", choices=ROUTER_MODELS)
    parser.add_argument("--host-profile", choices=HOST_PROFILES)
    parser.add_argument("--rate-mbps", type=int)
    parser.add_argument("--duration-s", type=int)
    parser.add_argument("--start2-s", type=float, help="start of flow 2; default: 60 + U(0, 1)")
    parser.add_argument("--seed", type=int, help="default: derived from --seed-path")
    parser.add_argument("--seed-path", help="<dataset>/<run path>; default: the end of OUT")
    parser.add_argument("--no-jitter", dest="jitter", action="store_false", default=None)
    parser.add_argument("--no-gamma-tuning", dest="gamma_tuning", action="store_false",
                        default=None, help="compound with gamma = 30 throughout")  # fmt: skip
    parser.add_argument("--trace", action="store_true", default=None,
                        help="keep compound's windows, a line per round")  # fmt: skip
    parser.add_argument("--rtt2-ms", type=int, help="of flow 2; default: --rtt-ms")
    parser.add_argument("--fixed-buffer-bytes", type=int, help="in the place of --buffer-pct")
    parser.add_argument("--tcp-info", action="store_true", default=None,
                        help="keep the senders' windows and RTTs, a line a second")  # fmt: skip
    parser.add_argument("--view", help="free factor of the 900 Mb/s study, for run.json")
    parser.add_argument("--queue", help="the same")
    parser.add_argument("--aqm", choices=AQMS, help="manages the buffer; default: droptail")
    parser.add_argument("--no-cubic-hystart", dest="cubic_hystart", action="store_false",
                        default=None, help="cubic without HyStart")  # fmt: skip
    parser.add_argument("--no-cubic-friendliness", dest="cubic_friendliness", action="store_false",
                        default=None, help="cubic that may be slower than Reno")  # fmt: skip
    parser.add_argument("--cubic-beta", type=int, help="window after a loss, 1/1024; default 717")
    parser.add_argument("--limit-s", type=float, default=900, help="wall clock; default 900")
    parser.add_argument("--packing", choices=PACKERS, default="gz", help="of the logs; default gz")
    parser.add_argument("--force", action="store_true", help="replace an existing run")
    return parser.parse_args(words)


def scenario_of(arguments: argparse.Namespace) -> Scenario:
    """The scenario that options and --scenario ask for (options win). Raises RunError."""
    names = {field.name for field in fields(Scenario)}
    asked: dict[str, object] = {}
    if arguments.scenario:
        try:
            asked = json.loads(arguments.scenario.read_text())
        except (OSError, ValueError) as error:
            raise RunError(f"{arguments.scenario}: {error}") from None
        if unknown := sorted(set(asked) - names):
            raise RunError(f"{arguments.scenario}: unknown key {unknown[0]!r}; "
                           f"known are {', '.join(sorted(names))}")  # fmt: skip
    asked |= {
        key: value for key, value in vars(arguments).items() if key in names and value is not None
    }
    if asked.get("cca2") == "none":
        asked["cca2"] = None
    if asked.get("seed") is None:
        path = arguments.seed_path or "/".join(arguments.out.parts[-5:])
        asked["seed"] = seed_of(path)
    if asked.get("start2_s") is None:
        asked["start2_s"] = drawn_start_s(asked["seed"])
    asked.setdefault("buffer_pct", None)
    for key in ("cca1", "cca2", "rtt_ms"):
        if key not in asked:
            raise RunError(f"--{key.replace('_', '-')} is missing")
    scenario = Scenario(**asked)
    if found := problems(scenario):
        raise RunError("; ".join(found))
    return scenario


def command_of(scenario: Scenario, out: Path) -> str:
    """The command that makes this run again, from the top of the repository."""
    options = []
    usual = {field.name: field.default for field in fields(Scenario)}
    for key, value in asdict(scenario).items():
        word = key.replace("_", "-")
        if isinstance(value, bool):  # an option without a value turns it
            options += [] if value == usual[key] else [f"--{word}" if value else f"--no-{word}"]
        elif key in ("aqm", "cubic_beta") and value == usual[key]:
            continue
        elif value is not None or key == "cca2":
            options += [f"--{word}", "none" if value is None else str(value)]
    shown = "OUT" if out.is_absolute() else str(out)
    return " ".join(["python -m experiments.testbed.run", shown, *options])


def main(words: list[str]) -> int:
    arguments = parse_arguments(words)
    try:
        if (arguments.out / "run.json").exists() and not arguments.force:
            raise RunError(f"{arguments.out} is already there; remedy: --force replaces it")
        scenario = scenario_of(arguments)
        record = run(scenario, arguments.out, arguments.limit_s,
                     command_of(scenario, arguments.out), arguments.packing)  # fmt: skip
    except RunError as error:
        print(f"run failed: {arguments.out}: {error}", file=sys.stderr)
        return 1
    print(json.dumps(record["observed"], sort_keys=True))
    print(f"{arguments.out}: {record['made_by']['wall_s']} s")
    return 0


if __name__ == "__main__":
    # A TERM must run the finally clauses that end the guest.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main(sys.argv[1:]))
