# Sections on data sets beside the papers' own (`evidence` in config.yaml): 'Why do ns-2 and the
# testbed differ?' in ns2-vs-testbed, 'Modern questions' in on-path-buffering. They were written
# about our data sets: with others in a paper's roles, or without evidence, they are left out.
#
# in:  tables of the papers' data sets and of those in EVIDENCE, what the papers printed
# out: data/derived/papers/<paper>/{distance,change,share}.parquet and sections.json, figures and
#      tables of the two reports
RUN_TABLES = ("run", "run_metric", "flow_metric")
# table of a section -> what it is made of
SECTION_TABLES = {
    "ns2-vs-testbed": {
        "why-data": "run",
        "why-summary": "distance",
        "why-ns2": "distance",
        "why-testbed": "distance",
        "why-changes": "change",
    },
    "on-path-buffering": {
        "modern-data": "run",
        "modern-shares": "share",
        "modern-order": "share",
    },
}
SECTION_FIGURES = {
    "ns2-vs-testbed": ["why-ranges_ns2", "why-ranges_testbed", "why-changes"],
    "on-path-buffering": ["modern-shares"],
}
# parts of the evidence that a section is about
SECTION_PARTS = {
    "ns2-vs-testbed": ["fallback", "window", "profiles"],
    "on-path-buffering": ["modern", "swapped"],
}
# both papers' distances are in the section of ns2-vs-testbed
SECTIONS = [
    paper
    for paper in GRID_PAPERS
    if EVIDENCE and all(name in PAPERS and own_all_roles(name) for name in GRID_PAPERS)
]


for paper in SECTIONS:
    REPORT_TABLES[paper] += list(SECTION_TABLES[paper])
    REPORT_FIGURES[paper] += SECTION_FIGURES[paper]


rule compute_distance:
    message:
        "Setting models of ns-2 and the testbed beside what {wildcards.paper} printed"
    input:
        cell=of_models("cell"),
        run=of_models("run"),
        published="reports/{paper}/published.csv",
        code=modules_of("compute_distance"),
    output:
        f"{DERIVED}/papers/{{paper}}/distance.parquet",
    log:
        "logs/compute_distance/{paper}.log",
    conda:
        "../../environment.yml"
    params:
        parts=model_parts,
    script:
        "../scripts/compute_distance.py"


rule compute_change:
    message:
        "Setting runs with one thing changed beside the testbed's"
    input:
        base=lambda wildcards: tables_of("testbed", wildcards.paper, *RUN_TABLES),
        changed=lambda wildcards: tables_of("profiles", wildcards.paper, *RUN_TABLES),
        code=modules_of("compute_change"),
    output:
        f"{DERIVED}/papers/{{paper}}/change.parquet",
    log:
        "logs/compute_change/{paper}.log",
    conda:
        "../../environment.yml"
    params:
        confidence=config["statistics"]["confidence"],
    script:
        "../scripts/compute_change.py"


rule compute_share:
    message:
        "Computing how flows of today, and exchanged flows, share"
    input:
        modern=lambda wildcards: tables_of("modern", wildcards.paper, *RUN_TABLES),
        swapped=lambda wildcards: tables_of("swapped", wildcards.paper, *RUN_TABLES),
        testbed=lambda wildcards: tables_of("testbed", wildcards.paper, *RUN_TABLES),
        code=modules_of("compute_share"),
    output:
        f"{DERIVED}/papers/{{paper}}/share.parquet",
    log:
        "logs/compute_share/{paper}.log",
    conda:
        "../../environment.yml"
    params:
        parts=["modern", "swapped", "testbed"],
    script:
        "../scripts/compute_share.py"


rule write_section_variables:
    message:
        "Writing the numbers of a section of {wildcards.paper}"
    input:
        unpack(
            lambda wildcards: {
                kind: section_inputs(wildcards)[kind]
                for kind in set(SECTION_TABLES[wildcards.paper].values()) - {"run"}
            }
        ),
        code=modules_of("write_section_variables"),
    output:
        f"{DERIVED}/papers/{{paper}}/sections.json",
    log:
        "logs/write_section_variables/{paper}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/write_section_variables.py"


rule write_section_table:
    message:
        "Writing the table {wildcards.table} of {wildcards.paper}"
    input:
        tables=lambda w: section_inputs(w)[SECTION_TABLES[w.paper][w.table]],
        code=modules_of("write_section_table"),
    output:
        "reports/{paper}/tables/{table}.md",
    log:
        "logs/write_section_table/{paper}_{table}.log",
    wildcard_constraints:
        table="(why|modern)-[a-z0-9]+",
    conda:
        "../../environment.yml"
    script:
        "../scripts/write_section_table.py"


rule draw_why_ranges:
    message:
        "Drawing the printed surfaces beside models"
    input:
        tables=lambda wildcards: section_inputs(wildcards)["distance"],
        code=modules_of("figures/draw_why_ranges"),
    output:
        [shown(f"{FIGURES}/why-ranges_{platform}.svg") for platform in ("ns2", "testbed")],
    log:
        "logs/draw_why_ranges/{paper}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_why_ranges.py"


rule draw_why_changes:
    message:
        "Drawing Jain's index with one thing changed"
    input:
        tables=f"{DERIVED}/papers/{{paper}}/change.parquet",
        code=modules_of("figures/draw_why_changes"),
    output:
        shown(f"{FIGURES}/why-changes.svg"),
    log:
        "logs/draw_why_changes/{paper}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_why_changes.py"


rule draw_modern_shares:
    message:
        "Drawing the shares of flows of today"
    input:
        tables=f"{DERIVED}/papers/{{paper}}/share.parquet",
        code=modules_of("figures/draw_modern_shares"),
    output:
        shown(f"{FIGURES}/modern-shares.svg"),
    log:
        "logs/draw_modern_shares/{paper}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_modern_shares.py"
