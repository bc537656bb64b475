# Ingest: data/raw/<dataset>/ -> the tables run, flow, sample, tcp_state, queue_sample,
# packet_drop, ledger.
# parse_logs reads every raw file once; each table is one query of workflow/queries/ over the parsed
# tables. A data set with bad input fails here, before any table of it is touched.
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
# table -> what its query reads, besides the parsed tables named parsed_*
QUERIES = {
    "run": ["parsed_run", "parsed_flow"],
    "flow": ["parsed_flow", "parsed_stream"],
    "sample": ["parsed_interval", "parsed_file", "parsed_stream", "flow"],
    "tcp_state": ["parsed_state", "parsed_file", "parsed_stream", "flow"],
    "queue_sample": ["parsed_queue", "parsed_file"],
    "packet_drop": ["parsed_drop", "parsed_file", "parsed_stream"],
    "assumption": ["parsed_assumption"],
    "ledger": ["parsed_file", "parsed_fate", "parsed_rejected"],
}


rule parse_logs:
    message:
        "Parsing the logs of {wildcards.dataset}"
    input:
        code=package(
            "ingest",
            "inventory",
            "infer",
            "assumptions",
            "dataset",
            "flows",
            "files",
            "schema",
            "formats/*",
        ),
        schema="workflow/schemas/dataset.schema.json",
    output:
        update(expand(f"{DERIVED}/{{{{dataset}}}}/parsed/{{table}}.parquet", table=PARSED)),
    log:
        "logs/parse_logs/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        folder="data/raw/{dataset}",
        raw=lambda wildcards: raw_state(wildcards.dataset),  # read again when a file changes
    script:
        "../scripts/parse_logs.py"


rule build_table:
    message:
        "Building the table {wildcards.table} of {wildcards.dataset}"
    input:
        unpack(query_inputs),
        code=package("tables", "files"),
        query="workflow/queries/{table}.sql",
    output:
        f"{DERIVED}/{{dataset}}/{{table}}.parquet",
    log:
        "logs/build_table/{dataset}_{table}.log",
    wildcard_constraints:
        table="|".join(QUERIES),
    conda:
        "../../environment.yml"
    script:
        "../scripts/build_table.py"


# a row a bin: for the data sets whose burstiness a paper needs, on demand
rule build_arrival:
    message:
        "Building the table arrival of {wildcards.dataset}"
    input:
        parsed_arrival=f"{DERIVED}/{{dataset}}/parsed/arrival.parquet",
        parsed_file=f"{DERIVED}/{{dataset}}/parsed/file.parquet",
        code=package("tables", "files", "scripting"),
        query="workflow/queries/arrival.sql",
    output:
        f"{DERIVED}/{{dataset}}/arrival.parquet",
    log:
        "logs/build_arrival/{dataset}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/build_arrival.py"
