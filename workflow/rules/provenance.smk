# Provenance: what each figure, table and number of a report was made from -> the record that its
# page carries and the appendix of both formats. docs/explanation/provenance.md says how, and why so.
#
# in:  the pieces of reports, receipts of the jobs that made them, run_file of data sets
# out: reports/<paper>/provenance.json and provenance.md


rule write_provenance:
    message:
        "Writing the provenance of {wildcards.paper}"
    input:
        qmd=f"{REPORTS}/{{paper}}/index.qmd",
        variables=f"{REPORTS}/{{paper}}/_variables.yml",
        origins=f"{REPORTS}/{{paper}}/_origins.json",
        tables=paper_tables,
        words=ancient(f"{places.package()}/provenance/tables.yml"),
        pieces=report_pieces,
        cells=report_cells,
        run=lambda w: [f"{DERIVED}/{name}/run.parquet" for name in paper_datasets(w.paper)],
        sample=lambda w: [f"{DERIVED}/{name}/sample.parquet" for name in paper_datasets(w.paper)],
        run_file=lambda w: [
            f"{DERIVED}/{name}/run_file.parquet" for name in paper_datasets(w.paper)
        ],
        code=modules_of("write_provenance"),
    output:
        json=f"{REPORTS}/{{paper}}/provenance.json",
        text=f"{REPORTS}/{{paper}}/provenance.md",
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
