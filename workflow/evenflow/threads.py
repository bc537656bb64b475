"""How many threads this process may use: those of its job, not all that the machine has.

Snakemake hands a job its threads as OMP_NUM_THREADS. Polars and Numba look for variables of their
own as they are imported, which is after this module: the package imports it first.
"""

from __future__ import annotations

import os

GIVEN = os.environ.get("OMP_NUM_THREADS", "")
THREADS = int(GIVEN) if GIVEN.isdigit() and int(GIVEN) else os.cpu_count() or 1
if GIVEN:
    os.environ["POLARS_MAX_THREADS"] = os.environ["NUMBA_NUM_THREADS"] = str(THREADS)
