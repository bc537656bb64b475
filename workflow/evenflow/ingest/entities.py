"""What ingest hands from module to module: files, streams, runs, flows, and what was assumed.

A file (`Entry`) and a run are filled in as more becomes known of them, and are one object wherever
they are met; all else is never changed. `settings` stay mappings: besides the keys of dataset.yml
they hold free factors, which somebody's file names name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

# how sure an assumption is: dataset.yml or a record says it; logs do; names do
GIVEN, LOGS_SAY, NAMES_SAY = "given", "from logs", "from names"
# nothing says it: it is what anybody would take; it may well be wrong
DEFAULT, GUESS = "default", "a guess"
# what it is about: what was measured, what was joined or pooled, over which time a mean is
WHAT, JOINED, WINDOW = "what", "joined", "window"


class Pattern(NamedTuple):
    """An entry under `files:` in dataset.yml."""

    path: str  # with placeholders
    format: str | None = None
    value: str | None = None  # of two-column files: what the second column is
    line: int | None = None  # of dataset.yml, where the format stands


@dataclass(frozen=True, slots=True)
class Description:
    """What dataset.yml says of a data set; of a folder that has none its path alone."""

    path: Path  # of dataset.yml
    title: str | None = None
    platform: str | None = None
    source: str | None = None
    licence: str | None = None
    authors: Sequence[str] = ()  # and year and DOI, for those who cite the data
    year: int | None = None
    doi: str | None = None
    hosts: str | None = None
    overview: bool = True
    defaults: dict[str, Any] = field(default_factory=dict)  # settings of every run
    files: Sequence[Pattern] = ()
    # settings of flow 1, 2, ... of every run
    flows: dict[int, dict[str, Any]] = field(default_factory=dict)
    steady_state: dict[str, float] = field(default_factory=dict)
    runs: str | None = None  # the name of the table runs.csv
    exclude: dict[str, str] = field(default_factory=dict)  # runs that do not count, and why
    pool_over: Sequence[str] = ()  # factors that only tell repeats apart
    confirmed: Sequence[str] = ()  # sentences of the page that are known to be so
    on_error: str | None = None  # fail or quarantine
    cca_from: str | None = None  # logs or names: which count where they differ
    # of every key path of dataset.yml, {('exclude', 'run 3'): 7}
    lines: dict[tuple, int] = field(default_factory=dict)


class Row(NamedTuple):
    """What a row of runs.csv says of a run, of one of its flows, or of a file."""

    run: str | None
    flow: int | None
    settings: dict[str, Any]
    line: int


@dataclass(slots=True, eq=False)
class Entry:
    """A file of the inventory, and what became of it."""

    file_id: int  # 0, 1, ... in the order of the paths
    path: str  # in the data set, as `shown_path` writes it
    file: Path  # gone once nothing more is read of it (`shares.write_share`)
    # what it holds
    content: bytes | None = None  # decompressed; None where it is to be read again
    content_bytes: int | None = None
    content_sha256: str | None = None  # decompressed: compressed copies differ in their headers
    bytes: int | None = None  # on the disk
    sha256: str | None = None
    readable: bool = False
    problem: str | None = None  # why it is not read
    format: str | None = None
    # what dataset.yml and runs.csv say of it
    placed: bool = False  # whether they do
    value: str | None = None  # as in `Pattern`
    begins: bool = False  # whether its times are known to be the begins of intervals: `Log`
    declared_line: int | None = None  # of dataset.yml
    # lines of tests beside others that failed before they measured anything; None: not known
    failed_at: Sequence[int] | None = ()
    # what its path says, read by a pattern: of dataset.yml, or inferred
    template: str = ""  # the pattern; '' without one
    values: dict[str, str] = field(default_factory=dict)  # what its placeholders stand for
    settings: dict[str, Any] = field(default_factory=dict)  # of the run or flow; runs.csv's too
    flow_id: int | None = None
    run_id: str | None = None
    scenario_id: str | None = None
    pattern_run: str = ""  # inferred: the run that it is of with its template as pattern
    # inferred: whether the flow's number stands behind a congestion control ('cca') or an end
    # ('end'), where it may count runs as well
    flow_counts: str | None = None
    # inferred: which placeholders are others if what names alone suggest is wrong
    otherwise: dict[str, str] | None = None
    # what its runs have
    found: dict[str, Any] = field(default_factory=dict)  # factors that no name and no row gave
    left_out_runs: dict[str, str] = field(default_factory=dict)  # and why

    @property
    def folder(self) -> str:
        """The folder that the file is in, '' for the data set's own."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """A connection as one log reports it: a row of the parsed table `stream`, and of its log."""

    file_id: int
    stream: int
    line: int
    label: str | None
    episode: int
    side: str | None
    protocol: str | None
    traffic: str | None
    local: str | None
    peer: str | None
    cca: str | None
    mss_bytes: int | None
    start_s: float | None
    start_epoch_s: float | None
    zone: str | None
    planned_s: float | None
    complete: bool | None
    flow_id: int | None
    hops: str | None
    tool_version: str | None
    options: str | None
    clock: str  # flow or run, as its format has it
    path: str  # of the log
    measures: bool  # whether it has reports of bytes, of intervals or of the whole
    end_s: float | None  # of the last of them
    cookie: str | None = None  # iperf3's name of the test, the same at both ends
    n_bytes: int | None = None  # of its intervals
    quoted: bool = False  # whether its log only repeats what the other end's own log here says
    watched_s: float = 0.0  # how long a log of senders' state holds it


