"""What the tests of pages in a browser share."""

import chromium
import pytest


@pytest.fixture(scope="module")
def browser():
    if None in (chromium.PROGRAM, chromium.DRIVER):
        pytest.skip(chromium.MISSING)
    with chromium.browser() as tab:
        yield tab
