# Provenance: what each figure, table and number of a report was made from -> the record that its
# page carries and the appendix of both formats. docs/explanation/provenance.md says how, and why so.
#
# in:  the pieces of reports, Snakemake's records of the jobs that made them, run_file of data sets
# out: reports/<paper>/provenance.json and provenance.md


rule compute_run_file:
    message:
        "Listing the raw files and lines behind each run of {wildcards.dataset}"
    input:
        unpack(measured_or("ledger", "run", "window", *OF_SAMPLES, measured=["run_file"])),
        code=modules_of("compute_run_file"),
    output:
        f"{DERIVED}/{{dataset}}/run_file.parquet",
    log:
        "logs/compute_run_file/{dataset}.log",
    conda:
        "../../environment.yml"
    threads: dataset_threads
    resources:
        mem_mb=dataset_mb,
    script:
        "../scripts/compute_run_file.py"


rule trace_lineage:
    message:
        "Tracing what {wildcards.paper} was made from"
    input:
        pieces=report_pieces,
        code=modules_of("trace_lineage"),
    output:
        f"{DERIVED}/papers/{{paper}}/lineage.json",
    log:
        "logs/trace_lineage/{paper}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/trace_lineage.py"


rule write_provenance:
    message:
        "Writing where {wildcards.paper} comes from"
    input:
        lineage=f"{DERIVED}/papers/{{paper}}/lineage.json",
        qmd="reports/{paper}/index.qmd",
        variables="reports/{paper}/_variables.yml",
        origins="reports/{paper}/_origins.json",
        tables=paper_tables,
        words="workflow/evenflow/provenance/tables.yml",
        pieces=report_pieces,
        run=lambda w: [f"{DERIVED}/{name}/run.parquet" for name in paper_datasets(w.paper)],
        sample=lambda w: [f"{DERIVED}/{name}/sample.parquet" for name in paper_datasets(w.paper)],
        run_file=lambda w: [
            f"{DERIVED}/{name}/run_file.parquet" for name in paper_datasets(w.paper)
        ],
        code=modules_of("write_provenance"),
    output:
        json="reports/{paper}/provenance.json",
        text="reports/{paper}/provenance.md",
    log:
        "logs/write_provenance/{paper}.log",
    conda:
        "../../environment.yml"
    params:
        of_part=lambda wildcards: PAPERS[wildcards.paper] | FURTHER[wildcards.paper],
        datasets=lambda wildcards: paper_datasets(wildcards.paper),
        derived=lambda wildcards: DERIVED,
        rules=lambda wildcards: described_rules(wildcards.paper),
        functions=lambda wildcards: paper_functions(wildcards.paper),
        shared=SHARED,
        of_dataset=sorted(OF_DATASET),
        settings={name: config[name] for name in ("steady_state", "nru", "statistics")},
    script:
        "../scripts/write_provenance.py"