class Group(NamedTuple):
    """What belongs to one run: its logs, their streams, and the scenario where a path names it."""

    files: list[Entry]
    streams: list[Stream]
    scenario_id: str | None = None


class Trait(NamedTuple):
    """What may tell the runs of a scenario from those of another."""

    name: str
    value: Any  # None: not known
    shown: bool  # whether run, flow or factors have it anyway
    strict: bool = False  # whether not to be known is another value
    measured: bool = False  # a number that varies a little from repeat to repeat


class Pairing(NamedTuple):
    """How flows that nothing numbers from 1 came to what a name lists ('cubic_vs_bbr')."""

    keys: str  # what the name lists, by commas
    by: str  # what their order is of: BY_START, BY_HOSTS, ...
    hosts: Sequence[str] = ()  # of flow 1, 2, ..., or ports; '' where logs do not say it
    against_log: bool = False  # whether the log that holds them all begins with another flow


BY_START, BY_HOSTS, BY_LOG, BY_NUMBER = "start", "hosts", "log", "number"
# of simulations, in which the start is what a seed may change
BY_NODES, BY_PORTS, BY_TURN = "nodes", "ports", "turn"


@dataclass(slots=True, eq=False)
class Run:
    """A run: its settings, in the units of dataset.yml, and what tells it from others."""

    run_id: str
    scenario_id: str
    settings: dict[str, Any]
    traits: list[Trait]  # the clearest first
    told: bool  # whether anything says that it may be a repeat at all
    made_by: str  # JSON, from its record
    observed: str  # JSON, from its record
    guessed: str = ""  # settings that names give without a word that says so, by commas
    paired: Pairing | None = None  # where only their order pairs flows with what a name lists
    # logs, their flow and the number in their name, where flows are numbered otherwise than names
    misnumbered: Sequence[tuple[str, int, int]] = ()


class Flow(NamedTuple):
    """A flow of a run, in the units of dataset.yml."""

    run_id: str
    flow_id: int
    protocol: str | None
    cca: str | None
    start_s: float | None
    start_from: str  # given, log, clock or assumed
    cross_traffic: bool
    # given, assumed, direction: it goes against the others, or doubtful direction: it may
    cross_from: str
    rtt_ms: float | None
    mss_bytes: int | None
    cca_from: str | None = None  # said, log, or dataset.yml: which of the two counts
    label: str | None = None  # the name that its log has for it
    opposite: bool = False  # cross traffic that goes against the flows that are compared


class Settled(NamedTuple):
    """Which flow of which run a stream turned out to be of; None: of no run."""

    file_id: int
    stream: int
    episode: int
    run_id: str | None
    flow_id: int | None


class Span(NamedTuple):
    """When a run with dates began and ended, s since 1970."""

    start_s: float
    end_s: float
    zone: str | None  # of its dates, where their offset from UTC is not known


class RunRecord(NamedTuple):
    """What the record of a run (run.json) says."""

    run: dict[str, Any]  # settings
    flows: dict[int, dict[str, Any]]  # settings
    made_by: dict[str, Any]
    observed: dict[str, Any]


class Assumption(NamedTuple):
    """A row of the table `assumption`: what was taken for granted, and how to say it better."""

    what: str
    value: str
    because: str
    yaml: str = ""  # lines for dataset.yml
    certainty: str = DEFAULT
    about: str = WHAT
