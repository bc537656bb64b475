# Comparisons of two data sets with a grid of RTT and buffer: `comparisons` in config/config.yaml.
#
# in:  tables of both data sets
# out: data/derived/comparisons/<name>/*.parquet and figures/*.svg (an empty file where there is
#      nothing to compare), reports/_site/comparisons/<name>/index.html and tables/
COMPARED = f"{DERIVED}/comparisons/{{comparison}}"
COMPARED_TABLES = ["cell_match", "difference", "verdict_sensitivity"]
COMPARED_FIGURES = ["difference-surfaces", "verdicts"]
COMPARED_SITE = f"{SITE}/comparisons/{{comparison}}"


rule compute_comparison:
    message:
        "Comparing two data sets ({wildcards.comparison})"
    input:
        unpack(of_sides("run", "run_metric", "sensitivity")),
        code=modules_of("compute_comparison"),
    output:
        **{table: f"{COMPARED}/{table}.parquet" for table in COMPARED_TABLES},
    log:
        "logs/compute_comparison/{comparison}.log",
    conda:
        "../../environment.yml"
    params:
        statistics=config["statistics"],
    script:
        "../scripts/compute_comparison.py"


rule draw_comparison:
    message:
        "Drawing the comparison {wildcards.comparison}"
    input:
        difference=f"{COMPARED}/difference.parquet",
        code=modules_of("figures/draw_comparison"),
    output:
        surfaces=shown(f"{COMPARED}/figures/difference-surfaces.svg"),
        verdicts=shown(f"{COMPARED}/figures/verdicts.svg"),
    log:
        "logs/draw_comparison/{comparison}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_comparison.py"


rule publish_comparison:
    message:
        "Publishing the tables of the comparison {wildcards.comparison}"
    input:
        tables=[f"{COMPARED}/{table}.parquet" for table in COMPARED_TABLES],
        code=modules_of("publish_tables"),
    output:
        parquet=[f"{COMPARED_SITE}/tables/{table}.parquet" for table in COMPARED_TABLES],
        csv=[f"{COMPARED_SITE}/tables/{table}.csv" for table in COMPARED_TABLES],
    log:
        "logs/publish_comparison/{comparison}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/publish_tables.py"


rule render_comparison:
    message:
        "Rendering the comparison {wildcards.comparison}"
    input:
        unpack(of_sides("run", "finding", "flow", "window")),
        of_stream=stream_of("of"),
        against_stream=stream_of("against"),
        parquet=[f"{COMPARED_SITE}/tables/{table}.parquet" for table in COMPARED_TABLES],
        csv=[f"{COMPARED_SITE}/tables/{table}.csv" for table in COMPARED_TABLES],
        figures=[f"{COMPARED}/figures/{figure}.svg" for figure in COMPARED_FIGURES],
        vega=f"{DERIVED}/vega.js",
        yml=lambda w: [
            path
            for path in (
                f"{RAW}/{name}/dataset.yml" for name in COMPARISONS[w.comparison].values()
            )
            if Path(path).is_file()
        ],
        theme=own("theme/*"),
        code=modules_of("render_comparison"),
    output:
        html=f"{COMPARED_SITE}/index.html",
    log:
        "logs/render_comparison/{comparison}.log",
    conda:
        "../../environment.yml"
    params:
        sides=lambda w: COMPARISONS[w.comparison],
        raw=str(RAW),
        theme=Path(THEME),
        renderer=lambda w: page_renderer(),
        site=AROUND,
        settings={
            name: config["statistics"][name]
            for name in ("confidence", "equivalence_margin_jfi", "fdr")
        },
    script:
        "../scripts/render_comparison.py"
