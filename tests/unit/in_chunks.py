"""The tables of a data set, made by the scripts of the workflow in as many chunks as one likes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import polars as pl
from evenflow.files import write_text
from evenflow.ingest.chunks import chunk_folders, described_by, levels_of_chunks
from evenflow.runs.raw_state import about_files, chunk_state, files_by_folder
from evenflow.table_names import OF_ALL_RUNS, OF_CHUNK, OF_SAMPLES, SETTLED
from raw_data import ROOT
from report_scripts import script

# as workflow/rules/ingest.smk has them
PARSED = ["file", "run", "flow", "arrival"]
MEASURED = ["window", "flow", "run", "found", "extents", "sampled", "stream", "run_file"]
DRAWN = ["points"]
SETTINGS = {"warmup_s": 20, "floor_segments": 1, "points": 300}
METRICS = {"limits": {}, "weight_from": "flow2", "confidence": 0.95, "stalled_s": 10}
STEADY = {"sensitivity_warmup_s": [15, 30]}
NRU = {"weight_from": "flow2", "floor_segments": 1, "sensitivity_floor_segments": [0.1, 10]}


def write_states(folder: Path, place: Path, n: int) -> list[Path]:
    """Write the states of the raw files of a data set in n chunks, and return their files."""
    by_folder = files_by_folder(folder)
    description = about_files(folder, described_by(folder))
    found = []
    for k, inside in chunk_folders(by_folder, levels_of_chunks(folder), n).items():
        found.append(place / f"{k:04d}.json")
        write_text(found[-1], chunk_state({name: by_folder[name] for name in inside}, description))
    return found


def queries(tables: list[str]) -> list[str]:
    return [f"{ROOT}/workflow/queries/{name}.sql" for name in tables]


def read_logs(folder: Path, out: Path, state: Path | None = None, **settings: float) -> None:
    """Make the tables of a data set below `out`, or those of a chunk of it."""
    outputs = SimpleNamespace(
        parsed=[f"{out}/parsed/{name}.parquet" for name in PARSED],
        built=[f"{out}/{name}.parquet" for name in OF_CHUNK],
        measured=[f"{out}/measured/{name}.parquet" for name in [*MEASURED, *DRAWN]],
        share=f"{out}/share.pickle",
    )
    settings, place = SETTINGS | settings, str(state) if state else None
    script("read_logs").main(str(folder), place, {}, settings, queries(OF_CHUNK), outputs)


def settle_runs(folder: Path, out: Path, chunks: list[Path], **settings: float | str) -> None:
    """Make the tables of a data set that are of all runs, of what was read of its chunks."""
    one = chunks == [out]
    joined = [] if one else ["flow", "ledger"]
    inputs = {
        f"measured_{name}": [f"{chunk}/measured/{name}.parquet" for chunk in chunks]
        for name in MEASURED
    }
    inputs |= {n: [f"{chunk}/{n}.parquet" for chunk in chunks] for n in ("flow", "ledger")}
    inputs["shares"] = [f"{chunk}/share.pickle" for chunk in chunks]
    inputs["parsed_flow"] = [f"{chunk}/parsed/flow.parquet" for chunk in chunks]
    inputs["queries"] = queries([*OF_ALL_RUNS, *joined])
    outputs = {name: f"{out}/{name}.parquet" for name in [*SETTLED, *joined]}
    script("settle_runs").main(str(folder), inputs, METRICS | settings, outputs)


def make_tables(folder: Path, out: Path, n: int) -> dict[str, bytes]:
    """Make all tables of a data set that is read in n chunks; return their files' contents."""
    chunks = [out]
    if n > 1:
        states = write_states(folder, out / "states", n)
        chunks = [out / "chunks" / state.stem for state in states]
        for state, chunk in zip(states, chunks, strict=True):
            read_logs(folder, chunk, state)
        for name in OF_SAMPLES:
            samples = [f"{chunk}/{name}.parquet" for chunk in chunks]
            script("join_samples").main(samples, *queries([name]), f"{out}/{name}.parquet")
    else:
        read_logs(folder, out)
    settle_runs(folder, out, chunks)
    compute_sensitivity(out, chunks)
    arrivals = [f"{chunk}/parsed/arrival.parquet" for chunk in chunks]
    if any(Path(path).stat().st_size > 4000 for path in arrivals):
        parsed = {"parsed_arrival": arrivals}
        parsed |= {"parsed_file": [f"{chunk}/parsed/file.parquet" for chunk in chunks]}
        query, arrival = queries(["arrival"])[0], f"{out}/arrivals.parquet"
        script("compute_burstiness").write_arrivals(query, parsed, arrival)
    drawn = pl.concat([pl.read_parquet(f"{chunk}/measured/points.parquet") for chunk in chunks])
    drawn.sort("run_id").write_parquet(out / "points.parquet")
    return {path.name: path.read_bytes() for path in sorted(out.glob("*.parquet"))}


def compute_sensitivity(out: Path, chunks: list[Path]) -> None:
    """Make the table sensitivity: of several chunks from what each of them says."""
    for chunk in chunks:
        inputs = {name: f"{chunk}/{name}.parquet" for name in ("sample", "flow")}
        inputs |= {"run": f"{chunk}/parsed/run.parquet"}
        inputs |= {"window": f"{chunk}/measured/window.parquet"}
        if chunks != [out]:
            script("measure_cases").main(inputs, STEADY, NRU, f"{chunk}/measured/case.parquet")
    if chunks != [out]:
        inputs = {"case": [f"{chunk}/measured/case.parquet" for chunk in chunks]}
    inputs |= {"flow": f"{out}/flow.parquet", "of_all": f"{out}/run.parquet"}
    script("compute_sensitivity").main(inputs, STEADY, NRU, f"{out}/sensitivity.parquet")
