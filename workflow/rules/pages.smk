# Pages of the data sets: the tables of data/derived/<dataset>/ -> one HTML file each, with the tables to
# download beside it. The page's script draws its charts from what is in it.
PUBLISHED = f"{SITE}/datasets/{{dataset}}/tables"
PAGE_TABLES = ["run", "flow", "window", "weight", "flow_metric", "run_metric", "cell", "finding"]
PAGE_TABLES += ["sample", "tcp_state", "queue_sample", "packet_drop", "assumption", "ledger"]
SMALL_TABLES = [table for table in PAGE_TABLES if table not in OF_SAMPLES]


rule render_dataset:
    message:
        "Rendering the page of {wildcards.dataset}"
    input:
        **of_page(PAGE_TABLES),
        code=modules_of("render_dataset"),
    output:
        **published(PAGE_TABLES),
        html=f"{SITE}/datasets/{{dataset}}/index.html",
    log:
        "logs/render_dataset/{dataset}.log",
    wildcard_constraints:
        dataset=WHOLE,
    conda:
        "../../environment.yml"
    resources:
        mem_mb=dataset_mb,
    params:
        folder=f"{RAW}/{{dataset}}",
        theme=Path(THEME),
        papers=lambda w: papers_of(w.dataset),
        site=AROUND,
        settings={
            "warmup_s": config["steady_state"]["warmup_s"],
            "confidence": config["statistics"]["confidence"],
            "equivalence_margin_jfi": config["statistics"]["equivalence_margin_jfi"],
            "page_rows": config["limits"]["page_rows"],
        },
    script:
        "../scripts/render_dataset.py"


# of a data set in chunks the tables with a row a sample are put together on demand
use rule render_dataset as render_dataset_in_chunks with:
    input:
        **of_page(SMALL_TABLES),
        code=modules_of("render_dataset"),
    output:
        **published(SMALL_TABLES),
        html=f"{SITE}/datasets/{{dataset}}/index.html",
    log:
        "logs/render_dataset_in_chunks/{dataset}.log",
    wildcard_constraints:
        dataset=IN_CHUNKS,


# on demand: `snakemake reports/_site/datasets/<data set>/tables/sample.parquet`
rule publish_samples:
    message:
        "Publishing the table {wildcards.table} of {wildcards.dataset}"
    input:
        tables=[f"{DERIVED}/{{dataset}}/{{table}}.parquet"],
        code=modules_of("publish_tables"),
    output:
        parquet=[f"{PUBLISHED}/{{table}}.parquet"],
        csv=[f"{PUBLISHED}/{{table}}.csv.gz"],
    log:
        "logs/publish_samples/{dataset}/{table}.log",
    wildcard_constraints:
        dataset=IN_CHUNKS,
        table="|".join(OF_SAMPLES),
    conda:
        "../../environment.yml"
    resources:
        mem_mb=dataset_mb,
    script:
        "../scripts/publish_tables.py"
