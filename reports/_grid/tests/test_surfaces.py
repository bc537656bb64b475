"""Places of a surface that claims are about."""

from types import SimpleNamespace

from ..surfaces import contested_places

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
