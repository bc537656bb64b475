"""What holds for every test, of the library and of the papers, however few of them are run."""

from evenflow.charts.panels import validate_charts
from hypothesis import HealthCheck, settings

# Altair checks every part of every chart that a test draws. Jobs that a test starts draw without,
# as the check takes as long as drawing; .ci/run makes all figures of the repository with it
validate_charts(True)

# the same examples every time, however slow the machine: a test that fails here fails everywhere
settings.register_profile(
    "evenflow",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("evenflow")
