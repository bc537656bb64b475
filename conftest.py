"""What holds for every test, of the library and of the papers, however few of them are run."""

from evenflow.charts.panels import validate_charts

# Altair checks every part of every chart that a test draws. Jobs that a test starts draw without,
# as the check takes as long as drawing; .ci/run makes all figures of the repository with it
validate_charts(True)
