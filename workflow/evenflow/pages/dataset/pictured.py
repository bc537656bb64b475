"""The answer as a table with bars: SVG whose positions are in per cent, so that it fills any width.

Its type keeps its size, it prints, and it needs no script. Colours are those of the kinds of flows
(`palette.py`), by class.
"""

from __future__ import annotations

from ...render.element import Html, element, folded, together
from .answer import Row, alike, by_setting, index_words, jain_words
from .parts import source
from .subject import (
    Run,
    Subject,
    axis_parts,
    flow_names,
    kind_name,
    level,
    many,
    plain,
    rate,
    the_flow,
)

SHOWN = 9  # rows at once, or one more: on a laptop what is wrong is on the first screen then
MANY_PAIRS = 9  # from so many on there is a matrix
FIRST_KINDS = 3  # of the first flow, for a matrix
DRAWN = 0.005  # the shortest range of shares that a line shows
BAD = 0.8  # Jain's index below which it is set in the colour of errors
LETTER, AROUND = 7, 6  # px, of a letter or digit in a bar, and free at its sides
WIDTHS = (130, 200, 260, 330, 420, 520, 640)  # px, of a bar, from which words in it are shown (CSS)
HEIGHT = 21  # px, of a bar
LONGEST = 82  # per cent of the width: a bar with its number behind it
TWINS = 4  # flows of one kind that are told apart by their tint


def answer_table(subject: Subject, rows: list[Row]) -> Html:
    """Return the table of the answer; of many pairs a matrix, with the rows folded away."""
    if not rows:
        return Html("")
    fairness = any(not row.alone for row in rows)
    matrix = _matrix(subject, rows)
    if matrix:
        title = f"All {len(rows)} rows, the least fair first"
        table = together(matrix, folded(title, _table(subject, rows, fairness), class_="more"))
    elif len(rows) > SHOWN + 1:
        rest = f"{len(rows) - SHOWN} more rows" + (", the fairest last" if fairness else "")
        table = together(
            _table(subject, rows[:SHOWN], fairness),
            folded(rest, _table(subject, rows[SHOWN:], fairness), class_="more"),
        )
    else:
        table = _table(subject, rows, fairness)
    return together(table, _explained(subject, rows) if fairness else "")


def _table(subject: Subject, rows: list[Row], fairness: bool) -> Html:
    trend = any(row.trend for row in rows)
    top = max(row.total for row in rows)
    head = [
        element("th", "Setting" if by_setting(subject) else "Flows", scope="col"),
        element("th", "Share of each flow" if fairness else "Throughput (Mb/s)", scope="col"),
    ]
    if fairness:
        head.append(element("th", "Jain’s index", scope="col", class_="r"))
    if trend:
        head.append(element("th", f"… over {subject.axes[0]}", scope="col", class_="spark"))
    if fairness:
        head.append(element("th", "Mb/s", scope="col", class_="r"))
    head.append(element("th", "Runs", scope="col", class_="r"))
    body = [element("tr", _cells(subject, row, fairness, trend, top)) for row in rows]
    caption = "Shares of the flows and Jain’s index" if fairness else "Throughput of the flows"
    return element(
        "table",
        element("caption", caption, class_="unseen"),
        element("thead", element("tr", head)),
        element("tbody", body),
        class_="answer",
    )


def _cells(subject: Subject, row: Row, fairness: bool, trend: bool, top: float) -> list[Html]:
    picture = _length(subject, row, top)
    if fairness:
        alone = element("span", f"alone: {rate(row.total)} Mb/s", class_="note")
        picture = alone if row.alone else _shares(subject, row)
    title = row.full if row.full != row.name else None
    cells = [
        element("th", row.name, scope="row", title=title),
        element("td", element("div", picture), class_="bar"),
    ]
    if fairness:
        bad = row.fair is not None and not row.alone and row.fair < BAD
        index = element("b", jain_words(row, subject.fair), class_="bad" if bad else None)
        span = _span(row, subject.fair)
        index = together(index, " ", span) if span else index
        if row.fair is not None and not row.alone:
            index = source(index, "jfi", [row.number])
        cells.append(element("td", index, class_="r", data_l="Jain"))
    if trend:
        cells.append(element("td", _spark(subject, row), class_="spark"))
    if fairness:
        total = source(rate(row.total), "total", [row.number])
        cells.append(element("td", total, class_="r", data_l="Mb/s"))
    runs = source(f"{row.n_runs:,}", "runs", [row.number])
    cells.append(element("td", runs, class_="r", data_l="runs"))
    return cells


