"""Claims from the lines of the listed runs alone; nothing of evenflow is imported.

Each is a statistic of the means of cells, with an interval by leaving out one run of a cell at a
time. CLAIMS says which statistic a claim is of.
"""

import math
import re
from collections.abc import Callable
from functools import cache
from statistics import fmean

import log_lines as log
import numpy as np
from columns_of_lines import beta, losses_per_event, share, time_full_s
from listed_rows import CONFIDENCE, Row, quantile

FLOW_1_RTT_MS = 162


def jackknife(
    cells: dict,
    values: Callable,
    statistic: Callable,
    confidence: float = CONFIDENCE,
    resolution: Callable[[float], float] = lambda mean: 0.0,
) -> tuple[float, float, float]:
    """A statistic of cells' means, and its interval, by leaving out one run of a cell at a time.

    Args:
        cells: {cell: its runs}. values: of a run, an array on the scale of the means. statistic: of
            {cell: means}. resolution: of the first value, by its mean: runs that agree to less
            vary by it.
    """
    of = {key: np.array([values(*run) for run in runs]) for key, runs in cells.items()}
    of = {key: np.unique(rows, axis=0) for key, rows in of.items()}  # equal runs are one
    means = {key: rows.mean(axis=0) for key, rows in of.items()}
    variances = []
    for key, rows in of.items():
        n = len(rows)
        without = [
            statistic(means | {key: np.delete(rows, i, axis=0).mean(axis=0)}) for i in range(n)
        ]
        variance = (n - 1) / n * float(np.sum((without - np.mean(without)) ** 2))
        least = resolution(means[key][0])
        if np.std(rows[:, 0], ddof=1) < least:
            further = means[key] + least * np.eye(rows.shape[1])[0]
            moved = statistic(means | {key: further}) - statistic(means)
            variance = max(variance, moved**2 / n)
        variances.append((variance, n - 1))
    variances = [(v, f) for v, f in variances if v > 1e-18]
    whole = sum(v for v, _ in variances)
    freedom = whole**2 / sum(v * v / f for v, f in variances)
    half = quantile(freedom, confidence) * math.sqrt(whole)
    value = statistic(means)
    return value, value - half, value + half


def of_pairs(row: Row) -> tuple[float, float, float]:
    """Log FR with ns-2's own Scalable less that with Linux's, of runs of the same repeat."""
    both: dict[str, dict[bool, float]] = {}
    for dataset, run in row.runs():
        is_own = not run.startswith("linux-")
        both.setdefault(run.rsplit("/", 1)[1], {})[is_own] = log_fr(dataset, run)
    apart = [of[True] - of[False] for of in both.values() if len(of) == 2]
    half = quantile(len(apart) - 1) * float(np.std(apart, ddof=1)) / math.sqrt(len(apart))
    return fmean(apart), fmean(apart) - half, fmean(apart) + half


def levels(dataset: str, run: str) -> np.ndarray:
    """Of two flows: log throughput of each, Jain's index, and the mean level of each, dB."""
    both = [max(bps, log.SEGMENT_BPS) for bps in log.rates(dataset, run)]
    level = []
    for of in log.samples(dataset, run).values():
        db = [10 * math.log10(max(log.rate([s]), log.SEGMENT_BPS)) for s in of]
        level.append(np.average(db, weights=[s[1] - s[0] for s in of]))
    return np.array([*np.log(both), log.jain(dataset, run), *level])


def a_segment(mean: float) -> float:
    """What one segment a second is on the scale of a log throughput."""
    return log.SEGMENT_BPS / math.exp(mean)


def ratio(means: np.ndarray) -> float:
    """Log of flow 1's throughput over flow 2's."""
    return means[0] - means[1]


def rtt2(cell: tuple[str, str]) -> float:
    return float(re.search(r"rtt(\d+)", cell[1])[1])


def buffer(cell: tuple[str, str]) -> float:
    return float(re.search(r"opb(\d+)", cell[1])[1])


def rtt_line(means: dict) -> tuple[np.ndarray, np.ndarray]:
    keys = sorted(means, key=rtt2)
    return np.array([rtt2(k) / FLOW_1_RTT_MS for k in keys]), np.array(
        [ratio(means[k]) for k in keys]
    )


def exponent(means: dict) -> float:
    x, y = rtt_line(means)
    return float(np.polyfit(np.log(x), y, 1)[0])


