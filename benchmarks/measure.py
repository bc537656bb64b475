"""Run a command on some cores and write what it cost: seconds, CPU-seconds, most memory (bytes).

    measure.py OUTPUT CORES COMMAND ...

In a small process of its own, as the most memory of a process counts from what it was started by.
"""

import json
import os
import sys
import time

output, cores, *command = sys.argv[1:]
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(cores)])
environment = os.environ | {"OMP_NUM_THREADS": cores}
begin = time.perf_counter()
child = os.posix_spawnp(command[0], command, environment)
_, status, usage = os.wait4(child, 0)
cost = {
    "wall_s": time.perf_counter() - begin,
    "cpu_s": usage.ru_utime + usage.ru_stime,
    "peak": usage.ru_maxrss * 1024,
}
with open(output, "w", encoding="utf-8") as file:  # noqa: PTH123 (pathlib takes memory)
    json.dump(cost, file)
sys.exit(os.waitstatus_to_exitcode(status))
