"""Start Snakemake many times: a process that has loaded it forks, at half the processor time.

What a test sees is the same: arguments, folder, environment, all that is said, exit code; but what
the loader or Python reads as a process begins (LD_PRELOAD, PYTHON...) is that of the first. `make`
starts Snakemake as ever. Run as a program this is that process: a request is a line of JSON.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path


def path_of_tests() -> str:
    """Return a PATH that finds the programs of the environment of the tests first."""
    return f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


@cache
def _server() -> subprocess.Popen:
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.Popen([sys.executable, __file__], env=env, text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip


def snakemake(
    folder: str | os.PathLike, *words: str, env: dict[str, str] | None = None, timeout: int = 900
) -> subprocess.CompletedProcess:
    """Run Snakemake in a folder; return its exit code, and as stdout all that it said.

    Args:
        folder: where it runs.
        words: its arguments.
        env: its whole environment; None: that of the tests.
        timeout: after so many seconds it is killed.
    """
    with tempfile.NamedTemporaryFile("r", errors="replace") as said:
        of_it = env or dict(os.environ)
        asked = [os.fspath(folder), list(map(str, words)), of_it, said.name, timeout]
        server = _server()
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(["snakemake", *words], code, stdout=said.read())


def _become(
    program: Path, folder: str, words: list[str], env: dict[str, str], said: str, timeout: int
) -> None:
    """Be what `python -m snakemake` is in that folder and environment."""
    os.setpgid(0, 0)
    signal.alarm(timeout)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    into = os.open(said, os.O_WRONLY | os.O_APPEND)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for stream in (1, 2):
        os.dup2(into, stream)
    sys.argv = [str(program), *words]
    paths = filter(None, env.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:] = [folder, *paths, *sys.path[1:]]


def main() -> None:
    import jsonschema  # noqa: F401 - of what the Snakefile loads, what starts no threads
    from snakemake import cli

    cli.get_argument_parser()  # it finds and loads all plug-ins
    gc.freeze()
    answers = os.fdopen(os.dup(1), "w")
    while line := sys.stdin.readline():
        if (child := os.fork()) == 0:
            _become(Path(cli.__file__).with_name("__main__.py"), *json.loads(line))
            cli.main()
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)


if __name__ == "__main__":
    main()
