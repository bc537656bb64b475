"""Which placeholders in the names of logs are of the one flow, and not of the whole run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from .known_settings import ENDS, FLOW_KEYS
from .patterns import run_of_path


def cca_of_flow(placed: list[tuple[str, dict[str, str]]]) -> set[str]:
    """Return the patterns whose {cca} is that of the one flow, not of the whole run.

    That is so where the runs would else have one flow each, and without it have several, each with
    one congestion control: 'flow1 (cubic).log', 'flow2 (bbr).log'. And where only all of them
    together have the flows 1, 2, ...: 'cubic1.log', 'bbr2.log', 'bbr3.log'. And where a pattern
    names the pair, {cca1} and {cca2}, as well.

    Args:
        placed: for every file its pattern and what the placeholders stand for.
    """
    narrow: dict[tuple, set] = {}
    wide: dict[tuple, dict] = {}
    of_pair: set[str] = set()
    for template, values in placed:
        if {"cca", "cca1", "cca2"} <= values.keys():
            of_pair.add(template)
            continue
        flow = tuple(
            v
            for k, v in sorted(values.items())
            if ENDS.fullmatch(k) and k not in ("side", "variable")
        )
        if not flow or "cca" not in values:
            continue
        run = tuple(v for k, v in sorted(values.items()) if k != "cca" and not ENDS.fullmatch(k))
        narrow.setdefault((template, run, values["cca"]), set()).add(flow)
        ccas = wide.setdefault((template, run), {})
        ccas.setdefault(flow, set()).add(values["cca"])
    found = {template for template, _ in wide}
    for (template, run, _), flows in narrow.items():
        if len(flows) > 1 and not _count_from_1(wide[template, run]):
            found.discard(template)
    for (template, _), ccas in wide.items():
        if len(ccas) < 2 or any(len(of_flow) > 1 for of_flow in ccas.values()):
            found.discard(template)
    return found | of_pair


def ccas_beside_settings(placed: list[tuple[str, dict[str, str]]]) -> set[str]:
    """Return what `cca_of_flow` does, also where settings of flows stand in the same name.

    Args:
        placed: for every file its pattern and what the placeholders stand for.
    """
    if not any(_beside_flow(template) for template in {template for template, _ in placed}):
        return cca_of_flow(placed)
    without = [
        (template, {k: v for k, v in values.items() if k not in _beside_flow(template)})
        for template, values in placed
    ]
    return cca_of_flow(placed) | cca_of_flow(without)


def own_settings_of_flows(
    placed: Sequence[tuple[str, dict[str, str], Collection[str]]],
) -> list[tuple[str, ...]]:
    """Return the placeholders beside {flow} of which each flow of a run has a value of its own.

    'flow1_at0', 'flow2_at10' of '{flow}_at{start_s}' are flows of one run: without the setting a
    run has several flows, and each of them one value.

    Args:
        placed: for every file its pattern, what the placeholders stand for, and which of them are
            known to be of the flow.

    Returns:
        Of each file; empty where there are none.
    """
    values_of: dict[tuple, dict[str, set[tuple]]] = defaultdict(lambda: defaultdict(set))
    runs = []
    for template, values, of_flow in placed:
        keys = _beside_flow(template)
        run = template, run_of_path(template, values, {*of_flow, *keys}) if keys else ""
        if keys:
            values_of[run][values["flow"]].add(tuple(values[key] for key in keys))
        runs.append(run)
    of_flows = {
        run
        for run, flows in values_of.items()
        if len(flows) > 1
        and all(len(of_one) == 1 for of_one in flows.values())
        and len(set.union(*flows.values())) > 1
    }
    return [_beside_flow(run[0]) if run in of_flows else () for run in runs]


@lru_cache(maxsize=2**10)
def _beside_flow(template: str) -> tuple[str, ...]:
    """Return the settings of flows, but for {cca}, in the segment of a pattern that has {flow}."""
    segment = next((part for part in template.split("/") if "{flow}" in part), "")
    return tuple(key for key in FLOW_KEYS if key != "cca" and f"{{{key}}}" in segment)


def _count_from_1(flows: Iterable[tuple[str, ...]]) -> bool:
    """Return whether labels of flows are 1, 2, ..., each once."""
    labels = list(flows)
    counted = {(str(n),) for n in range(1, len(labels) + 1)}
    return set(labels) == counted
