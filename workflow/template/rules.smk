# The report PAPER_NAME: its numbers, tables and figures, from the tables of its data set. Started from
# workflow/template; docs/writing-a-report.md says how it goes on.
if "PAPER_NAME" in PAPERS:
    REPORT_FIGURES["PAPER_NAME"] = ["throughput"]
    REPORT_TABLES["PAPER_NAME"] = ["metrics"]


rule write_PAPER_STEM_variables:
    message:
        "Writing the numbers of PAPER_NAME"
    input:
        unpack(of_paper("PAPER_NAME", "run", "flow_metric")),
        code=modules_of("write_PAPER_STEM_variables"),
    output:
        "reports/PAPER_NAME/_variables.yml",
    log:
        "logs/write_PAPER_STEM_variables/all.log",
    conda:
        "../../../environment.yml"
    params:
        confidence=config["statistics"]["confidence"],
    script:
        "../../scripts/write_PAPER_STEM_variables.py"


rule write_PAPER_STEM_table:
    message:
        "Writing the table of PAPER_NAME"
    input:
        unpack(of_paper("PAPER_NAME", "cell")),
        code=modules_of("write_PAPER_STEM_table"),
    output:
        "reports/PAPER_NAME/tables/metrics.md",
    log:
        "logs/write_PAPER_STEM_table/all.log",
    conda:
        "../../../environment.yml"
    script:
        "../../scripts/write_PAPER_STEM_table.py"


rule draw_PAPER_STEM_throughput:
    message:
        "Drawing the throughput of PAPER_NAME"
    input:
        unpack(of_paper("PAPER_NAME", "run", "flow_metric")),
        code=modules_of("figures/draw_PAPER_STEM_throughput"),
    output:
        "reports/PAPER_NAME/figures/throughput.svg",
    log:
        "logs/draw_PAPER_STEM_throughput/all.log",
    conda:
        "../../../environment.yml"
    script:
        "../../scripts/figures/draw_PAPER_STEM_throughput.py"
