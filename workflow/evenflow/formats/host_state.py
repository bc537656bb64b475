"""State of hosts and routers around a run (ping, tc -s qdisc, nstat): evidence, not measurements.

Kept beside the logs so that a reader can check how a run was set up. Every line is skipped by the
metrics and counted in the ledger.
"""

from __future__ import annotations

NAME = "host-state"
CLOCK = "run"
SIGNATURE = None
CLASSIFY = "SELECT *, 'skipped' AS fate, 'evidence of the set-up, no samples' AS reason FROM line"
TABLES: dict[str, str] = {}


def side(content: bytes) -> None:
    """Return None: host state belongs to no flow."""


def flows(content: bytes) -> set[int]:
    """Return no flow: host state measures none."""
    return set()
