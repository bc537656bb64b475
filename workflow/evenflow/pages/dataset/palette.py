"""The colours of the kinds of flows on a page, light and dark, as a style sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...charts.theme import DARK, ON_WHITE, SPARE, VARIANTS

WHITE, BLACK = "#ffffff", "#000000"


def palette(kinds: Sequence[str]) -> str:
    """Return the style sheet that gives the classes k0, k1, ... the colours of kinds of flows.

    `--k` is the colour, `--on` that of text on it. Kinds without a colour of their own take those
    that are free, in turn.
    """
    colours = colours_of(kinds)
    light = [ON_WHITE.get(colour, colour) for colour in colours]
    dark = [DARK.get(colour, colour) for colour in colours]
    in_the_dark = _rules(dark, ":root:not(.light) ")
    return f"{_rules(light)}@media screen and (prefers-color-scheme:dark){{{in_the_dark}}}"


def colours_of(kinds: Sequence[str]) -> list[str]:
    """Return the colour of each kind: a congestion control's own, else one that is free."""
    own: Mapping[str, str] = {cca: known[1] for cca, known in VARIANTS.items()}
    used = {own[kind] for kind in kinds if kind in own}
    free = [colour for colour in SPARE if colour not in used] or SPARE
    rest = [kind for kind in kinds if kind not in own]
    return [own[k] if k in own else free[rest.index(k) % len(free)] for k in kinds]


def _rules(colours: Sequence[str], within: str = "") -> str:
    return "".join(
        f"{within}.k{number}{{--k:{colour};--on:{_ink(colour)}}}"
        for number, colour in enumerate(colours)
    )


def _ink(colour: str) -> str:
    """Return white or black, whichever stands out more on a colour."""
    on_white = contrast(colour, WHITE)
    return WHITE if on_white >= contrast(colour, BLACK) else BLACK


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, '#rrggbb' (WCAG 2.1)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