def misfit(means: dict) -> float:
    x, y = rtt_line(means)
    return float(np.exp(np.max(np.abs(y - np.polyval(np.polyfit(np.log(x), y, 1), np.log(x))))))


def by_name(means: dict, name: str) -> np.ndarray:
    """The means of the cell whose scenario has a variant's name."""
    (of,) = (value for (_, scenario), value in means.items() if f"-{name}/" in scenario)
    return of


def over_rtt(means: dict) -> float:
    low, high = sorted(means, key=rtt2)
    return ratio(means[low]) - ratio(means[high])


def pearson(means: dict) -> float:
    x, y = rtt_line(means)
    return float(np.corrcoef(x, np.exp(y))[0, 1])


def nru(flows: tuple[int, ...]) -> Callable[[dict], float]:
    """Mean NRU of flows over the cells: level less what the variant has in the same place alone."""

    def statistic(means: dict) -> float:
        found = []
        for (dataset, scenario), of in means.items():
            queue, compared, pair = scenario.rpartition("comparison/")
            if not compared:
                continue
            ccas, place = pair.split("/")
            for flow in flows:
                cca = ccas.split("-")[flow - 1]
                alone = (dataset, f"{queue}calibration/{cca}-{cca}/{place}")
                weight = 10 / math.log(10) * means[alone][flow - 1]
                found.append(of[2 + flow] - weight)
        return fmean(found)

    return statistic


def growth_over_buffers(means: dict) -> float:
    """Rise of log throughput of flow 2 from the least to the largest buffer, a level an RTT."""
    x = np.array([math.log2(buffer(key)) for key in means])
    y = np.array([of[1] for of in means.values()])
    rtts = np.array([rtt2(key) for key in means])
    for rtt in set(rtts):
        x[rtts == rtt] -= x[rtts == rtt].mean()
        y[rtts == rtt] -= y[rtts == rtt].mean()
    every = [math.log2(buffer(key)) for key in means]
    return float((x * y).sum() / (x * x).sum() * (max(every) - min(every)))


def ends_of_buffers(column: int) -> Callable[[dict], float]:
    """A value at the largest buffer less that at the least, of the cells of one RTT."""

    def statistic(means: dict) -> float:
        keys = sorted(means, key=buffer)
        return float(means[keys[-1]][column] - means[keys[0]][column])

    return statistic


def less(of: Callable) -> Callable[[dict], float]:
    """The first of two cells less the second, `of` tells which is the first."""
    return lambda means: float(
        sum((1 if of(key) else -1) * value[0] for key, value in means.items())
    )


def only(column: int) -> Callable[[dict], float]:
    return lambda means: float(fmean(of[column] for of in means.values()))


def value(of: Callable) -> Callable[[str, str], np.ndarray]:
    return lambda dataset, run: np.array([of(dataset, run)])


def log_both(dataset: str, run: str) -> float:
    return math.log(sum(log.rates(dataset, run)))


def log_fr(dataset: str, run: str) -> float:
    first, second = log.rates(dataset, run)[:2]
    return math.log(first / second)


def has(text: str) -> Callable[[tuple], bool]:
    return lambda key: text in key[1]


def logged(of: Callable) -> Callable[[str, str], float]:
    return lambda dataset, run: math.log(of(dataset, run))


def against_the_one_before(row: Row) -> Callable[[dict], float]:
    """Of two variants the faster one less the other."""
    mine = row.keys["case"].split(",")[0].lower()
    return less(lambda key: key[1].startswith(f"{mine}/"))


def other_of(row: Row) -> str:
    return {"H-TCP": "htcp"}.get(
        row.keys["part"].split(" at ")[0], row.keys["part"].split(" at ")[0].lower()
    )


def variant_of(row: Row) -> str:
    return {"H-TCP": "htcp"}.get(
        row.keys["case"].split(",")[0], row.keys["case"].split(",")[0].lower()
    )


