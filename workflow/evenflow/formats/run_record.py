"""Run records (run.json): the settings, seeds and versions that evenflow's experiments write.

A JSON object with 'record': 'evenflow-run/1', 'run' and 'flows' (keys as in dataset.yml), 'made_by'
(command, commit, date, versions) and 'observed' (what the run measured of itself). Its settings are
read by `dataset.run_settings`; here its lines are only accounted for.
"""

from __future__ import annotations

NAME = "run-record"
CLOCK = "run"
SIGNATURE = r'"record": "evenflow-run/1"'
CLASSIFY = "SELECT *, 'header' AS fate, 'settings of the run' AS reason FROM line"
TABLES: dict[str, str] = {}


def side(content: bytes) -> None:
    """Return None: a record belongs to no flow."""


def flows(content: bytes) -> set[int]:
    """Return no flow: a record names flows but does not measure them."""
    return set()
