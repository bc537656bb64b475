"""Places of a surface that claims are about."""

from types import SimpleNamespace

from ..surfaces import _part, contested_places, each_rtt

PLACES = [(0.025, 0.2), (0.1, 0.2), (0.4, 0.2)]


def test_a_place_without_a_loss_is_no_place_of_a_claim_on_either_side_if_so():
    """At 25 ms the one side lost nothing, at 400 ms the other."""
    surface = ("comparison", "newreno-bic")
    calm = ({(*surface, *PLACES[0])}, {(*surface, *PLACES[2])})
    subject = SimpleNamespace(calm=calm)
    assert contested_places(subject, [surface], PLACES) == PLACES[1:]
    assert contested_places(subject, [surface], PLACES, both_sides=True) == PLACES[1:2]
    another = ("comparison", "newreno-cubic")
    assert contested_places(subject, [another], PLACES, both_sides=True) == PLACES


def test_a_statistic_with_a_control_says_what_the_control_is():
    surface, subject = ("comparison", "newreno-bic"), SimpleNamespace(weight_from=None)
    compared = _part(len, surface, ("control", "newreno"), PLACES, subject)
    assert compared.control_is == "NewReno against NewReno, in the same cells"
    alone = _part(len, surface, None, PLACES, subject)
    assert alone.control_is == ""
    assert (alone.control, alone.curve) == (None, None)  # no control, no curve
    assert compared.control is not None


def test_the_cells_of_an_rtt_are_those_that_have_both_ends_of_the_buffers():
    places = [(0.025, 0.2), (0.025, 1.0), (0.1, 0.2), (0.1, 0.5), (0.4, 1.0)]
    assert each_rtt(places) == {"25 ms": [(0.025, 0.2), (0.025, 1.0)]}
    assert each_rtt(places[:1]) == {}
    assert each_rtt([]) == {}
