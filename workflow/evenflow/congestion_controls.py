"""The congestion controls that evenflow knows: their names in tools and files, in print, colours.

They are the entries of congestion_controls.yml, which says what each key is. A new one is a line
there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from . import plugins
from .errors import DataError
from .files import yaml_of

TABLE = Path(__file__).with_suffix(".yml")


@dataclass(frozen=True)
class CongestionControl:
    """An entry of the table."""

    label: str
    family: str
    aliases: tuple[str, ...] = ()
    spelt: str = ""
    version: str = ""
    linux: str = ""
    colour: str = ""
    dash: tuple[int, ...] = ()


_ENTRIES = yaml_of(TABLE.read_text(encoding="utf-8"))
CONTROLS = {name: CongestionControl(**about) for name, about in _ENTRIES.items()}
for _name, _about in plugins.controls().items():
    plugins.refuse_taken(_name, _name in CONTROLS, plugins.CONTROLS, "congestion control")
    if not re.fullmatch("[a-z0-9]+", str(_name)):
        _problem = f"'{_name}' cannot be the name of a congestion control"
        _remedy = "take small letters and digits; other spellings go into aliases and spelt"
        raise DataError(_problem, path=plugins.CONTROLS, remedy=_remedy)
    try:
        CONTROLS[_name] = CongestionControl(**_about)
    except TypeError:  # no mapping, a key that is misspelt or missing
        _keys = ", ".join(CongestionControl.__dataclass_fields__)
        _problem = f"'{_name}' is not a congestion control: {_about}"
        _remedy = f"label and family, and of the rest what there is: {_keys}"
        raise DataError(_problem, path=plugins.CONTROLS, remedy=_remedy) from None
NAME_OF = {alias: name for name, known in CONTROLS.items() for alias in known.aliases}
LINUX_NAMES = sorted(known.linux for known in CONTROLS.values() if known.linux)


@lru_cache(maxsize=2**12)
def cca_name(text: str) -> str:
    """Return the usual name of a congestion control: 'CUBIC' is cubic, 'BBRv2' bbr2.

    'TcpCubic' and 'ns3::TcpCubic', as ns-3 writes it, are cubic too. A text that names none is
    returned as it is, but with '_' for '-', which stands between the names of a pairing.
    """
    short = re.sub(r"[ _-]|v(?=[0-9]$)", "", text.lower())
    if short not in CONTROLS and short not in NAME_OF:
        short = re.sub("^(ns3::)?tcp|^linux(?=reno)", "", short)
    short = NAME_OF.get(short, short)
    return short if short in CONTROLS else text.replace("-", "_")


def usual_name(text: str) -> str:
    """Return the usual name of a congestion control as a log has it: Linux says reno of NewReno."""
    name = cca_name(text)
    return "newreno" if name == "reno" else name


def variant_name(cca: str) -> str:
    """Return a congestion control's name in print; of an unknown one its name."""
    return CONTROLS[cca].label if cca in CONTROLS else cca


def pairing_name(ccas: str) -> str:
    """Return a pairing's name in print: 'newreno-bic' is 'NewReno – BIC' (flow 1 – flow 2)."""
    return " – ".join(variant_name(cca) for cca in ccas.split("-"))


def in_order(ccas: Iterable[str]) -> list[str]:
    """Return pairings (or congestion controls) in the order of CONTROLS, by flow 2 first."""
    known = list(CONTROLS)

    def rank(pairing: str) -> tuple:
        places = [known.index(cca) if cca in known else len(known) for cca in pairing.split("-")]
        return tuple(reversed(places)), pairing

    return sorted(ccas, key=rank)
