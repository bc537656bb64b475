"""A cluster of one node: Slurm from the system's packages in a temporary folder, without systemd.

No cgroups, no accounting (slurmdbd), its own key, ports and configuration: it neither needs nor
disturbs a cluster that this machine belongs to. Only root can start it, as jobs are run by whoever
submits them. Jobs that take more memory than they asked for are ended (OverMemoryKill).
"""

from __future__ import annotations

import os
import secrets
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "sinfo")
UP_S = 30  # until the node is there
PATH = f"{os.environ['PATH']}{os.pathsep}/usr/sbin{os.pathsep}/sbin"
CONF = """\
ClusterName=evenflow
SlurmctldHost={host}
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/jobs.txt
ReturnToService=2
MinJobAge=300
KillWait=5
NodeName={host} CPUs={cores} RealMemory={memory_mb} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES DefaultTime=00:30:00 MaxTime=04:00:00 State=UP
"""


def lacking() -> str:
    """Say why a cluster cannot be started here; empty where it can."""
    absent = [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]
    if absent:
        return f"Slurm is not installed ({', '.join(absent)}): slurm-wlm and munge of Debian"
    return "only root can start Slurm" if os.geteuid() else ""


def free_ports(number: int) -> list[int]:
    """Return ports of this host that nobody listens on."""
    with_ports = [socket.socket() for _ in range(number)]
    for each in with_ports:
        each.bind(("", 0))
    ports = [each.getsockname()[1] for each in with_ports]
    for each in with_ports:
        each.close()
    return ports


class Slurm:
    """A running cluster; `env` is what its commands need in their environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o755)
        for name in ("state", "spool"):
            (folder / name).mkdir()
        (folder / "key").write_bytes(secrets.token_bytes(1024))
        (folder / "key").chmod(0o400)
        host, (controller_port, node_port) = socket.gethostname().split(".")[0], free_ports(2)
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        text = CONF.format(
            host=host, folder=folder, controller_port=controller_port, node_port=node_port,
            cores=os.cpu_count(), memory_mb=memory // 2**20,
        )  # fmt: skip
        (folder / "slurm.conf").write_text(text)
        # Snakemake's plugin takes SLURM_CONF away from what it starts on the node
        (folder / "bin").mkdir()
        starter = f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {shutil.which("srun")} "$@"\n'
        (folder / "bin/srun").write_text(starter)
        (folder / "bin/srun").chmod(0o755)
        self.env = {"SLURM_CONF": str(folder / "slurm.conf")}
        self.env |= {"PATH": f"{folder}/bin{os.pathsep}{PATH}"}
        self.processes: list[subprocess.Popen] = []
        try:
            self._start(
                "munged", "--foreground", "--force", f"--key-file={folder}/key",
                f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid",
                f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed",
            )  # fmt: skip
            self._until(lambda: (folder / "munge.socket").exists())
            self._start("slurmctld", "-D")
            self._start("slurmd", "-D")
            self._until(lambda: "idle" in self.ask("sinfo", "--noheader", "--format=%t"))
        except BaseException:
            self.close()
            raise

    def _start(self, name: str, *words: str) -> None:
        with (self.folder / f"{name}.out").open("wb") as out:
            process = subprocess.Popen(
                [shutil.which(name, path=PATH), *words],
                env=os.environ | self.env,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )
        self.processes.append(process)

    def _until(self, reached) -> None:
        end = time.monotonic() + UP_S
        while not reached():
            if time.monotonic() > end or any(p.poll() is not None for p in self.processes):
                said = [path.read_text()[-1500:] for path in self.folder.glob("*.out")]
                raise RuntimeError("the cluster does not come up:\n" + "\n".join(said))
            time.sleep(0.2)

    def ask(self, *command: str) -> str:
        """Run a command of Slurm; return what it prints, whether it could or not."""
        done = subprocess.run(command, env=os.environ | self.env, capture_output=True, text=True)
        return done.stdout

    def working(self) -> dict[str, str]:
        """Return {number: comment} of the jobs at work; the comment names rule and data."""
        lines = self.ask("squeue", "--noheader", "--states=R", "--format=%i %k").splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def cancel(self, number: str, *words: str) -> None:
        """Cancel a job; with a signal among the words only that is sent."""
        self.ask("scancel", *words, number)

    def ended(self) -> list[str]:
        """List in which state each job has ended, in the order of their ends."""
        jobs = self.folder / "jobs.txt"
        lines = jobs.read_text().splitlines() if jobs.is_file() else []
        return [
            word.removeprefix("JobState=")
            for line in lines
            for word in line.split()
            if word.startswith("JobState=")
        ]

    def close(self) -> None:
        """Cancel all jobs and end the cluster's own processes."""
        if len(self.processes) > 1:
            self.ask("scancel", "--signal=KILL", "--full", "--state=RUNNING")
            self.ask("scancel", "--user=nobody")
        for process in reversed(self.processes):
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
                continue
            process.kill()
