"""Who takes how much from whom: a table of pairs of congestion controls, over all data sets.

A cell is the row's share of what two flows carry together, against the column: the mean over the
runs of the logarithm of their ratio, with Student's interval, turned into a share. So no interval
leaves 0 to 100 %, and 0.3 % stays apart from 1 %. The page holds all cells as JSON, from which
overview.js draws another choice; one choice stands in the page without a script.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ..charts.theme import AQM_NAMES
from ..congestion_controls import CONTROLS, variant_name
from ..metrics.catalogue import FLOOR_BPS
from ..render.element import Html, element, together
from ..render.site import page_of_dataset
from ..scalars import scalar
from ..statistics.repeats import mean_interval
from ..statistics.steady import UNSTEADY_CELL, is_unsteady
from ..tables import read_table

STRONG = 0.745  # of the way to the colour of an end: beyond it letters change theirs (overview.js)
PLATFORMS = {"testbed": "Linux", "ns2": "ns-2", "ns3": "ns-3"}
AQM = "AQM"  # a factor among those that a folder has of its own
DROP_TAIL = {None, "droptail"}
KEY = ["cca1", "cca2", "rtt1_ms", "rtt2_ms", "buffer_mb", "buffer_pct"]
# what is printed with as few digits as tell its values apart: where it is in a cell
PRINTED = [["rtt1_ms", "rtt2_ms"], ["mbps"], ["buffer_pct"]]
SAME = 4  # digits of values that are one


class Choice(NamedTuple):
    """What the switches of the overview say: place of a set, RTT (ms), buffer in words."""

    where: int
    rtt_ms: float
    buffer: str


def overview_data(
    folders: Iterable[Path],
    about: Mapping[str, Mapping],
    derived: Path,
    confidence: float,
) -> dict:
    """Return what the overview shows: sets, names, and a row a scenario of two flows.

    Data sets of one platform, hosts and rate are one set (flows in the other order, say), unless
    both have a cell: then the smaller one is a set of its own, by its name. So is one that says
    nothing of its hosts.

    Args:
        folders: of the raw logs.
        about: {data set: its dataset.yml}: `hosts` in words, `overview: false` keeps it out.
        derived: the folder of the tables of all data sets.
        confidence: of the intervals.

    Returns:
        percent: the confidence, %; sets: {platform, hosts, mbps}; ccas: [name, label], in the order
        of the registry; buffers, datasets, pieces (of names of scenarios): lists of words; rows:
        set, cca1, cca2, RTTs (ms), buffer, n, log of the ratio and half its interval (thousandths;
        null: none), whether it is unsteady, whether no packet was lost, use of the link
        (thousandths), data set, pieces.
    """
    shown = [folder.name for folder in folders if about.get(folder.name, {}).get("overview", True)]
    found = [scenarios(n, about.get(n, {}), derived / n, confidence) for n in shown]
    cells = _apart(found)
    cells = [cell | {"buffer": _buffer(cell)} for cell in _in_few_digits(cells)]
    kinds = dict.fromkeys((c["platform"], c["hosts"], c["mbps"]) for c in cells)
    sets = sorted(kinds, key=lambda kind: (kind[2], kind[0], kind[1]))
    known = [*CONTROLS]
    met = {c[f"cca{i}"] for c in cells for i in (1, 2)}
    ccas = sorted(met, key=lambda cca: (known.index(cca) if cca in known else len(known), cca))
    pools: dict[str, dict[str, int]] = {"buffers": {}, "datasets": {}, "pieces": {}}

    def place(pool: str, text: str) -> int:
        return pools[pool].setdefault(text, len(pools[pool]))

    rows = [
        [
            sets.index((c["platform"], c["hosts"], c["mbps"])),
            *(ccas.index(c[f"cca{i}"]) for i in (1, 2)),
            *(c["rtt1_ms"], c["rtt2_ms"], place("buffers", c["buffer"]), c["n"]),
            round(1e3 * c["log"]),
            None if c["half"] is None else round(1e3 * c["half"]),
            *(int(c["unsteady"]), int(c["limited"])),
            None if c["use"] is None else round(1e3 * c["use"]),
            place("datasets", c["dataset"]),
            *(place("pieces", piece) for piece in c["scenario"].split("/")),
        ]
        for c in cells
    ]
    return {
        "percent": float(f"{100 * confidence:g}"),
        "sets": [dict(zip(("platform", "hosts", "mbps"), kind, strict=True)) for kind in sets],
        "ccas": [[cca, variant_name(cca)] for cca in ccas],
        **{name: [*pool] for name, pool in pools.items()},
        "rows": rows,
    }


def _apart(of_sets: Iterable[list[dict]]) -> list[dict]:
    """Return the cells of all data sets, with `hosts` such that no two of them are in one place.

    Of data sets that share a cell, the one with the most keeps the words of its hosts; the others
    add their names.
    """

    def places(cells: list[dict]) -> set[tuple]:
        return {(cell["platform"], cell["hosts"], *_place(cell)) for cell in cells}

    cells: list[dict] = []
    for mine in sorted(of_sets, key=len, reverse=True):
        if places(mine) & places(cells):
            mine = [c | {"hosts": f"{c['hosts']}, {c['dataset']}"} for c in mine]
        cells += mine
    return cells


def scenarios(dataset: str, about: Mapping, derived: Path, confidence: float) -> list[dict]:
    """Return the scenarios of two flows of a data set that say RTT, rate and buffer.

    What tells apart scenarios of one pair, RTTs, rate and buffer (a queue's discipline, say) is
    added to `hosts`. Of one setting in two roles the comparison counts, whose runs are apart.
    """
    paths = {name: derived / f"{name}.parquet" for name in ("run", "flow", "flow_metric")}
    paths["run_metric"] = derived / "run_metric.parquet"
    if not all(path.is_file() for path in paths.values()):
        return []
    run, flow, flow_metric, run_metric = (read_table(path) for path in paths.values())
    run = run.filter(pl.col("n_flows") == 2, pl.col("n_cross_traffic") == 0)
    run = run.filter(pl.col("bottleneck_bps").is_not_null())
    if run.is_empty():
        return []
    flows = flow.join(flow_metric, on=["run_id", "flow_id"]).select(
        "run_id", "flow_id", "cca", "base_rtt_s", bps="mean_throughput_bps"
    )
    one, two = (
        flows.filter(pl.col("flow_id") == i).select(
            "run_id",
            pl.col("cca").alias(f"cca{i}"),
            (1e3 * pl.col("base_rtt_s")).round_sig_figs(SAME).alias(f"rtt{i}_ms"),
            pl.col("bps").clip(lower_bound=FLOOR_BPS).log().alias(f"log{i}"),
        )
        for i in (1, 2)
    )
    steady = run_metric.select("run_id", "utilisation", unsteady=is_unsteady())
    table = run.join(one, on="run_id").join(two, on="run_id").join(steady, on="run_id")
    table = table.with_columns(
        mbps=(pl.col("bottleneck_bps") / 1e6).round_sig_figs(SAME),
        buffer_mb=pl.col("factors").str.json_path_match("$.queue").str.extract(r"^(\d+)mb$"),
        buffer_pct=(100 * pl.col("buffer_bdp")).round_sig_figs(SAME),
        lost=pl.col("observed").map_elements(_dropped, return_dtype=pl.Int64, skip_nulls=True),
        log=pl.col("log1") - pl.col("log2"),
    ).with_columns(buffer_pct=pl.when(pl.col("buffer_mb").is_null()).then("buffer_pct"))
    table = table.drop_nulls([*KEY[:4], "log"])
    table = table.filter(pl.any_horizontal(pl.col("buffer_mb", "buffer_pct").is_not_null()))
    if table.is_empty():
        return []
    found: list[dict] = []
    roles: dict[tuple, str] = {}  # of the first scenario of a setting
    order = [pl.col("role") != "comparison", "scenario_id", "run_id"]
    cells = table.sort(order).group_by("scenario_id", maintain_order=True)
    for (scenario,), runs in cells:
        first = runs.row(0, named=True)
        spread = mean_interval(runs["log"].to_numpy(), confidence)
        low = spread["ci_low"]
        cell = {
            "dataset": dataset,
            "scenario": scenario,
            "platform": PLATFORMS.get(first["platform"], first["platform"] or "other"),
            "hosts": about.get("hosts") or dataset,
            "factors": json.loads(first["factors"] or "{}") | {AQM: first["aqm"]},
            **{key: first[key] for key in ("mbps", *KEY)},
            "n": len(runs),
            "log": spread["mean"],
            "half": None if low is None else spread["mean"] - low,
            "unsteady": (scalar(runs["unsteady"].mean()) or 0) >= UNSTEADY_CELL,
            "limited": bool(runs["lost"].max() == 0),
            "use": runs["utilisation"].mean(),
        }
        setting = (*_place(cell), json.dumps(cell["factors"]))
        if roles.setdefault(setting, first["role"]) == first["role"]:
            found.append(cell)
    return _told_apart(found)


def _place(cell: Mapping) -> tuple:
    return tuple(cell[key] for key in ("mbps", *KEY))


def _told_apart(cells: list[dict]) -> list[dict]:
    """Return the cells of a data set with `hosts` such that no two of them are in one place.

    `hosts` gets the queue's discipline, unless it is drop-tail, and of the other factors those that
    cells of one place need; where nothing that is known differs, the scenario.
    """
    at: dict[tuple, list[dict]] = {}
    for cell in cells:
        at.setdefault(_place(cell), []).append(cell["factors"])

    def are_apart(names: list[str]) -> bool:
        kinds = ([tuple(str(of.get(n)) for n in names) for of in mine] for mine in at.values())
        return all(len({*of}) == len(of) for of in kinds)

    names = sorted({name for cell in cells for name in cell["factors"]} - {AQM})
    needed = names
    for name in names:
        without = [other for other in needed if other != name]
        if are_apart([AQM, *without]) == are_apart([AQM, *needed]):
            needed = without
    more = [] if are_apart([AQM, *needed]) else ["scenario"]
    return [c | {"hosts": ", ".join([c["hosts"], *_words(c, needed, more)])} for c in cells]


def _words(cell: Mapping, factors: list[str], more: list[str]) -> list[str]:
    aqm, said = cell["factors"][AQM], cell["factors"]
    words = [] if aqm in DROP_TAIL else [AQM_NAMES.get(aqm, aqm)]
    known = [name for name in factors if said.get(name) is not None]
    words += [f"{name.replace('_', ' ')} {_whole(said[name])}" for name in known]
    return words + [f"{name} {cell[name]}" for name in more]


def _whole(value: Any) -> Any:
    """Return a number without a decimal point where it is whole, anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _in_few_digits(cells: list[dict]) -> list[dict]:
    """Return the cells with as few digits of rates, RTTs and buffers as tell their values apart."""
    printed: dict[str, dict] = {}
    for keys in PRINTED:
        known = {cell[key] for key in keys for cell in cells} - {None}
        printed |= dict.fromkeys(keys, _few_digits(sorted(known)) | {None: None})
    return [cell | {key: printed[key][cell[key]] for key in printed} for cell in cells]


def _few_digits(values: list[float]) -> dict[float, float]:
    """Return values in print: whole, with two digits below ten, or with more if these are alike."""
    exact = pl.Series(values, dtype=pl.Float64)

    def rounded(digits: int) -> pl.Series:
        below = exact < 10 ** (digits - 1)
        fewer = pl.when(below).then(exact.round_sig_figs(digits)).otherwise(exact.round())
        return pl.select(fewer).to_series()

    choices = (rounded(2), rounded(3), exact)
    shown = next(of for of in choices if of.n_unique() == len(values))
    return {value: _whole(of) for value, of in zip(values, shown, strict=True)}


def _buffer(cell: Mapping) -> str:
    """Return a cell's buffer in words: in % of the BDP, or in MB where a factor names it so."""
    mb = cell["buffer_mb"]
    return f"{cell['buffer_pct']} % of BDP" if mb is None else f"{mb} MB"


def _dropped(observed: str) -> int | None:
    """Return how many packets a run says that the bottleneck lost."""
    seen = json.loads(observed or "{}")
    drops = seen.get("drops", seen.get("queue", {}).get("drops"))
    return drops if isinstance(drops, int) else None


# ---- one choice, without a script ---------------------------------------------------------------


def first_choice(data: Mapping) -> Choice:
    """Return the choice that most pairs were measured with, of these the RTT in the middle."""
    pairs: dict[Choice, int] = {}
    for where, a, b, rtt1, rtt2, buffer, *_ in data["rows"]:
        if rtt1 == rtt2:
            choice = Choice(where, rtt1, data["buffers"][buffer])
            pairs[choice] = pairs.get(choice, 0) + (a != b)
    most = max(pairs.values())
    of = min(choice for choice in pairs if pairs[choice] == most)
    rtts = sorted(c.rtt_ms for c in pairs if c[::2] == of[::2] and pairs[c] == most)
    return of._replace(rtt_ms=rtts[len(rtts) // 2])


def share(log: float) -> float:
    """Return a share of both flows' throughput, of the logarithm of their ratio."""
    return 1 / (1 + math.exp(-log))


def percent(part: float) -> str:
    """Return a share in print, as overview.js prints it."""
    value = 100 * part
    if not 0.05 <= value <= 99.95:
        return "<0.1" if value < 50 else ">99.9"
    return f"{value:.1f}" if value < 0.95 or value > 99.05 else f"{value:.0f}"


def overview_table(data: Mapping, choice: Choice) -> Html:
    """Return head and body of the table of a choice: the cells that overview.js draws."""
    cells, named = {}, set()
    for row in data["rows"]:
        where, a, b, rtt1, rtt2, buffer = row[:6]
        if where == choice.where:
            named |= {a, b}
            if rtt1 == rtt2 == choice.rtt_ms and data["buffers"][buffer] == choice.buffer:
                cells[a, b] = row
    order = sorted(named)
    labels = [label for _, label in data["ccas"]]
    head = [element("th", labels[i], scope="col") for i in order]
    body = []
    for a in order:
        shares = [share(_log(of, a)) for (x, y), of in cells.items() if x != y and a in (x, y)]
        mean = percent(float(np.mean(shares))) if shares else "–"
        row = [_cell(data, cells, a, b) for b in order]
        last = element("td", mean, class_="mean")
        body.append(element("tr", element("th", labels[a], scope="row"), *row, last))
    corner = element("td", element("span", "gets … % against", class_="corner"))
    average = element("th", "average", scope="col", class_="mean")
    return together(
        element("thead", element("tr", corner, *head, average)), element("tbody", *body)
    )


def _log(row: Sequence, cca: int) -> float:
    """Return the logarithm of a congestion control's throughput over the other's."""
    return (1 if row[1] == cca else -1) * row[7] / 1e3


def _cell(data: Mapping, cells: Mapping, a: int, b: int) -> Html:
    row, sign = cells.get((a, b)), 1
    if row is None:
        row, sign = cells.get((b, a)), -1
    if row is None:
        small = element("span", "not measured", class_="small")
        return element("td", element("span", "–", small), class_="none")
    n, log, (half, unsteady, limited) = row[6], sign * row[7] / 1e3, row[8:11]
    mine = share(log)
    said = "" if n == 1 else "alike"
    if half is not None:
        said = "–".join(percent(share(log + end * half / 1e3)) for end in (-1, 1))
    marks = {
        "unsteady": unsteady,
        "limited": limited,
        "second": sign < 0,
        "strong": abs(2 * mine - 1) > STRONG,
        "once": n == 1,
        "own": a == b,
        "less": mine < 0.5,
    }
    small = element(
        "span", f"{said} ", element("i", "1 run" if n == 1 else f"n {n}"), class_="small"
    )
    value = element("b", f"{'~' if unsteady else ''}{percent(mine)}")
    link = element("a", value, small, href=link_of(data, row))
    words = " ".join(name for name, is_so in marks.items() if is_so)
    return element("td", link, class_=words or None, style=f"--p:{abs(2 * mine - 1):.3f}")


def link_of(data: Mapping, row: Sequence) -> str:
    """Return the link from the index to a scenario on the page of its data set."""
    dataset, *pieces = row[12:]
    scenario = "/".join(data["pieces"][i] for i in pieces)
    plain = re.sub(r"[^A-Za-z0-9]", lambda sign: f"-{ord(sign[0]):x}-", scenario)
    return f"{page_of_dataset(data['datasets'][dataset])}#scenario-{plain}"


KEYS = """<ul class="key"><li>0 %<span class="ramp"></span>100 %; half: equal</li>
<li><i>~</i>not steady: throughputs still changed</li><li>thin: a single run</li>
<li><i class="limited"></i>uncontested: no packet lost at the bottleneck</li>
<li><i class="second"></i>measured in the other order of flows</li>
<li><i class="none"></i>not measured</li></ul>"""
SWITCHES = {
    "rate": "Bottleneck",
    "set": "Platform and hosts",
    "buffer": "Router buffer",
    "apart": "RTTs of the two flows",
    "rtt": "RTT",
}


def with_overview(page: str, data: Mapping, theme: Path, before: Iterable[str]) -> str:
    """Return a page with the overview; as it is where no two flows were measured.

    Args:
        page: HTML.
        data: `overview_data`.
        theme: the folder with overview.css and overview.js.
        before: markup; it is put before the first of these that the page has.
    """
    if not any(row[3] == row[4] for row in data["rows"]):
        return page
    choice = first_choice(data)
    of = data["sets"][choice.where]
    setting = f"{of['mbps']} Mb/s, {of['platform']} ({of['hosts']}), RTT {choice.rtt_ms} ms, "
    caption = element("caption", f"{setting}buffer {choice.buffer}.", class_="setting")
    title = element("h2", "Who takes how much from whom", id="overview-title")
    lead = "Share of the total throughput of two flows, in %, with "
    lead = element("p", f"{lead}{data['percent']:g} % interval.")
    table = element("table", caption, overview_table(data, choice), class_="matrix")
    told = Html('<div class="detail" role="status"></div>')
    switches = [
        element(
            "fieldset",
            element("legend", words),
            Html(f'<div class="choices" data-switch="{name}"></div>'),
        )
        for name, words in SWITCHES.items()
    ]
    section = element(
        "section",
        title,
        lead,
        element("form", switches, aria_label="What is shown"),
        table,
        Html(KEYS),
        told,
        id="overview",
        aria_labelledby="overview-title",
        data_choice=json.dumps(choice),
    )
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    style, script = (
        (theme / f"overview.{kind}").read_text(encoding="utf-8") for kind in ("css", "js")
    )
    added = f'<script type="application/json" id="overview-data">{packed}</script>\n'
    added += f"<script>\n{script}</script>\n</body>"
    page = page.replace("</head>", f"<style>\n{style}</style>\n</head>", 1)
    place = next((mark for mark in before if mark in page), "</body>")
    page = page.replace(place, f"{section}\n{place}", 1)
    return page.replace("</body>", added, 1)
