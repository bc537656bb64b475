# Ingest: data/raw/<dataset>/ -> the tables run, flow, sample, tcp_state, queue_sample,
# packet_drop, ledger, assumption; window, weight, flow_metric, run_metric, cell, finding, run_file.
#
# A data set is read in chunks: read_logs reads each log once, and again when one of its chunk has
# changed (upkeep.smk); settle_runs makes of what the chunks leave all that is of all runs together. A
# small data set is one chunk, whose tables are the data set's. A large one has several (config:
# chunks), each in a folder of its own; join_samples puts together their tables with a row a sample,
# which no page waits for. A data set with bad input fails here, and has no tables until it is mended;
# so does one that a paper or a comparison names and that is not there.
import re

from evenflow.table_names import OF_ALL_RUNS, OF_CHUNK, OF_SAMPLES, PUBLIC, SETTLED

# of what is parsed, that which others read
PARSED = ["file", "run", "flow", "arrival"]
# of what samples say: evenflow.metrics.measured, checks.OfSamples, the streams, run_file
MEASURED = ["window", "flow", "run", "found", "extents", "sampled", "stream", "run_file"]
DRAWN = ["points"]  # evenflow.metrics.over_time, for the page
# data sets in several chunks, as a regular expression; it matches none where there are none
IN_CHUNKS = (
    "|".join(re.escape(name) for name in sorted({*DATASETS, *NAMED}) if in_chunks(name)) or "(?!)"
)
WHOLE = rf"(?!(?:{IN_CHUNKS})/)[^/]+"
CHUNK = f"{DERIVED}/{{dataset}}/chunks/{{chunk}}"
MEASURES = {
    "warmup_s": config["steady_state"]["warmup_s"],
    "floor_segments": config["nru"]["floor_segments"],
}
LIMITS = {name: n for name, n in config["limits"].items() if name != "page_rows"}


# in `all` as long as something in data/raw can be no data set, and fails; what it is about is said at
# the end (upkeep.smk)
rule check_folders:
    message:
        f"Looking for files in {RAW} that belong to no data set"
    output:
        f"{PLACE}/checked",
    log:
        "logs/check_folders/all.log",
    conda:
        "../../environment.yml"
    shell:
        f"echo '{RAW} holds something that cannot be a data set' > {{log}}; exit 1"


rule read_logs:
    message:
        "Reading the logs of {wildcards.dataset}"
    input:
        code=modules_of("read_logs"),
        schema=own("schemas/dataset.schema.json"),
        not_read=ancient(f"{places.package()}/formats/not_read.yml"),
        queries=own(*(f"queries/{table}.sql" for table in OF_CHUNK)),
    output:
        **of_chunk(f"{DERIVED}/{{dataset}}"),
    log:
        "logs/read_logs/{dataset}.log",
    wildcard_constraints:
        dataset=WHOLE,
    conda:
        "../../environment.yml"
    threads: dataset_threads
    resources:
        mem_mb=dataset_mb,
    params:
        folder=f"{RAW}/{{dataset}}",
        state=None,
        missing=lambda w: MISSING.get(w.dataset),
        limits=LIMITS,
        settings=measures,
    script:
        "../scripts/read_logs.py"


use rule read_logs as read_chunk with:
    message:
        "Reading the logs of {wildcards.dataset}, chunk {wildcards.chunk}"
    output:
        **of_chunk(CHUNK),
    log:
        "logs/read_chunk/{dataset}/{chunk}.log",
    wildcard_constraints:
        dataset=IN_CHUNKS,
        chunk="[0-9]+",
    threads: 1
    params:
        folder=f"{RAW}/{{dataset}}",
        state=f"{LAID_DOWN}/{{dataset}}/{{chunk}}.json",
        missing=None,
        limits=LIMITS,
        settings=measures,


rule settle_runs:
    message:
        "Computing the metrics of {wildcards.dataset}"
    input:
        **of_chunks(),
        queries=own(*(f"queries/{table}.sql" for table in OF_ALL_RUNS)),
        code=modules_of("settle_runs"),
    output:
        **{table: f"{DERIVED}/{{dataset}}/{table}.parquet" for table in SETTLED},
    log:
        "logs/settle_runs/{dataset}.log",
    wildcard_constraints:
        dataset=WHOLE,
    conda:
        "../../environment.yml"
    threads: sample_threads  # in chunks, too: no other job of the data set runs beside it
    resources:
        mem_mb=dataset_mb,
    params:
        folder=f"{RAW}/{{dataset}}",
        limits=LIMITS,
        weight_from=config["nru"]["weight_from"],
        confidence=config["statistics"]["confidence"],
        stalled_s=config["statistics"]["stalled_s"],
    script:
        "../scripts/settle_runs.py"


# the small tables of chunks are put together in the same job
use rule settle_runs as settle_chunks with:
    input:
        **of_chunks(),
        queries=own(*(f"queries/{table}.sql" for table in [*OF_ALL_RUNS, "flow", "ledger"])),
        code=modules_of("settle_runs"),
    output:
        **{table: f"{DERIVED}/{{dataset}}/{table}.parquet" for table in PUBLIC},
    log:
        "logs/settle_chunks/{dataset}.log",
    wildcard_constraints:
        dataset=IN_CHUNKS,


rule join_samples:
    message:
        "Combining the table {wildcards.table} of {wildcards.dataset}"
    input:
        chunks=lambda w: by_chunk(w.table)(w),
        query=ancient(places.own("queries/{table}.sql")),
        code=modules_of("join_samples"),
    output:
        f"{DERIVED}/{{dataset}}/{{table}}.parquet",
    log:
        "logs/join_samples/{dataset}/{table}.log",
    wildcard_constraints:
        dataset=IN_CHUNKS,
        table="|".join(OF_SAMPLES),
    conda:
        "../../environment.yml"
    threads: sample_threads
    resources:
        mem_mb=dataset_mb,
    script:
        "../scripts/join_samples.py"
