"""Which memory and threads a job about a data set needs, by the MB that its logs take."""

from __future__ import annotations

BASE_MB = 1200  # Python with its libraries, and two Snakemakes where a job is one of a cluster
PEAK = 1.5  # of what is measured over what parsing takes
# of a data set in several chunks: no job holds more of it (docs/explanation/performance.md)
CHUNKS_MB = 1800
MB_PER_THREAD = 500  # of logs: with less, another job gains more by a core
MOST_THREADS = 8


def memory_mb(raw_mb: int, in_chunks: bool, attempt: int = 1) -> int:
    """Return the MB that a job about a data set needs; more where it is tried again."""
    needed = PEAK * raw_mb
    return attempt * int(BASE_MB + (min(needed, CHUNKS_MB) if in_chunks else needed))


def threads(raw_mb: int) -> int:
    """Return how many threads are worth their cores where all samples of a data set are read."""
    return min(MOST_THREADS, 1 + raw_mb // MB_PER_THREAD)
