# The papers on the grid of RTT and buffer, two flows a run: on-path-buffering and ns2-vs-testbed.
# Their variables and tables; their figures are in figures.smk, their surfaces in statistics.smk.
GRID_PAPER = "|".join(GRID_PAPERS)
REPORT_CODE = ("reporting", "phrases", "deviations", "roles", "*claim*", "published", "surfaces")
REPORT_CODE += ("theme", "tables", "files", "schema", "scripting", "render/pages")
SELFCHECK = "data/testbed-selfcheck.json"
WRITTEN_ABOUT["on-path-buffering"] = {
    "testbed": "testbed-router",
    "testbed_alternative": "testbed-netem-limit",
}
WRITTEN_ABOUT["ns2-vs-testbed"] = WRITTEN_ABOUT["on-path-buffering"] | {
    "simulation": "ns2-dumbbell"
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
# figures of the paper, and figures of each testbed in it
PAPER_FIGURES = {
    "on-path-buffering": ["jfi-range", "time-series", "warmup"],
    "ns2-vs-testbed": ["jfi-range", "time-series", "warmup", "jfi-surfaces"],
}
TESTBED_FIGURES = {
    "on-path-buffering": ["throughput", "flow-nru", "flow-nru-1", "system-nru"],
    "ns2-vs-testbed": ["difference-surfaces", "verdicts"],
}


def report_tables(wildcards):
    """Map the names of tables to those that a report's numbers come from."""
    roles = PAPERS[wildcards.paper]
    papers = f"{DERIVED}/papers/{wildcards.paper}"
    found = {
        name: [f"{DERIVED}/{dataset}/{name}.parquet" for dataset in roles.values()]
        for name in ("run", "flow", "flow_metric", "ledger", "sensitivity")
    }
    found |= {name: f"{papers}/{name}.parquet" for name in ("surface", "summary", "published")}
    if "simulation" in roles:
        testbeds = [role for role in roles if role != "simulation"]
        found["difference"] = expand(f"{papers}/difference_{{role}}.parquet", role=testbeds)
    if "testbed" in own_roles(wildcards.paper):
        found["selfcheck"] = SELFCHECK
    if wildcards.paper in SECTIONS:
        found["sections"] = f"{papers}/sections.json"
    about = sorted({f"data/raw/{dataset}/dataset.yml" for dataset in roles.values()})
    return found | {"about": [path for path in about if Path(path).is_file()]}


def table_inputs(wildcards):
    """Map the names of tables to those that one table of a report is made of."""
    found = report_tables(wildcards) | {"authors": f"reports/{wildcards.paper}/authors.yml"}
    return {name: found[name] for name in TABLE_INPUTS[wildcards.table] if name in found}


def grid_tables(paper):
    """List the tables of a report on the grid."""
    own, roles = own_roles(paper), PAPERS[paper]
    absent = {"selfcheck"} - ({"selfcheck"} if "testbed" in own else set())
    absent |= set() if "simulation" in roles else {"verdicts"}
    return [table for table in TABLE_INPUTS if table not in absent]


def grid_figures(paper):
    """List the figures of a report: some of the paper, some of each testbed in it."""
    testbeds = [role for role in PAPERS[paper] if role != "simulation"]
    each = [f"{figure}_{role}" for figure in TESTBED_FIGURES[paper] for role in testbeds]
    return [*PAPER_FIGURES[paper], *each]


def compared(wildcards):
    """Return the data sets that a difference surface is of: the simulator's, the testbed's."""
    roles = PAPERS["ns2-vs-testbed"]
    return [roles["simulation"], roles[wildcards.role]]


for grid_paper in sorted(PAPERS.keys() & set(GRID_PAPERS)):
    REPORT_FIGURES[grid_paper] = grid_figures(grid_paper)
    REPORT_TABLES[grid_paper] = grid_tables(grid_paper)


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
        paper=GRID_PAPER,
        table="|".join(TABLE_INPUTS),
    conda:
        "../../environment.yml"
    params:
        parts=lambda wildcards: list(PAPERS[wildcards.paper]),
        stalled_s=config["statistics"]["stalled_s"],
    script:
        "../scripts/write_report_table.py"
