"""The table of congestion controls: no name stands for two of them, all keys are usable."""

import re

from evenflow.congestion_controls import CONTROLS, NAME_OF, TABLE, cca_name, variant_name
from evenflow.schema import read_yaml

FAMILIES = {"loss", "delay", "both", "model", "learnt", "marks"}


def test_a_name_or_alias_is_that_of_one():
    assert [*read_yaml(TABLE)[0]] == [*CONTROLS]  # it refuses a key that stands there twice
    aliases = [alias for known in CONTROLS.values() for alias in known.aliases]
    assert len(aliases) == len(set(aliases)) == len(NAME_OF)
    assert not set(aliases) & set(CONTROLS)
    labels = [known.label for known in CONTROLS.values()]
    assert len(set(labels)) == len(labels)


def test_every_entry_can_be_used():
    for name, known in CONTROLS.items():
        assert re.compile(known.spelt) and known.family in FAMILIES, name
        assert bool(known.colour) == bool(known.dash), name
        assert cca_name(name) == name
        assert all(cca_name(alias) == name for alias in known.aliases)


def test_names_of_tools_and_papers_lead_to_the_entry():
    given = {"HSTCP": "highspeed", "CTCP": "compound", "TcpHighSpeed": "highspeed", "BBRv1": "bbr"}
    assert {text: cca_name(text) for text in given} == given
    assert cca_name("My TCP") == variant_name("My TCP") == "My TCP"
    assert cca_name("my-cca+v2") == "my_cca+v2"  # a hyphen stands between those of a pairing
