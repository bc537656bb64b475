# Reports: derived tables -> variables, tables and figures of each report -> HTML and PDF, and the
# index that leads to them. A report's text is reports/<paper>/index.qmd.
THEME = "reports/_theme"
REPORT_CODE = ("reporting", "phrases", "deviations", "roles", "claims", "published", "surfaces")
REPORT_CODE += ("theme", "tables", "files", "schema", "scripting", "render/pages")
RENDER_CODE = ("render/*", "files", "scripting")
SELFCHECK = "data/testbed-selfcheck.json"
# the data sets that the reports' texts were written about; of others they say only what is computed
WRITTEN_ABOUT = {
    "testbed": "testbed-router",
    "testbed_alternative": "testbed-netem-limit",
    "simulation": "ns2-dumbbell",
}
# table of a report -> what it is made of
TABLE_INPUTS = {
    "datasets": ["run", "flow", "flow_metric", "ledger"],
    "sources": ["run", "about"],
    "deviations": ["run", "flow", "flow_metric", "about", "authors", "surface"],
    "selfcheck": ["selfcheck"],
    "published": ["published"],
    "stalled": ["run", "flow_metric"],
    "sensitivity": ["run", "sensitivity", "surface"],
    "claims": ["surface", "difference"],
    "verdicts": ["run", "difference"],
}
PAPER_FIGURES = {
    "on-path-buffering": ["jfi-range", "time-series", "warmup"],
    "ns2-vs-testbed": ["jfi-range", "time-series", "warmup", "jfi-surfaces"],
}
TESTBED_FIGURES = {
    "on-path-buffering": ["throughput", "flow-nru", "system-nru"],
    "ns2-vs-testbed": ["difference-surfaces", "verdicts"],
}


rule write_variables:
    message:
        "Writing the numbers of {wildcards.paper}"
    input:
        unpack(report_tables),
        code=package(*REPORT_CODE),
    output:
        "reports/{paper}/_variables.yml",
    log:
        "logs/write_variables/{paper}.log",
    conda:
        "../../environment.yml"
    params:
        datasets=lambda wildcards: PAPERS[wildcards.paper],
        own=lambda wildcards: own_roles(wildcards.paper),
        settings={k: config[k] for k in ("steady_state", "nru", "statistics", "example_run")},
    script:
        "../scripts/write_variables.py"


rule write_report_table:
    message:
        "Writing the table {wildcards.table} of {wildcards.paper}"
    input:
        unpack(table_inputs),
        code=package(*REPORT_CODE),
    output:
        "reports/{paper}/tables/{table}.md",
    log:
        "logs/write_report_table/{paper}_{table}.log",
    wildcard_constraints:
        table="|".join(TABLE_INPUTS),
    conda:
        "../../environment.yml"
    params:
        parts=lambda wildcards: list(PAPERS[wildcards.paper]),
        stalled_s=config["statistics"]["stalled_s"],
    script:
        "../scripts/write_report_table.py"


rule render_report:
    message:
        "Rendering {wildcards.paper}"
    input:
        qmd="reports/{paper}/index.qmd",
        project="reports/{paper}/_quarto.yml",
        bibliography="reports/{paper}/refs.bib",
        variables="reports/{paper}/_variables.yml",
        figures=lambda w: [f"reports/{w.paper}/figures/{f}.svg" for f in figures_of(w.paper)],
        tables=lambda w: [f"reports/{w.paper}/tables/{t}.md" for t in tables_of(w.paper)],
        theme=sorted(str(path) for path in Path(THEME).iterdir()),
        code=package(*RENDER_CODE),
    output:
        html=f"{SITE}/{{paper}}/index.html",
        pdf=f"{SITE}/{{paper}}/{{paper}}.pdf",
    log:
        "logs/render_report/{paper}.log",
    conda:
        "../../environment.yml"
    params:
        theme=Path(THEME),
    script:
        "../scripts/render_report.py"


rule render_index:
    message:
        "Rendering the index"
    input:
        qmd=expand("reports/{paper}/index.qmd", paper=PAPERS),
        variables=expand("reports/{paper}/_variables.yml", paper=PAPERS),
        # a report's title and first sentence may come from what it includes
        tables=[f"reports/{paper}/tables/{t}.md" for paper in PAPERS for t in tables_of(paper)],
        yml=expand("data/raw/{dataset}/dataset.yml", dataset=DATASETS),
        theme=sorted(str(path) for path in Path(THEME).iterdir()),
        code=package(*RENDER_CODE),
    output:
        html=f"{SITE}/index.html",
    log:
        "logs/render_index/index.log",
    conda:
        "../../environment.yml"
    params:
        theme=Path(THEME),
        datasets=DATASETS,
    script:
        "../scripts/render_index.py"
