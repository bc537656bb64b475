"""The tables of a data set, made by the scripts of the workflow in as many parts as one likes."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from evenflow.files import write_text
from evenflow.ingest.partitions import described_by, part_folders, parted_by
from evenflow.raw_state import about_files, files_by_folder, part_state
from evenflow.table_names import OF_SAMPLES
from raw_data import ROOT
from report_scripts import script

BUILT = ["run", "flow", "sample", "tcp_state", "queue_sample", "packet_drop", "assumption"]
BUILT += ["ledger"]
OF_ALL_RUNS = ("run", "assumption")
OF_PART = ["file", "run", "flow", "stream", "summary", "interval", "arrival"]
MEASURED = ["window", "flow", "run", "case", "found", "extents", "sampled", "stream", "run_file"]
OF_ALL = ["window", "weight", "flow_metric", "run_metric", "cell"]
METRICS = {"warmup_s": 20, "weight_from": "flow2", "floor_segments": 1, "confidence": 0.95}
STEADY = {"sensitivity_warmup_s": [15, 30]}
NRU = {"weight_from": "flow2", "floor_segments": 1, "sensitivity_floor_segments": [0.1, 10]}


def write_states(folder: Path, place: Path, n: int) -> list[Path]:
    """Write the states of the raw files of a data set that is n parts, and return their files."""
    by_folder = files_by_folder(folder)
    description = about_files(folder, described_by(folder))
    found = []
    for k, inside in part_folders(by_folder, parted_by(folder), n).items():
        found.append(place / f"{k:04d}.json")
        write_text(found[-1], part_state({name: by_folder[name] for name in inside}, description))
    return found


def parse_part(folder: Path, state: Path, out: Path) -> None:
    """Make the tables of one part below `out`."""
    built = [name for name in BUILT if name not in OF_ALL_RUNS]
    outputs = SimpleNamespace(
        parsed=[f"{out}/parsed/{name}.parquet" for name in OF_PART],
        built=[f"{out}/{name}.parquet" for name in built],
        share=f"{out}/share.pickle",
    )
    script("parse_part").main(str(folder), str(state), {}, queries(built), outputs)


def queries(tables: list[str]) -> list[str]:
    return [f"{ROOT}/workflow/queries/{name}.sql" for name in tables]


def make_tables(folder: Path, out: Path, n: int) -> dict[str, bytes]:
    """Make all tables of a data set that is read in n parts; return their files' contents."""
    outputs = [f"{out}/{name}.parquet" for name in BUILT]
    if n == 1:
        parts = [out]
        parsed = [*OF_PART, "assumption", "state", "queue", "drop", "fate", "rejected"]
        parsed = [f"{out}/parsed/{name}.parquet" for name in parsed]
        script("parse_logs").main(str(folder), {}, parsed)
        script("build_tables").main(parsed, queries(BUILT), folder.name, outputs)
    else:
        states = write_states(folder, out / "states", n)
        parts = [out / "parts" / state.stem for state in states]
        for state, part in zip(states, parts, strict=True):
            parse_part(folder, state, part)
        join(folder, parts, outputs)
    inputs = {name: f"{out}/{name}.parquet" for name in (*BUILT, *OF_ALL)}
    if n == 1:
        names = ("file", "stream", "summary", "interval")
        inputs |= {name: f"{out}/parsed/{name}.parquet" for name in names}
    else:
        for part in parts:
            measure(part)
        del inputs["sample"]
        inputs |= {
            f"measured_{name}": [f"{part}/measured/{name}.parquet" for part in parts]
            for name in MEASURED
        }
    script("compute_metrics").main(inputs, METRICS, inputs)
    sensitivity, finding, run_file, arrival = (
        f"{out}/{name}.parquet" for name in ("sensitivity", "finding", "run_file", "arrivals")
    )
    script("compute_sensitivity").main(inputs, STEADY, NRU, sensitivity)
    script("compute_finding").main(inputs, 10, finding)
    script("compute_run_file").main(inputs, run_file)
    arrivals = [f"{part}/parsed/arrival.parquet" for part in parts]
    of_bins = {"parsed_arrival": arrivals}
    of_bins |= {"parsed_file": [f"{part}/parsed/file.parquet" for part in parts]}
    if any(Path(path).stat().st_size > 4000 for path in arrivals):
        script("build_arrival").main(queries(["arrival"])[0], of_bins, arrival)
    return {path.name: path.read_bytes() for path in sorted(out.glob("*.parquet"))}


def join(folder: Path, parts: list[Path], outputs: list[str]) -> None:
    """Put the tables of the parts together."""
    inputs = {name: [f"{part}/{name}.parquet" for part in parts] for name in BUILT}
    inputs["shares"] = [f"{part}/share.pickle" for part in parts]
    inputs["parsed_flow"] = [f"{part}/parsed/flow.parquet" for part in parts]
    joined = [path for path in outputs if Path(path).stem not in OF_SAMPLES]
    inputs["queries"] = queries([Path(path).stem for path in joined])
    script("join_parts").main(str(folder), inputs, {}, joined)
    for path in outputs:
        if Path(path).stem in OF_SAMPLES:
            name = Path(path).stem
            script("join_samples").main(inputs[name], *queries([name]), path)


def measure(part: Path) -> None:
    """Measure the runs of a part."""
    names = ("flow", "ledger", *OF_SAMPLES)
    inputs = {name: f"{part}/{name}.parquet" for name in names}
    names = ("file", "run", "stream", "summary", "interval")
    inputs |= {name: f"{part}/parsed/{name}.parquet" for name in names}
    settings = {"warmup_s": METRICS["warmup_s"], "steady_state": STEADY, "nru": NRU}
    outputs = {name: f"{part}/measured/{name}.parquet" for name in MEASURED}
    script("measure_part").main(inputs, settings, outputs)
