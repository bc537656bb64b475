"""Run records (run.json): the settings, seeds and versions that evenflow's experiments write.

A JSON object with 'record': 'evenflow-run/1', 'run' and 'flows' (keys as in dataset.yml), 'made_by'
(command, commit, date, versions) and 'observed' (what the run measured of itself). Its settings are
read by `dataset.run_settings`; here its lines are only accounted for.
"""

from __future__ import annotations

from .whole import account

NAME = "run-record"
TOOL = "evenflow"
PLATFORM = None
CLOCK = "run"
SIGNATURE = r'"record": "evenflow-run/1"'


def parse(logs):
    """Account for the lines."""
    return account(logs, "header", "settings of the run")
