"""What holds for every test, of the library and of the papers, however few of them are run."""

import os

# Altair checks every part of every chart, of jobs that a test starts too (evenflow.charts.panels)
os.environ["EVENFLOW_VALIDATE"] = "1"
