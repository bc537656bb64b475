"""A dozen faults at random moments, each from a fixed seed; plain `make` undoes them all.

EVENFLOW_FAULTS says how many; a dozen are done to a project without a paper, to save minutes. Where
it does not, as in `make test-all`, it is every other one of a dozen.
`python tests/faults/run.py` does any number, and says more.
"""

import os

import pytest
from kinds import KINDS
from place import shared_place
from run import try_fault

SEED, ASKED = 24, os.environ.get("EVENFLOW_FAULTS")
FAULTS = range(int(ASKED)) if ASKED else range(0, 12, 2)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = shared_place(tmp_path_factory, paper=FAULTS.stop > 12)
    yield place
    place.close()


@pytest.mark.parametrize("number", FAULTS, ids=lambda n: f"{n}-{list(KINDS)[n % len(KINDS)]}")
def test_a_fault_leaves_nothing_that_make_does_not_mend(place, number):
    outcome = try_fault(place, SEED, number)
    if outcome.skipped:
        pytest.skip(outcome.skipped)
    assert not outcome.wrong, f"{outcome.did}: {outcome.wrong}"
