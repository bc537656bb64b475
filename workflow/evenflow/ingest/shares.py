"""What a chunk of a data set leaves to be settled once all of its runs are known.

Runs are read by themselves, in chunks if they are many (`chunks`). Which of them are repeats of
one scenario, how repeats are numbered and what was taken for granted depends on all of them: that
is settled here, of what little each chunk keeps of its runs. Samples are not among it.
"""

from __future__ import annotations

import json
import pickle
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from ..errors import DataError
from ..files import USUAL_LIMITS, Limits, atomic_path, too_large_a_dataset
from ..formats import UNKNOWN
from .assumed_repeats import labels_of
from .assumptions import describe_files, list_assumptions, list_zones, settled
from .described.known_settings import ENDS, FLOW_ONLY, NUMBERS, WORDS
from .described.of_flows import ccas_beside_settings
from .entities import Assumption, Description, Entry, Flow, Pairing, Row, Run, Settled, Span, Trait
from .evidence import list_doubts
from .flows import settle_scenarios
from .joining import joined
from .refusals import no_run, refuse_unknown_runs

SETTING_TYPES = {
    **{key: pl.Float64 if kind is float else pl.Int64 for key, kind in NUMBERS.items()},
    **dict.fromkeys(WORDS, pl.String),
}
RUN_KEYS = [key for key in SETTING_TYPES if key not in (*FLOW_ONLY, "flow")]
RUN = {
    "run_id": pl.String,
    "scenario_id": pl.String,
    **{key: SETTING_TYPES[key] for key in RUN_KEYS},
    "factors": pl.String,  # JSON object of the free factors
    "warmup_s": pl.Float64,  # null where dataset.yml leaves it to config.yaml
    "made_by": pl.String,  # JSON object: command, commit, date, versions, from the run's record
    "observed": pl.String,  # JSON object: what the run measured of itself, from its record
    "guessed": pl.String,  # settings that names give without a word that says so, by commas
}
ASSUMPTION = dict.fromkeys(Assumption._fields, pl.String)
AS_ONE = "set chunks.from_files in config/config.yaml higher than the number of files"
OF_DATES = ["file_id", "run_id", "start_epoch_s", "zone"]  # columns of the parsed table `stream`


@dataclass(slots=True)
class Share:
    """What is kept of the runs of a chunk."""

    runs: list[Run]  # sorted, those included that are left out later
    flows: list[Flow]  # of those that are not
    left_out: list[str]  # runs without a sample, or of doubtful drops
    names: list[str]  # of all runs, whatever became of them
    entries: list[Entry]  # the inventory
    files: dict[str, list[Entry]]  # of each run
    dates: pl.DataFrame  # OF_DATES of every stream
    sides: dict[str, int]  # of how many flows the reports of a side count
    n_files: int
    n_bytes: int  # of their contents
    of_flow: dict[str, bool]  # what `ccas_of_flows` returned
    counters: list[Assumption]  # what is unknown though logs print it, or of which unit it is
    # logs that ran at once by their dates, and that patterns of dataset.yml part
    at_once: list[tuple[str, str]]
    # of a data set that nobody described (else None): how runs were found, which streams they have
    inferred: list[Assumption] | None = None
    streams: Sequence[Settled] = ()
    rejected: bool = False  # whether a line could not be read
    hollow: Sequence[int] = ()  # file_id of logs of which one test of several has no report
    spans: Mapping[str, Span] = field(default_factory=dict)  # of runs with dates (`span_of`)


# the classes in it: the others are those of text and numbers
WRITTEN = {(kind.__module__, kind.__name__) for kind in (Share, pl.DataFrame)}
WRITTEN |= {
    (k.__module__, k.__name__)
    for k in (Assumption, Entry, Flow, Pairing, Run, Settled, Span, Trait)
}


def write_share(share: Share, path: str | Path) -> None:
    """Write what is kept of a chunk, without what other chunks need not know of its files.

    Of a data set that nobody described, which is always one chunk, all files are kept: what is said
    of it is said of each.
    """
    _keep_once(share, {})
    if share.inferred is None:
        slim = replace(share, entries=list(map(_slim, _telling(share.entries))), files={})
    else:
        kept = {id(entry): _slim(entry) for entry in share.entries}
        files = {run: [kept[id(e)] for e in entries] for run, entries in share.files.items()}
        slim = replace(share, entries=list(kept.values()), files=files)
    with atomic_path(path) as temporary:
        temporary.write_bytes(pickle.dumps(slim))


