# The papers on the grid of RTT and buffer, two flows a run: on-path-buffering and ns2-vs-testbed.
# Their variables and tables; their figures are in figures.smk, their surfaces in statistics.smk.
GRID_PAPER = "|".join(GRID_PAPERS)
SELFCHECK = "data/testbed-selfcheck.json"
WRITTEN_ABOUT["on-path-buffering"] = {
    "testbed": "testbed-router",
    "testbed_alternative": "testbed-netem-limit",
}
WRITTEN_ABOUT["ns2-vs-testbed"] = WRITTEN_ABOUT["on-path-buffering"] | {
    "simulation": "ns2-dumbbell"
}
# tables of a report; of those that compare with a simulator, or check the testbed, some are empty
TABLES = ["datasets", "sources", "deviations", "published", "stalled", "sensitivity", "claims"]
TABLES += ["verdicts", "verdict-sensitivity", "selfcheck"]
# figures of the paper, and figures of each testbed in it
PAPER_FIGURES = {
    "on-path-buffering": ["jfi-range", "time-series", "warmup"],
    "ns2-vs-testbed": ["jfi-range", "time-series", "warmup", "jfi-surfaces"],
}
TESTBED_FIGURES = {
    "on-path-buffering": ["throughput", "flow-nru", "flow-nru-1", "system-nru"],
    "ns2-vs-testbed": ["difference-surfaces", "verdicts"],
}


for grid_paper in sorted(PAPERS.keys() & set(GRID_PAPERS)):
    REPORT_FIGURES[grid_paper] = grid_figures(grid_paper)
    REPORT_TABLES[grid_paper] = list(TABLES)


rule write_variables:
    message:
        "Writing the numbers of {wildcards.paper}"
    input:
        unpack(report_tables),
        code=modules_of("write_variables"),
    output:
        "reports/{paper}/_variables.yml",
    log:
        "logs/write_variables/{paper}.log",
    wildcard_constraints:
        paper=GRID_PAPER,
    conda:
        "../../environment.yml"
    params:
        datasets=lambda wildcards: PAPERS[wildcards.paper],
        own=lambda wildcards: own_roles(wildcards.paper),
        settings={k: config[k] for k in ("steady_state", "nru", "statistics", "example_run")},
    script:
        "../scripts/write_variables.py"


rule write_report_tables:
    message:
        "Writing the tables of {wildcards.paper}"
    input:
        unpack(report_tables),
        authors="reports/{paper}/authors.yml",
        code=modules_of("write_report_tables"),
    output:
        [f"reports/{{paper}}/tables/{table}.md" for table in TABLES],
    log:
        "logs/write_report_tables/{paper}.log",
    wildcard_constraints:
        paper=GRID_PAPER,
    conda:
        "../../environment.yml"
    params:
        datasets=lambda wildcards: PAPERS[wildcards.paper],
        settings={
            "stalled_s": config["statistics"]["stalled_s"],
            "weight_from": config["nru"]["weight_from"],
        },
    script:
        "../scripts/write_report_tables.py"
