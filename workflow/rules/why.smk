# Sections on data sets beside the papers' own (`evidence` in config.yaml): 'Why do ns-2 and the
# testbed differ?' in ns2-vs-testbed, 'Modern questions' in on-path-buffering. They were written
# about our data sets: with others in a paper's roles, or without evidence, they are left out.
#
# in:  tables of the papers' data sets and of those in EVIDENCE, what the papers printed
# out: data/derived/papers/<paper>/{distance,change,share}.parquet and sections.json, figures and
#      tables of the two reports
RUN_TABLES = ("run", "run_metric", "flow_metric")
SECTION_TABLES = {
    "ns2-vs-testbed": ["why-data", "why-summary", "why-ns2", "why-testbed", "why-changes"],
    "on-path-buffering": ["modern-data", "modern-shares", "modern-order"],
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
DISTANCES = [f"{DERIVED}/papers/{name}/distance.parquet" for name in reversed(GRID_PAPERS)]
SECTIONS = [
    paper
    for paper in GRID_PAPERS
    if EVIDENCE and all(name in PAPERS and own_all_roles(name) for name in GRID_PAPERS)
]


for paper in SECTIONS:
    REPORT_TABLES[paper] += SECTION_TABLES[paper]
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


rule write_why_section:
    message:
        "Writing the tables and numbers of why ns-2 and the testbed differ"
    input:
        run=section_runs("ns2-vs-testbed"),
        distance=DISTANCES,
        change=f"{DERIVED}/papers/ns2-vs-testbed/change.parquet",
        code=modules_of("write_why_section"),
    output:
        tables=[f"reports/ns2-vs-testbed/tables/{t}.md" for t in SECTION_TABLES["ns2-vs-testbed"]],
        variables=f"{DERIVED}/papers/ns2-vs-testbed/sections.json",
    log:
        "logs/write_why_section/ns2-vs-testbed.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/write_why_section.py"


rule write_modern_section:
    message:
        "Writing the tables and numbers of flows of today, and exchanged flows"
    input:
        run=section_runs("on-path-buffering"),
        share=f"{DERIVED}/papers/on-path-buffering/share.parquet",
        code=modules_of("write_modern_section"),
    output:
        tables=[
            f"reports/on-path-buffering/tables/{t}.md" for t in SECTION_TABLES["on-path-buffering"]
        ],
        variables=f"{DERIVED}/papers/on-path-buffering/sections.json",
    log:
        "logs/write_modern_section/on-path-buffering.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/write_modern_section.py"


rule draw_why_ranges:
    message:
        "Drawing the printed surfaces beside models"
    input:
        tables=DISTANCES,
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
