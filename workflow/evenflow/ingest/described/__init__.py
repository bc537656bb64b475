"""A data set: a folder of raw logs and what its dataset.yml, runs.csv and run records say of them.

The settings of a run come, from the weakest to the strongest, from `defaults:` in dataset.yml, the
placeholders of its files' paths, runs.csv, and a run record (run.json) beside the logs. Two of the
last three that contradict each other are an error, not a choice. Those of one flow come from its
run, from `flows:` in dataset.yml, and from what the last three say of this flow.
"""