NRU = ("more-than-alike", "low-rtt-less")
# paper and claim -> values of a run, and the statistic (of the row) of the cells' means
CLAIMS: dict[tuple[str, str], tuple[Callable, Callable[[Row], Callable]]] = {
    **{
        ("high-speed-fairness", name): (levels, lambda row: exponent)
        for name in ("proportional", "below_linear", "above_linear")
    },
    ("high-speed-fairness", "unfriendly"): (
        levels,
        lambda row: lambda means: -ratio(*means.values()),
    ),
    ("high-speed-fairness", "bic_low"): (levels, lambda row: lambda means: ratio(*means.values())),
    ("high-speed-fairness", "bic_htcp"): (levels, lambda row: over_rtt),
    ("high-speed-fairness", "friendly_low"): (
        levels,
        lambda row: lambda m: float(by_name(m, variant_of(row))[2] - by_name(m, other_of(row))[2]),
    ),
    ("high-speed-fairness", "friendly_scalable"): (
        levels,
        lambda row: lambda m: ratio(by_name(m, other_of(row))) - ratio(by_name(m, "scalable")),
    ),
    ("high-speed-fairness", "rtt_correlation"): (levels, lambda row: pearson),
    ("high-speed-fairness", "scalable_fair"): (levels, lambda row: only(2)),
    **{("on-path-buffering", name): (levels, lambda row: nru((2,))) for name in NRU},
    ("on-path-buffering", "newreno-pays"): (levels, lambda row: nru((1,))),
    ("on-path-buffering", "unfair-system"): (levels, lambda row: nru((1, 2))),
    ("on-path-buffering", "self-low-buffer"): (levels, lambda row: growth_over_buffers),
    ("on-path-buffering", "regular-troughs"): (levels, lambda row: ends_of_buffers(1)),
    ("on-path-buffering", "managed-pays"): (levels, lambda row: nru((1,))),
    ("on-path-buffering", "managed-equal"): (value(share(2)), lambda row: only(0)),
    ("on-path-buffering", "managed-buffer"): (value(share(2)), lambda row: ends_of_buffers(0)),
    ("on-path-buffering", "managed-use"): (value(log_both), lambda row: ends_of_buffers(0)),
    ("on-path-buffering", "flow-1-first"): (
        levels,
        lambda row: lambda means: -fmean(map(ratio, means.values())),
    ),
    **{
        ("hstcp-buffers", name): (value(log.link_use), lambda row: only(0))
        for name in ("buffer-of-10-pct", "buffer-of-20-pct")
    },
    ("hstcp-buffers", "implementations-differ"): (
        value(log.link_use),
        lambda row: less(lambda key: key[1].startswith(f"{row.keys['subject']}/")),
    ),
    ("synchronisation", "red_lowers_exponent"): (
        value(beta),
        lambda row: less(has("/droptail/")),
    ),
    ("synchronisation", "background_raises_exponent"): (
        value(beta),
        lambda row: less(has("-5000kbps")),
    ),
    ("synchronisation", "red_without_background"): (
        value(beta),
        lambda row: less(has("/droptail/")),
    ),
    ("synchronisation", "random_waits"): (
        value(beta),
        lambda row: less(lambda key: "-nojitter" not in key[1]),
    ),
    ("synchronisation", "linux_exponent"): (
        value(beta),
        lambda row: less(lambda key: not key[1].startswith("linux-")),
    ),
    ("synchronisation", "red_with_linux"): (value(beta), lambda row: less(has("/droptail/"))),
    ("synchronisation", "exponents_apart"): (value(beta), against_the_one_before),
    ("synchronisation", "high_speed"): (value(log_fr), against_the_one_before),
    ("synchronisation", "high_speed_bursty"): (value(log_fr), lambda row: less(has("-5000kbps"))),
    ("synchronisation", "red_better"): (value(log_fr), lambda row: less(has("/droptail/"))),
    ("synchronisation", "bpdd_size"): (
        value(logged(losses_per_event)),
        lambda row: less(has("-5000kbps")),
    ),
    ("synchronisation", "briefly"): (
        value(logged(time_full_s)),
        lambda row: less(has("-1000sources")),
    ),
}
OF_SHARES, SHARE = ("managed-buffer", "managed-equal"), 0.001  # and the resolution of a share
SOME = ("managed-buffer", "managed-use")  # they hold where one part of one case of three does
OF_RATIO = ("ratio", "ratio_low", "ratio_high")
OF_QUEUE = ("full_ms", "exponent", "exponent_full", "factor")
FOLDED = "folded,outcome,p_value,holds,of,why,n_unsteady,n_places,provisional,transient"


def simulated_less_measured(means: dict) -> float:
    """A value in ns-2 less that on a testbed, of one cell of each."""
    return float(sum((1 if k[0].startswith("ns2") else -1) * of[0] for k, of in means.items()))


