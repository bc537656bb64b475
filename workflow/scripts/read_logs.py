"""Read the logs of a data set, or of a chunk of it: parse, build tables, measure runs.

In one job, as what is parsed need not be written to be read again, and most of the time of each
would be the start of Python. What is of all runs together is left to `settle_runs`, so that a run
more has no other chunk read.
"""

import gc
from pathlib import Path

from evenflow.checks import findings_of_samples
from evenflow.checks.rtts import least_rtts
from evenflow.checks.watching import watching_times
from evenflow.errors import DataError
from evenflow.files import Limits
from evenflow.formats.others import done_without
from evenflow.ingest.chunks import described_by
from evenflow.ingest.parse import parse_chunk
from evenflow.ingest.shares import write_share
from evenflow.metrics.measured import measure_apart
from evenflow.metrics.over_time import OF_SERIES, points_table
from evenflow.metrics.windows import in_window
from evenflow.provenance.run_files import AT_TIME, run_files
from evenflow.runs.raw_state import being_read, folders_of
from evenflow.runs.scripting import reporting_errors
from evenflow.table_names import EVENTS
from evenflow.tables import (
    OF_SAMPLE,
    connected,
    read_table,
    runs_in_turn,
    scan_table,
    write_query,
    write_table,
)

import polars as pl

FROM_LOGS = ("stream", "summary", "interval")  # what the logs say of themselves, for the checks


def main(
    folder: str,
    state: str | None,
    limits: dict[str, float],
    settings: dict[str, float],
    queries: list[str],
    outputs,
) -> None:
    """Read a data set, or the chunk whose state is in the file `state`.

    Args:
        folder: the data set.
        state: the file with the state of the chunk's raw files (`raw_state.chunk_state`), as the
            run laid it down, its stem is the chunk's name; None: all of the data set.
        limits: of raw data.
        settings: warmup_s and floor_segments, which config.yaml explains; points: of a flow, for
            the page (`over_time`).
        queries: of `outputs.built`; each may read the tables before its own.
        outputs: paths that end with the names of their tables: parsed, built and measured
            (`measured`); and share: what depends on all runs.
    """
    laid_down = Path(state).read_text(encoding="utf-8").rstrip("\n") if state else None
    name, inside = (Path(state).stem, folders_of(laid_down)) if state else (None, None)
    with being_read(folder, name, laid_down, lambda: described_by(folder)) as reading:
        parsed, share = parse_chunk(folder, Limits(**limits), inside)
        reading.list_read(parsed["file"]["path"], parsed["file"]["sha256"])
        _write_named(outputs.parsed, parsed)
        built = build(parsed, queries, outputs.built)
        write_share(share, outputs.share)
    said = {name: parsed[name] for name in FROM_LOGS}
    paths, run = parsed["file"].select("file_id", "path"), parsed["run"]
    del parsed, share
    said["stream"] = said["stream"].join(paths, on="file_id")
    _write_named(outputs.measured, measured(built, run, said, settings))


def build(
    parsed: dict[str, pl.DataFrame], queries: list[str], outputs: list[str]
) -> dict[str, str]:
    """Write the result of each query over what was parsed; return {table: path}."""
    tables = {f"parsed_{name}": table for name, table in parsed.items()}
    built = {}
    with connected():
        for query, path in zip(queries, outputs, strict=True):
            write_query(Path(query).read_text(encoding="utf-8"), {}, path, **tables, **built)
            built[Path(path).stem] = path
    return built


def measured(
    built: dict[str, str],
    run: pl.DataFrame,
    said: dict[str, pl.DataFrame],
    settings: dict[str, float],
) -> dict[str, pl.DataFrame]:
    """Return what the samples of the runs say, whatever other runs there are.

    Args:
        built: paths of flow, sample, ledger and EVENTS.
        run: the table, as far as it does not depend on other runs (`parse.parse_chunk`).
        said: FROM_LOGS, stream with the path of its log.
        settings: as for `main`.

    Returns:
        window, flow and run (`measured.measure`), found, extents and sampled (`checks.OfSamples`),
        stream (with the path of its log), run_file, and points (`over_time.points_table`).
    """
    flow, sample, ledger = (read_table(built[name]) for name in ("flow", "sample", "ledger"))
    of_samples = sample.select(OF_SAMPLE)
    found = measure_apart(of_samples, flow, run, settings["warmup_s"], settings["floor_segments"])
    known = {"flow": flow, "sample": sample, "ledger": ledger}
    known |= said | {"run": in_window(run, found["window"])}
    state = scan_table(built["tcp_state"])
    known |= {"least_rtt": least_rtts(sample, state), "watching": watching_times(ledger, state)}
    events = [scan_table(built[name]).select(AT_TIME) for name in EVENTS]
    return {
        **found,
        **findings_of_samples(known)._asdict(),
        "stream": said["stream"],
        "run_file": run_files(ledger, sample, run, found["window"], events),
        "points": points_table(runs_in_turn(built["sample"], OF_SERIES), flow, settings["points"]),
    }


def _write_named(outputs: list[str], tables: dict[str, pl.DataFrame]) -> None:
    for path in outputs:
        write_table(tables[Path(path).stem], path)


if __name__ == "__main__":
    gc.disable()  # hardly an object here is in a cycle; looking for cycles took a sixth of the time
    with reporting_errors(snakemake.log[0], done_without):
        inputs, params = snakemake.input, snakemake.params
        if params.missing:
            raise DataError(**params.missing)
        main(
            params.folder,
            params.state,
            params.limits,
            params.settings,
            inputs.queries,
            snakemake.output,
        )