def _span(row: Row, fair: float) -> Html:
    """Return the range of Jain's index over the settings of a row."""
    if row.fair_low is None or row.fair_high is None or row.alone or len(row.settings) == 1:
        return Html("")
    low, high = index_words(row.fair_low, fair), index_words(row.fair_high, fair)
    return Html("") if low == high else element("small", f"{low}–{high}")


def _ranges(row: Row) -> bool:
    """Return whether the first flow's share differs from run to run by as much as can be drawn."""
    return row.high - row.low > DRAWN


def _class(subject: Subject, kind: str) -> str:
    return f"k{subject.kinds.index(kind)}"


def _shares(subject: Subject, row: Row) -> Html:
    """Return the shares of a row as a bar, with the range of the first's where there are two."""
    of_two, begin, parts, said = len(row.shares) == 2, 0.0, [], []
    seen: dict[str, int] = {}
    for number, kind, share in zip(row.flows, row.kinds, row.shares, strict=True):
        twin = seen[kind] = seen.get(kind, -1) + 1
        look = f"{_class(subject, kind)} b{twin % TWINS}"
        bar = {"x": _percent(begin), "width": _percent(share), "height": HEIGHT}
        parts.append(element("rect", class_=look, **bar))
        name, number_words = kind_name(kind), f"{100 * share:.0f} %"
        if width := _width_for(number_words, share):
            named = _width_for(f"{name} {number_words}", share)
            before = element("tspan", f"{name} ", class_=named) if named else ""
            place = {"x": _percent(begin + share / 2), "y": 15, "text_anchor": "middle"}
            parts.append(element("text", before, number_words, class_=f"{look} {width}", **place))
        flow = name if name == number else f"{number} {name}"
        said.append(f"{flow} {100 * share:.0f} %")
        begin += share
    if of_two:
        for top, bottom in ((-4, 1), (20, 24)):  # a tick where both would get the same
            parts.append(_line("50%", "50%", top, bottom, "equal"))
        if _ranges(row):
            parts.append(_line(_percent(row.low), _percent(row.high), 25.5, 25.5, "range"))
    return element("svg", parts, class_="share", role="img", aria_label="; ".join(said))


def _width_for(words: str, share: float) -> str:
    """Return the class of the narrowest bar whose `share` has room for words, or nothing."""
    needed = (LETTER * len(words) + AROUND) / share if share else float("inf")
    return next((f"from{width}" for width in WIDTHS if width >= needed), "")


def _length(subject: Subject, row: Row, top: float) -> Html:
    """Return the throughput of flows alone as a bar of its length."""
    share, words = (row.total / top if top else 0.0) * LONGEST / 100, rate(row.total)
    bar = element(
        "rect", class_=f"{_class(subject, row.kinds[0])} b0", width=_percent(share), height=HEIGHT
    )
    behind = element("text", words, class_="out", x=_percent(share + 0.01), y=15)
    return element("svg", bar, behind, class_="share", role="img", aria_label=f"{words} Mb/s")


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"


def _line(x1: object, x2: object, y1: object, y2: object, look: str) -> Html:
    return element("line", class_=look, x1=x1, x2=x2, y1=y1, y2=y2)


def _spark(subject: Subject, row: Row) -> Html:
    """Return Jain's index along the first axis: a line, with the range of the runs around it."""
    if not row.trend:
        return Html("")
    n, low = len(row.trend), min(0.5, *(lowest for _, _, lowest, _ in row.trend))
    across = [100 * i / (n - 1) for i in range(n)]

    def down(index: float) -> float:
        return 100 * (1 - (index - low) / (1 - low)) if low < 1 else 0.0

    def points(values: list[float], places: list[float]) -> str:
        return " ".join(f"{x:.1f},{down(v):.1f}" for x, v in zip(places, values, strict=True))

    means, lows, highs = ([at[i] for at in row.trend] for i in (1, 2, 3))
    area = f"{points(highs, across)} {points(lows[::-1], across[::-1])}"
    (first, begin, *_), (last, end, *_) = row.trend[0], row.trend[-1]
    axis, fair = subject.axes[0], subject.fair
    words = (
        f"Jain’s index from {index_words(begin, fair)} at {level(axis, first)} "
        f"to {index_words(end, fair)} at {level(axis, last)}"
    )
    picture = element(
        "svg",
        element("polygon", points=area),
        element("polyline", points=points(means, across)),
        viewBox="0 -6 100 112",
        preserveAspectRatio="none",
        role="img",
        aria_label=words,
    )
    ends = element("small", element("i", plain(first)), element("i", plain(last)))
    return together(picture, ends)


