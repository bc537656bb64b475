"""The colours of surfaces: scales that follow the data.

A two-sided scale ends where nearly all values (NEARLY_ALL of them) lie, so that one extreme cell
does not make all others blank; what lies beyond is marked. Where most values are small against
that, the colours follow the logarithm (symmetric, linear around zero): a tenth of the largest value
is then seen as well.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import altair as alt
import polars as pl

from .theme import SEQUENTIAL, TWO_SIDED

NEARLY_ALL = 0.98
FAR_BEYOND = 1.3  # the scale ends at the largest value, unless that is so many times that of most
SMALL = 0.1  # of the limit: where half of the values are smaller, the scale is logarithmic
LINEAR_PART = 0.1  # of the limit: within it a logarithmic scale is nearly linear
GRADIENT_LENGTH = 150  # px
LEAST_APART = 0.36  # of half of it: ticks, whose labels are up to 26 px wide
# where a cell is so dark that what is printed into it must be white: parts of the way from the
# middle to either end of a two-sided scale, and from the low to the high end of another
DARK_BELOW, DARK_ABOVE = -0.66, 0.79
DARK_UNTIL, DARK_GREY = 0.5, 0.55


class Colours(NamedTuple):
    """A scale of colours: [low, high], or [-limit, 0, limit] of values with two sides.

    `constant`: of the symmetric logarithm, or None on a linear scale.
    """

    scheme: str
    domain: list[float]
    constant: float | None = None
    number_format: str = ".3~r"

    @property
    def is_two_sided(self) -> bool:
        """Whether zero is in the middle."""
        return len(self.domain) == 3

    @property
    def limit(self) -> float:
        """The largest value that has a colour of its own."""
        return self.domain[-1]

    def is_beyond(self, value: float) -> bool:
        """Whether a value lies outside of the scale."""
        slack = 1e-9 * max(1.0, abs(self.limit))
        return not self.domain[0] - slack <= value <= self.domain[-1] + slack

    def place(self, value: float) -> float:
        """Return where on the scale a value is: -1 to 1 where it has two sides, else 0 to 1."""
        if self.is_two_sided:
            part = min(1.0, abs(value) / self.limit)
            if self.constant:
                by = self.limit / self.constant
                part = math.log1p(part * by) / math.log1p(by)
            return math.copysign(part, value)
        low, high = self.domain
        return min(1.0, max(0.0, (value - low) / (high - low)))

    def is_dark(self, value: float) -> bool:
        """Whether what is printed into a cell of this value must be white."""
        place = self.place(value)
        if self.is_two_sided:
            return not DARK_BELOW <= place <= DARK_ABOVE
        return place < DARK_UNTIL if self.scheme == SEQUENTIAL else place > DARK_GREY

    def channel(self, field: str, title: str) -> alt.Color:
        """Return the colour channel of a column, with its legend above the figure."""
        form = {"type": "symlog", "constant": self.constant} if self.constant else {}
        domain = {"domain": [self.domain[0], self.domain[-1]]}
        middle = {"domainMid": 0} if self.is_two_sided else {}
        known = {"format": self.number_format}
        if self.constant:
            known |= {"values": symmetric_ticks(self)}
        legend = alt.Legend(
            title=title,
            orient="top",
            direction="horizontal",
            titleOrient="left",
            titleAnchor="middle",
            gradientLength=GRADIENT_LENGTH,
            gradientThickness=10,
            tickCount=5,
            offset=4,
            **known,
        )
        scale = alt.Scale(scheme=self.scheme, clamp=True, **domain, **middle, **form)
        return alt.Color(f"{field}:Q", scale=scale, legend=legend)


JFI_OF_TWO = Colours(SEQUENTIAL, [0.5, 1.0])  # all that two flows can have: alike in all figures


def two_sided(values: pl.Series, *, is_linear: bool = False) -> Colours:
    """Return the scale of values with two sides of zero; `is_linear`: whatever the values are."""
    sizes = values.drop_nulls().drop_nans().abs()
    largest = sizes.max() if len(sizes) and sizes.max() > 0 else 1.0
    most = sizes.quantile(NEARLY_ALL, "higher") if len(sizes) else 1.0
    limit = largest if largest <= FAR_BEYOND * (most or 0) or not most else most
    limit = rounded_up(limit)
    is_small = not is_linear and len(sizes) and sizes.median() < SMALL * limit
    constant = LINEAR_PART * limit if is_small else None
    return Colours(TWO_SIDED, [-limit, 0.0, limit], constant)


def one_sided(values: pl.Series, scheme: str = SEQUENTIAL) -> Colours:
    """Return the scale of values without a middle: from their lowest to their highest, rounded."""
    values = values.drop_nulls().drop_nans()
    low, high = (values.min(), values.max()) if len(values) else (0.0, 1.0)
    spread = high - low or 0.1 * abs(high) or 1.0  # all the same: some colour
    step = 10.0 ** math.floor(math.log10(spread)) / 2
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    low, high = round(low, 12), round(max(high, low + step), 12)
    return Colours(scheme, [low, high])


def rounded_up(value: float) -> float:
    """Return a number with two significant digits that is not smaller."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return round(math.ceil(value / step - 1e-9) * step, 12)


def symmetric_ticks(colours: Colours) -> list[float]:
    """Return the ticks of a symmetric logarithmic legend: its end and powers of ten with threes.

    As many as have room: of two whose labels would touch the smaller one goes.
    """
    least = 10.0 ** math.floor(math.log10(colours.constant or colours.limit))
    powers = [least * 10**power for power in range(4)]
    ticks = [colours.limit]
    for tick in sorted((round(p * by, 12) for p in powers for by in (1, 3)), reverse=True):
        end, place = colours.place(ticks[-1]), colours.place(tick)
        if tick < colours.limit and end - place >= LEAST_APART and place >= LEAST_APART:
            ticks.append(tick)
    return sorted([-tick for tick in ticks] + [0.0] + ticks)
