# Ingest: data/raw/<dataset>/ -> the tables run, flow, sample, tcp_state, queue_sample,
# packet_drop, ledger.
# parse_logs reads every raw file once, and again when one has changed (upkeep.smk); build_tables runs the queries of workflow/queries/, one a
# table, over what it parsed. Of a large data set (config: partitions) parse_part does both for each
# part, and join_parts puts together what is not a row a sample; join_samples does that for the rest,
# which nothing but papers and downloads asks for. A data set with bad input fails here, and has no
# tables until it is mended (upkeep.smk).
import re

from evenflow.table_names import OF_SAMPLES

PARSED = [
    "file",
    "run",
    "flow",
    "stream",
    "interval",
    "summary",
    "state",
    "queue",
    "drop",
    "arrival",
    "fate",
    "rejected",
    "assumption",
]
# in the order in which they are made: a query may read the tables before its own
QUERIES = [
    "run",
    "flow",
    "sample",
    "tcp_state",
    "queue_sample",
    "packet_drop",
    "assumption",
    "ledger",
]
# what depends on all runs, so is not made of a part; what others read of that which is parsed
OF_ALL_RUNS = ["run", "assumption"]
OF_PART = ["file", "run", "flow", "stream", "summary", "interval", "arrival"]
# of a data set in parts those of OF_SAMPLES are put together on demand
JOINED = [table for table in QUERIES if table not in OF_SAMPLES]
# data sets that are read in parts, as a regular expression; it matches none where there are none
PARTED = "|".join(re.escape(name) for name in sorted({*DATASETS, *NAMED}) if parts(name)) or "(?!)"
NOT_PARTED = rf"(?!(?:{PARTED})/)[^/]+"
PART = f"{DERIVED}/{{dataset}}/parts/{{part}}"
LIMITS = {name: n for name, n in config["limits"].items() if name != "page_rows"}


# in `all` as long as something in data/raw can be no data set, and fails; what it is about is said at
# the end (upkeep.smk)
rule check_folders:
    message:
        f"Looking for what in {RAW} can be no data set"
    output:
        f"{PLACE}/checked",
    log:
        "logs/check_folders/all.log",
    conda:
        "../../environment.yml"
    shell:
        f"echo '{RAW} holds what can be no data set' > {{log}}; exit 1"


rule parse_logs:
    message:
        "Parsing the logs of {wildcards.dataset}"
    input:
        code=modules_of("parse_logs"),
        schema=own("schemas/dataset.schema.json"),
        not_read=ancient(f"{places.package()}/formats/not_read.yml"),
    output:
        expand(f"{DERIVED}/{{{{dataset}}}}/parsed/{{table}}.parquet", table=PARSED),
    log:
        "logs/parse_logs/{dataset}.log",
    conda:
        "../../environment.yml"
    threads: dataset_threads
    resources:
        mem_mb=dataset_mb,
    params:
        folder=f"{RAW}/{{dataset}}",
        limits=LIMITS,
    script:
        "../scripts/parse_logs.py"


rule parse_part:
    message:
        "Parsing the logs of {wildcards.dataset}, part {wildcards.part}"
    input:
        code=modules_of("parse_part"),
        schema=own("schemas/dataset.schema.json"),
        not_read=ancient(f"{places.package()}/formats/not_read.yml"),
        queries=own(*(f"queries/{t}.sql" for t in QUERIES if t not in OF_ALL_RUNS)),
    output:
        parsed=[f"{PART}/parsed/{table}.parquet" for table in OF_PART],
        built=[f"{PART}/{table}.parquet" for table in QUERIES if table not in OF_ALL_RUNS],
        share=f"{PART}/share.pickle",
    log:
        "logs/parse_part/{dataset}/{part}.log",
    wildcard_constraints:
        part="[0-9]+",
    conda:
        "../../environment.yml"
    params:
        folder=f"{RAW}/{{dataset}}",
        state=f"{LAID_DOWN}/{{dataset}}/{{part}}.json",
        limits=LIMITS,
    script:
        "../scripts/parse_part.py"


rule build_tables:
    message:
        "Building the tables of {wildcards.dataset}"
    input:
        parsed=expand(f"{DERIVED}/{{{{dataset}}}}/parsed/{{table}}.parquet", table=PARSED),
        queries=own(*(f"queries/{t}.sql" for t in QUERIES)),
        code=modules_of("build_tables"),
    output:
        expand(f"{DERIVED}/{{{{dataset}}}}/{{table}}.parquet", table=QUERIES),
    log:
        "logs/build_tables/{dataset}.log",
    wildcard_constraints:
        dataset=NOT_PARTED,
    conda:
        "../../environment.yml"
    threads: dataset_threads
    resources:
        mem_mb=dataset_mb,
    script:
        "../scripts/build_tables.py"


rule join_parts:
    message:
        "Putting together the parts of {wildcards.dataset}"
    input:
        shares=lambda w: [f"{folder}/share.pickle" for folder in parts(w.dataset)],
        parsed_flow=by_part("parsed/flow"),
        flow=by_part("flow"),
        ledger=by_part("ledger"),
        queries=own(*(f"queries/{t}.sql" for t in JOINED)),
        code=modules_of("join_parts"),
    output:
        expand(f"{DERIVED}/{{{{dataset}}}}/{{table}}.parquet", table=JOINED),
    log:
        "logs/join_parts/{dataset}.log",
    wildcard_constraints:
        dataset=PARTED,
    conda:
        "../../environment.yml"
    threads: dataset_threads
    resources:
        mem_mb=dataset_mb,
    params:
        folder=f"{RAW}/{{dataset}}",
        limits=LIMITS,
    script:
        "../scripts/join_parts.py"


rule join_samples:
    message:
        "Putting together the table {wildcards.table} of {wildcards.dataset}"
    input:
        parts=lambda w: by_part(w.table)(w),
        query=ancient(places.own("queries/{table}.sql")),
        code=modules_of("join_samples"),
    output:
        f"{DERIVED}/{{dataset}}/{{table}}.parquet",
    log:
        "logs/join_samples/{dataset}/{table}.log",
    wildcard_constraints:
        dataset=PARTED,
        table="|".join(OF_SAMPLES),
    conda:
        "../../environment.yml"
    threads: sample_threads
    resources:
        mem_mb=dataset_mb,
    script:
        "../scripts/join_samples.py"


# a row a bin: for the data sets whose burstiness a paper needs, on demand
rule build_arrival:
    message:
        "Building the table arrival of {wildcards.dataset}"
    input:
        parsed_arrival=by_part("parsed/arrival"),
        parsed_file=by_part("parsed/file"),
        code=modules_of("build_arrival"),
        query=ancient(places.own("queries/arrival.sql")),
    output:
        f"{DERIVED}/{{dataset}}/arrival.parquet",
    log:
        "logs/build_arrival/{dataset}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/build_arrival.py"