def _matrix(subject: Subject, rows: list[Row]) -> Html:
    """Return who takes how much from whom, a cell a pair; nothing where pairs are few."""
    pairs: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if len(row.shares) == 2 and not any(kind.startswith("flow ") for kind in row.kinds):
            pairs.setdefault((row.kinds[0], row.kinds[1]), []).append(row)
    sides = [[k for k in subject.kinds if any(p[i] == k for p in pairs)] for i in (0, 1)]
    if len(rows) <= SHOWN + 1 or len(pairs) < MANY_PAIRS or len(sides[0]) < FIRST_KINDS:
        return Html("")

    def mean(of: list[Row], value) -> float | None:
        known = [(value(row), len(row.settings)) for row in of if value(row) is not None]
        n = sum(weight for _, weight in known)
        return sum(v * weight for v, weight in known) / n if n else None

    def ordered(side: int) -> list[str]:
        def taken(kind: str) -> float:
            of = [row for pair, own in pairs.items() if pair[side] == kind for row in own]
            return -(mean(of, lambda row: row.shares[side]) or 0.0)

        return sorted(sides[side], key=taken)

    columns = ordered(1)
    head = [element("td")] + [element("th", kind_name(kind), scope="col") for kind in columns]
    body = []
    for first in ordered(0):
        cells = [element("th", kind_name(first), scope="row")]
        for second in columns:
            of = pairs.get((first, second), [])
            share, fair = mean(of, lambda row: row.shares[0]), mean(of, lambda row: row.fair)
            if share is None:
                cells.append(element("td", "–", class_="none"))
                continue
            tone, strength = "more" if share > 0.5 else "less", round(abs(2 * share - 1) * 75)
            colour = f"background:color-mix(in oklab,var(--{tone}) {strength}%,var(--paper))"
            numbers = [row.number for row in of]
            index = "" if fair is None else index_words(fair, subject.fair)
            index = element("small", source(index, "jfi", numbers) if index else "")
            number = source(f"{100 * share:.0f} %", "share", numbers)
            cells.append(element("td", number, index, style=colour))
        body.append(element("tr", cells))
    first, second = flow_names(_runs_of(subject, [row for of in pairs.values() for row in of]))
    caption = (
        f"Share of {the_flow(first)} (rows) against {the_flow(second)} (columns), mean over the "
        "settings; below it Jain’s index"
    )
    return element(
        "div",
        element(
            "table",
            element("caption", caption),
            element("thead", element("tr", head)),
            element("tbody", body),
            class_="matrix",
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label="Matrix of pairs",
    )


def _explained(subject: Subject, rows: list[Row]) -> Html:
    """Return what the bars and the index are, and what the page calls fair."""
    compared = [row for row in rows if not row.alone]
    of_two = {len(row.shares) for row in compared} == {2}
    text = "Bars: mean shares of the flows' total throughput; "
    if of_two:
        text += "the tick is the equal share"
        if any(map(_ranges, compared)):
            first = the_flow(flow_names(_runs_of(subject, compared))[0])
            text += f", the thin line runs from the lowest to the highest share of {first} in any "
            text += "run"
        text += ". "
    else:
        text = text.removesuffix("; ") + ". "
    least = "½ when one of two gets all" if of_two else "1/N when one of N gets all"
    text += f"Jain’s index is 1 when all flows get the same, {least}; this page calls "
    text += f"{subject.fair:g} and more fair"
    if of_two:
        high = _share_at(subject.fair)
        text += f" (for two flows up to about {100 * high:.0f} to {100 * (1 - high):.0f} %)"
    text += ". "
    if any(len(row.settings) > 1 for row in compared):
        text += "Small numbers: its range over the settings. "
    if not by_setting(subject):
        n = len(subject.settings)
        over = f"settings of {axes_words(subject)} ({many(n, 'setting')} in all)"
        text += f"Each row is a mean over {over}"
        if len(subject.axes) > 1 and any(row.trend for row in rows):
            along, other = (axis_parts(axis)[0] for axis in subject.axes)
            text += f", its line over levels of {other} with every {along}"
        text += "." if alike(subject, compared) else ". Rows differ in settings."
    return element("p", text.strip(), class_="note")


def _runs_of(subject: Subject, rows: list[Row]) -> list[Run]:
    """Return the runs of rows."""
    places = {(n, row.kinds) for row in rows for setting in row.settings
              for n in subject.settings[setting].runs}  # fmt: skip
    return [subject.runs[n] for n, kinds in sorted(places) if subject.runs[n].kinds == kinds]


def axes_words(subject: Subject) -> str:
    """Return the names of the axes: 'RTT and Buffer'."""
    return " and ".join(axis_parts(axis)[0] for axis in subject.axes)


def _share_at(index: float) -> float:
    """Return the larger of two shares at which Jain's index of two flows has a value."""
    return (1 + (1 / index - 1) ** 0.5) / 2
