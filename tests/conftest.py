"""Settings of all tests."""

import os

from hypothesis import HealthCheck, settings

# the same examples every time, however slow the machine: a test that fails here fails everywhere
settings.register_profile(
    "evenflow",
    derandomize=True,
    deadline=None,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("evenflow")

# a make that a test starts says what a user's says, and not that it is the make of `make test`
for name in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS"):
    os.environ.pop(name, None)
