"""What a run knows of raw files: it looks at each data set once, and lays it down for its jobs.

Raw files are no inputs: Snakemake would look at each several times for every table that is read
from them, and keep all their names: half a minute for the whole grid before the first job starts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..errors import DataError
from .places import PLACE
from .raw_state import (
    DESCRIPTION,
    Files,
    about_files,
    chunk_state,
    contents_now,
    digest,
    files_by_folder,
    inodes,
    of_raw_name,
    read_about,
    short_state,
    size_mb,
)
from .receipts import Raw as Kept

LAID_DOWN = PLACE / "raw"


class Raw(NamedTuple):
    """What is known of the raw files of a data set: MB that they take, {chunk: its state}.

    One that is read in one chunk has the chunk None. Where nobody has looked a state is ''.
    `inodes`: {chunk: digest of those of its files}.
    """

    mb: int
    states: dict[str | None, str]
    inodes: dict[str | None, str]

    @property
    def in_chunks(self) -> bool:
        """Whether it is read in several chunks; else its tables are those of the one."""
        return None not in self.states

    def folders(self, top: str) -> list[str]:
        """List the folders of the tables of the chunks; `top` is that of the data set's tables."""
        return [f"{top}/chunks/{name}" if name else top for name in self.states]


class Ways(NamedTuple):
    """How data sets are read (`ingest`, which imports this room).

    Attributes:
        datasets: returns the names of those that are there.
        cut: returns {chunk: its folders} of a data set, by its folder, what is known of its files
            by folder, and the number of chunks that it had; nothing if it is read in one.
        described_by: returns the files that say what is in the folder of a data set.
        why_not: returns why there is no data set of a name, and the remedy.
    """

    datasets: Callable[[], Iterable[str]]
    cut: Callable[[Path, Mapping[str, Files], int | None], Mapping[int, list[str]]]
    described_by: Callable[[Path], list[str]]
    why_not: Callable[[str], tuple[str, str]]


class RawData:
    """The raw files of a study.

    Args:
        folder: of the data sets.
        derived: folder of the tables that are made.
        ways: how data sets are read.
        of_run: names of the data sets that this run is about; of one that is not there nothing is
            known, and its job says so.
        looks: whether this process looks at files. A job of a cluster does not: it sees what the
            first process of the run has laid down.
    """

    def __init__(
        self, folder: Path, derived: str, ways: Ways, of_run: Iterable[str], looks: bool
    ) -> None:
        self.folder, self.derived, self.ways, self.looks = folder, Path(derived), ways, looks
        self.of_run = {*of_run}
        self._known: dict[str, Raw] = {}

    def of(self, dataset: str) -> Raw:
        """Return what is known of a data set.

        Raises:
            DataError: there is none of this name.
        """
        if dataset not in self._known:
            self._known[dataset] = self._look(dataset)
        return self._known[dataset]

    def _look(self, dataset: str) -> Raw:
        before, folder = read_about(LAID_DOWN / dataset / "about.json"), self.folder / dataset
        if not self.looks:
            return Raw(before["mb"], dict.fromkeys(before["chunks"] or [None], ""), {})
        there = self.ways.datasets()
        if dataset not in there and dataset in self.of_run:  # a paper or a comparison names it
            return Raw(0, {None: ""}, {None: ""})
        if dataset not in there:  # asked for by a page of it
            problem, remedy = self.ways.why_not(dataset)
            raise DataError(problem, path=folder, remedy=remedy)
        files = files_by_folder(folder)
        n_before = len(before.get("chunks", [])) or self._n_made(dataset)
        cut, mb = self.ways.cut(folder, files, n_before or None), size_mb(files)
        if not cut:
            return Raw(mb, {None: digest(files)}, {None: inodes(files)})
        about = about_files(folder, self.ways.described_by(folder))
        inside = {f"{k:04d}": {name: files[name] for name in names} for k, names in cut.items()}
        return Raw(
            mb,
            {chunk: chunk_state(of, about) for chunk, of in inside.items()},
            {chunk: inodes({**of, DESCRIPTION: about}) for chunk, of in inside.items()},
        )

    def _n_made(self, dataset: str) -> int:
        return len([*self.derived.glob(f"{dataset}/chunks/*")])

    def has_chunk(self, dataset: str, chunk: str) -> bool:
        """Say whether a data set has a chunk; so does one that this run does not look at."""
        return dataset not in self.of_run or chunk in self.of(dataset).states

    def now(self, name: str, kept: Kept) -> Kept | None:
        """Return the state of raw files as a receipt has it; None where there are none.

        They are read only if their paths, sizes and times are those that are kept and their inodes
        are not: they are copies, or other files.

        Args:
            name: of the raw files (`raw_state.raw_name`).
            kept: their state in the receipt.
        """
        dataset, chunk = of_raw_name(name)
        if dataset not in self.ways.datasets():
            return None
        raw = self.of(dataset)
        if chunk not in raw.states:
            return None
        state, files = short_state(raw.states[chunk]), raw.inodes[chunk]
        if state != kept[0] or files == kept[1]:
            return [state, files, kept[2]]
        folder = self.folder / dataset
        inside = raw.states[chunk] if raw.in_chunks else None
        described_by = partial(self.ways.described_by, folder)
        return [state, files, contents_now(str(folder), inside, described_by)]

    def laid_down(self) -> dict[Path, str]:
        """Return {file: its text} of what jobs are going to read of it."""
        found = {}
        for dataset in sorted(self.of_run):
            mb, states, _ = self.of(dataset)
            place, chunks = LAID_DOWN / dataset, [name for name in states if name]
            found[place / "about.json"] = json.dumps({"mb": mb, "chunks": chunks}) + "\n"
            found |= {place / f"{name}.json": f"{states[name]}\n" for name in chunks}
        return found
