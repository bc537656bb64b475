"""What a new paper begins with."""

from importlib.util import module_from_spec, spec_from_file_location

import pytest
from raw_data import ROOT


@pytest.mark.parametrize(
    ("confidence", "text"), [(0.95, "95"), (0.975, "97.5"), (0.999, "99.9"), (0.57, "57")]
)
def test_a_confidence_is_printed_as_it_is(confidence, text):
    spec = spec_from_file_location("numbers_of_template", ROOT / "workflow/template/numbers.py")
    numbers = module_from_spec(spec)
    spec.loader.exec_module(numbers)
    assert numbers.confidence_pct(confidence) == text