def _telling(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield the files that say something new of their run, or of their pattern and format."""
    seen: set[tuple] = set()
    for entry in entries:
        lost = entry.problem is not None
        labels = tuple(sorted(labels_of([entry]).items()))
        left_out = tuple(sorted(entry.left_out_runs.items()))
        says = {(entry.run_id, lost, labels, left_out), (entry.template, entry.format, lost)}
        if not says <= seen:
            yield entry
        seen |= says


def _slim(entry: Entry) -> Entry:
    gone = {"file": None, "content": None, "sha256": None}
    if entry.format != UNKNOWN:  # these are compared (`assumed_repeats`)
        gone["content_sha256"] = None
    return replace(entry, **gone)  # type: ignore[arg-type]  # read no more, so without its file


def ccas_of_flows(entries: list[Entry]) -> dict[str, bool]:
    """Return whether {cca} is that of the one flow, of each pattern that has both."""
    placed = [(e.template, e.values) for e in entries if e.template]
    doubtful = {t for t, values in placed if "cca" in values and any(map(ENDS.fullmatch, values))}
    found = ccas_beside_settings(placed)
    return {template: template in found for template in doubtful}


def read_shares(
    folder: str | Path, paths: Sequence[str | Path], limits: Limits = USUAL_LIMITS
) -> Share:
    """Read what was kept of all chunks of a data set, as one.

    Raises:
        DataError: the data set is too large, or chunks of it have to be read otherwise than others.
    """
    known: dict = {}
    chunks = [_keep_once(_read_share(path), known) for path in paths]
    if sum(chunk.n_bytes for chunk in chunks) > limits.dataset_bytes:
        raise too_large_a_dataset(folder)
    if chunks[0].inferred is not None:
        return chunks[0]  # of a data set that nobody described, which is always one chunk
    of_flow: dict[str, bool] = {}
    for template, is_of_flow in (item for chunk in chunks for item in chunk.of_flow.items()):
        if of_flow.setdefault(template, is_of_flow) != is_of_flow:
            raise _read_both_ways(Path(folder), template)
    names = [name for chunk in chunks for name in chunk.names]
    if len(names) > len(set(names)):
        raise _in_two_chunks(Path(folder), next(n for n, m in Counter(names).items() if m > 1))
    # the files of a chunk are numbered by themselves
    number = (pl.col("file_id").cast(pl.Int64) + pl.lit(i * 2**32) for i in range(len(chunks)))
    runs = sorted((r for chunk in chunks for r in chunk.runs), key=lambda run: run.run_id)
    in_order = (e for chunk in chunks for e in chunk.entries)
    # by folder and name, as paths are: no name has the character that is the first of all
    entries = sorted(in_order, key=lambda entry: entry.path.replace("/", "\0"))
    of_run: dict[str | None, list[Entry]] = defaultdict(list)
    for entry in entries:
        of_run[entry.run_id].append(entry)
    return Share(
        runs,
        sorted((f for chunk in chunks for f in chunk.flows), key=lambda f: (f.run_id, f.flow_id)),
        [run_id for chunk in chunks for run_id in chunk.left_out],
        names,
        entries,
        {r.run_id: of_run.get(r.run_id) or of_run[r.run_id.partition("#")[0]] for r in runs},
        pl.concat(chunk.dates.with_columns(n) for chunk, n in zip(chunks, number, strict=True)),
        dict(sum((Counter(chunk.sides) for chunk in chunks), Counter())),
        sum(chunk.n_files for chunk in chunks),
        sum(chunk.n_bytes for chunk in chunks),
        of_flow,
        [row for chunk in chunks for row in chunk.counters],
        [pair for chunk in chunks for pair in chunk.at_once],
    )


class _Unpickler(pickle.Unpickler):
    """Unpickles what `write_share` writes and nothing else: any other name may run a program."""

    def find_class(self, module: str, name: str) -> type:
        if (module, name) not in WRITTEN:
            raise pickle.UnpicklingError(f"it names {module}.{name}")
        return super().find_class(module, name)


def _read_share(path: str | Path) -> Share:
    try:
        with Path(path).open("rb") as handle:
            return _Unpickler(handle).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, TypeError) as error:
        problem = f"not what evenflow wrote there ({error})"
        raise DataError(problem, path=path, remedy="delete it, and make it again") from error


def _keep_once(share: Share, known: dict[object, Any]) -> Share:
    """Keep equal traits and words of runs and flows once, in `known`; return the share.

    100,000 runs have few; their traits alone would take 500 MB more.
    """

    def once(value: Any) -> Any:
        return known.setdefault(value, value) if isinstance(value, str) else value

    for run in share.runs:
        run.run_id, run.scenario_id = once(run.run_id), once(run.scenario_id)
        run.settings = {name: once(value) for name, value in run.settings.items()}
        run.traits = [known.setdefault((type(t.value), t), t) for t in run.traits]
    share.flows = [Flow(*map(once, flow)) for flow in share.flows]
    return share


def _read_both_ways(folder: Path, template: str) -> DataError:
    problem = f"in '{template}' {{cca}} is that of one flow in some folders, of all flows in others"
    remedy = f"give the two kinds of folders a pattern each, or {AS_ONE}"
    return DataError(problem, path=folder / "dataset.yml", remedy=remedy)


def _in_two_chunks(folder: Path, run_id: str) -> DataError:
    problem = "files of the run are in folders that are read separately"
    remedy = f"put them into one folder, or {AS_ONE}"
    return DataError(problem, path=folder / run_id, remedy=remedy)


def settle_share(
    folder: Path, dataset: Description, by_run: dict[str, list[Row]], share: Share
) -> dict[str, pl.DataFrame]:
    """Settle what depends on all runs of a data set.

    Args:
        folder: the data set.
        dataset: what `read_dataset` returned.
        by_run: the rows of runs.csv, by run.
        share: of all of its chunks.

    Returns:
        The parsed tables `run` and `assumption`.

    Raises:
        DataError: names in dataset.yml or runs.csv that nothing has; a described data set without
            a run.
    """
    refuse_unknown_runs(folder, dataset, by_run, sorted(share.names))
    settle_scenarios(dataset, share.runs, share.files)
    assumptions, files_yaml = list_zones(share.dates), ""
    if share.inferred is not None:
        said = describe_files(share.entries, share.streams, share.rejected, share.hollow)
        assumptions = [*share.inferred, *assumptions, said]
        files_yaml = said.yaml
    assumptions += share.counters
    by_patterns = [joined.Doubt(joined.BY_PATTERNS, pair) for pair in share.at_once]
    assumptions += list_doubts(by_patterns, beside=share.entries)
    left_out = set(share.left_out)
    runs = [run for run in share.runs if run.run_id not in left_out]
    if share.inferred is None and not runs:
        raise no_run(folder, share.entries, share.n_files)
    assumptions += list_assumptions(
        folder.name, dataset, share.entries, runs, share.flows, share.sides, files_yaml, share.spans
    )
    return {
        "run": run_table(runs, dataset),
        "assumption": pl.DataFrame(
            settled(assumptions, dataset.confirmed), schema=ASSUMPTION, orient="row"
        ),
    }


def run_table(runs: Iterable[Run], dataset: Description) -> pl.DataFrame:
    """Return the parsed table `run`."""
    return pl.DataFrame([_run_row(run, dataset) for run in runs], schema=RUN)


def _run_row(run: Run, dataset: Description) -> dict[str, Any]:
    factors = {key: value for key, value in run.settings.items() if key not in RUN}
    return {
        "run_id": run.run_id,
        "scenario_id": run.scenario_id,
        **{key: run.settings.get(key) for key in RUN_KEYS},
        "factors": json.dumps(factors, sort_keys=True),
        "warmup_s": dataset.steady_state.get("warmup_s"),
        "made_by": run.made_by,
        "observed": run.observed,
        "guessed": run.guessed,
    }
