# Pages of the data sets: the tables of data/derived/<dataset>/ -> one HTML file each, with the tables to
# download beside it. The page's script draws its charts from what is in it.
PUBLISHED = f"{SITE}/datasets/{{dataset}}/tables"
PAGE_TABLES = ["run", "flow", "window", "weight", "flow_metric", "run_metric", "cell", "finding"]
PAGE_TABLES += [table for table in QUERIES if table not in PAGE_TABLES]
SMALL_TABLES = [table for table in PAGE_TABLES if table not in OF_SAMPLES]


rule publish_tables:
    message:
        "Publishing the tables of {wildcards.dataset}"
    input:
        tables=[f"{DERIVED}/{{dataset}}/{table}.parquet" for table in PAGE_TABLES],
        code=modules_of("publish_tables"),
    output:
        **published(PAGE_TABLES),
    log:
        "logs/publish_tables/{dataset}.log",
    wildcard_constraints:
        dataset=NOT_PARTED,
    conda:
        "../../environment.yml"
    resources:
        mem_mb=dataset_mb,
    script:
        "../scripts/publish_tables.py"


use rule publish_tables as publish_small_tables with:
    message:
        "Publishing the small tables of {wildcards.dataset}"
    input:
        tables=[f"{DERIVED}/{{dataset}}/{table}.parquet" for table in SMALL_TABLES],
        code=modules_of("publish_tables"),
    output:
        **published(SMALL_TABLES),
    log:
        "logs/publish_small_tables/{dataset}.log",
    wildcard_constraints:
        dataset=PARTED,


# on demand: `snakemake reports/_site/datasets/<data set>/tables/sample.parquet`
use rule publish_tables as publish_samples with:
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
        dataset=PARTED,
        table="|".join(OF_SAMPLES),


rule render_dataset:
    message:
        "Rendering the page of {wildcards.dataset}"
    input:
        unpack(of_page),
        sample=by_part("sample"),
        stream=by_part("parsed/stream"),
        yml=lambda w: [p for p in [f"{RAW}/{w.dataset}/dataset.yml"] if Path(p).is_file()],
        theme=own("theme/*"),
        code=modules_of("render_dataset"),
    output:
        html=f"{SITE}/datasets/{{dataset}}/index.html",
    log:
        "logs/render_dataset/{dataset}.log",
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
