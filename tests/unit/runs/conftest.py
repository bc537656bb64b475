"""What the tests of being a run share."""

import pytest
from evenflow.runs import receipts


@pytest.fixture(autouse=True)
def nothing_seen():
    """Forget what another test of this process has read: a job is a process of its own."""
    receipts._seen.clear()
    receipts._raw.clear()
