"""State of hosts and routers around a run (ping, tc -s qdisc, nstat): evidence, not measurements.

Kept beside the logs so that a reader can check how a run was set up. Every line is skipped by the
metrics and counted in the ledger.
"""

from __future__ import annotations

from .whole import account

NAME = "host-state"
TOOL = "evenflow"
PLATFORM = None
CLOCK = "run"
SIGNATURE = None


def parse(logs):
    """Account for the lines."""
    return account(logs, "skipped", "evidence of the set-up, no samples")