def parts_that_hold(row: Row) -> dict[str, int]:
    """In how many cells D is, with its interval, where the sentence says, and of how many."""
    by_place: dict[tuple, dict] = {}
    for cell, runs in row.cells(FOLDED).items():
        by_place.setdefault((rtt2(cell), buffer(cell)), {})[cell] = runs
    n = len(by_place)
    confidence = 1 - (1 - CONFIDENCE) / (n - (n // 2 + 1) + 1)  # of most: one wrong may make it so
    ends = [
        jackknife(of, value(log.jain), simulated_less_measured, confidence)
        for of in by_place.values()
    ]
    if row.keys["kind"] == "same":
        least, most = row.keys["at_least"], row.keys["at_most"]
        held = [least <= low and high <= most for _, low, high in ends]
    else:
        held = [max(low, -high) >= row.keys["delta"] for _, low, high in ends]
    return {"holds": sum(held), "of": len(held)}


OF_PARTS, PAIRED = ("free-agree", "bound-differ"), "implementation"


def is_known(row: Row) -> bool:
    """Whether a statistic here is of a row of claims."""
    name = row.keys["claim"]
    return name in (*OF_PARTS, PAIRED) or (row.paper, name) in CLAIMS


@cache
def claim(paper: str, at: int) -> dict[str, float]:
    """Estimate and interval of a row of claims."""
    row = Row(paper, "claim", at)
    if row.keys["claim"] in OF_PARTS:
        return parts_that_hold(row)
    if row.keys["claim"] == PAIRED:
        return dict(zip(("estimate", "low", "high"), map(math.exp, of_pairs(row)), strict=True))
    values, statistic = CLAIMS[paper, row.keys["claim"]]
    if row.keys["low"] is None:  # an interval is not printed
        means = {
            key: np.mean([values(*run) for run in runs], axis=0)
            for key, runs in row.cells().items()
        }
        ends = (statistic(row)(means),) * 3
    else:
        wrong = 1 - CONFIDENCE
        if row.keys["claim"] in SOME:  # Bonferroni: over the cases, and the parts of each
            wrong /= 3 * row.keys["of"]
        least_share = SHARE if row.keys["claim"] in OF_SHARES else 0.0
        least = {"resolution": lambda mean: least_share}
        ends = jackknife(row.cells(), values, statistic(row), 1 - wrong, **least)
    if row.keys["scale"] == "log":
        ends = tuple(map(math.exp, ends))
    of = dict(zip(("estimate", "low", "high"), ends, strict=True))
    if statistic(row) is exponent:  # and how far a ratio lies off the fit
        means = {
            key: np.mean([values(*run) for run in runs], axis=0)
            for key, runs in row.cells().items()
        }
        of["misfit"] = misfit(means)
    return of


@cache
def ratio_by_rtt(paper: str, at: int) -> dict[str, float]:
    """NewReno's throughput in ns-2 over that on a testbed, geometric mean over the buffers."""
    row = Row(paper, "ratio", at)

    def statistic(means: dict) -> float:
        n = sum(key[0].startswith("ns2") for key in means)
        return sum((1 if k[0].startswith("ns2") else -1) * of[0] for k, of in means.items()) / n

    found = jackknife(row.cells(), levels, statistic, resolution=a_segment)
    return dict(zip(OF_RATIO, map(math.exp, found), strict=True))


@cache
def full_queue(paper: str, at: int) -> dict[str, float]:
    """The exponent of RTTs alone, and of those with what a full queue of 900 Mb/s adds to them."""
    row = Row(paper, "queue_effect", at)
    full_ms = {"bdp20": 0.2 * FLOW_1_RTT_MS, "3mb": 3e6 * 8 / 900e6 * 1e3}[row.keys["queue"]]
    means = {
        key: np.unique([levels(*run) for run in runs], axis=0).mean(axis=0)
        for key, runs in row.cells().items()
    }
    rtts = np.array([rtt2(key) for key in means])
    ratios = [ratio(of) for of in means.values()]
    plain, full = (
        float(np.polyfit(np.log((rtts + added) / (FLOW_1_RTT_MS + added)), ratios, 1)[0])
        for added in (0.0, full_ms)
    )
    return dict(zip(OF_QUEUE, (full_ms, plain, full, full / plain), strict=True))
