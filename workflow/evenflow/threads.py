"""How many threads this process may use: those of its job, not all that the machine has.

Snakemake hands a job its threads as OMP_NUM_THREADS. Polars looks for a variable of its own as
it is imported, which is after this module: the package imports it first.
"""

from __future__ import annotations

import os

GIVEN = os.environ.get("OMP_NUM_THREADS", "")
THREADS = int(GIVEN) if GIVEN.isdigit() and int(GIVEN) else os.cpu_count() or 1
# NumPy starts the threads of its linear algebra as it is imported, a tenth of a second that nothing
# here gains from
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if GIVEN:
    os.environ["POLARS_MAX_THREADS"] = str(THREADS)
