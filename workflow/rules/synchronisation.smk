# The report on synchronisation: tables of its data set (burstiness.smk) -> reports/synchronisation/
# _variables.yml, tables/*.md, figures/*.svg. A rule and a script a figure, of one name.
SYNCHRONISATION = "reports/synchronisation"
# what the points of every figure come from
SYNCHRONISATION_POINTS = ["run", "burst_metric", "fairness_ratio", "rtt_exponent", "burst_cell"]
# table of the report -> what it is made of, besides the points
SYNCHRONISATION_TABLES = {
    "data": ["ledger"],
    "sources": ["about"],
    "deviations": ["flow", "about", "authors"],
    "scenarios": [],
    "intervals": [],
    "seeds": [],
    "theory": [],
    "correlations": ["burst_correlation"],
    "gaps": ["burst_sensitivity"],
    "published": ["published"],
    "claims": [],
}
WRITTEN_ABOUT["synchronisation"] = {"simulation": "ns2-synchronisation"}
REPORT_TABLES["synchronisation"] = list(SYNCHRONISATION_TABLES)
REPORT_FIGURES["synchronisation"] = [
    "synchronised-windows",
    "drop-events",
    "fairness-bpdd",
    "fairness-p",
    "fairness-cov",
    "variants-droptail",
    "variants-red",
    "exponents",
    "gap-sensitivity",
    "cov-width",
    "time-above",
]


rule write_synchronisation_variables:
    message:
        "Writing the numbers of synchronisation"
    input:
        unpack(synchronisation_inputs("ledger", "about")),
        code=modules_of("write_synchronisation_variables"),
    output:
        f"{SYNCHRONISATION}/_variables.yml",
    log:
        "logs/write_synchronisation_variables/all.log",
    conda:
        "../../environment.yml"
    params:
        dataset=lambda wildcards: PAPERS["synchronisation"]["simulation"],
        own=lambda wildcards: own_roles("synchronisation"),
        settings={name: config[name] for name in ("statistics", "burstiness")},
    script:
        "../scripts/write_synchronisation_variables.py"


rule write_synchronisation_table:
    message:
        "Writing the table {wildcards.table} of synchronisation"
    input:
        unpack(synchronisation_inputs()),
        code=modules_of("write_synchronisation_table"),
    output:
        f"{SYNCHRONISATION}/tables/{{table}}.md",
    log:
        "logs/write_synchronisation_table/{table}.log",
    wildcard_constraints:
        table="|".join(SYNCHRONISATION_TABLES),
    conda:
        "../../environment.yml"
    params:
        dataset=lambda wildcards: PAPERS["synchronisation"]["simulation"],
        confidence=config["statistics"]["confidence"],
    script:
        "../scripts/write_synchronisation_table.py"


rule draw_synchronised_windows:
    message:
        "Drawing the windows of synchronised flows"
    input:
        code=modules_of("figures/draw_synchronised_windows"),
    output:
        shown(f"{SYNCHRONISATION}/figures/synchronised-windows.svg"),
    log:
        "logs/draw_synchronised_windows/all.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_synchronised_windows.py"


rule draw_drop_events:
    message:
        "Drawing a drop event with bursty and with smooth background"
    input:
        unpack(synchronisation_inputs("drop_event", "arrival", "sample", "packet_drop", "flow")),
        code=modules_of("figures/draw_drop_events"),
    output:
        shown(f"{SYNCHRONISATION}/figures/drop-events.svg"),
    log:
        "logs/draw_drop_events/all.log",
    conda:
        "../../environment.yml"
    params:
        full_queue=config["burstiness"]["full_queue"],
    script:
        "../scripts/figures/draw_drop_events.py"


rule draw_fairness_against:
    message:
        "Drawing the fairness ratio against measures of burstiness"
    input:
        unpack(synchronisation_inputs()),
        code=modules_of("figures/draw_fairness_against"),
    output:
        **{
            measure: shown(f"{SYNCHRONISATION}/figures/fairness-{measure}.svg")
            for measure in ("bpdd", "p", "cov")
        },
    log:
        "logs/draw_fairness_against/all.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_fairness_against.py"


rule draw_variants:
    message:
        "Drawing the fairness ratio of the variants"
    input:
        unpack(synchronisation_inputs()),
        code=modules_of("figures/draw_variants"),
    output:
        droptail=shown(f"{SYNCHRONISATION}/figures/variants-droptail.svg"),
        red=shown(f"{SYNCHRONISATION}/figures/variants-red.svg"),
    log:
        "logs/draw_variants/all.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_variants.py"


rule draw_exponents:
    message:
        "Drawing the exponents of the RTT ratio"
    input:
        unpack(synchronisation_inputs()),
        code=modules_of("figures/draw_exponents"),
    output:
        shown(f"{SYNCHRONISATION}/figures/exponents.svg"),
    log:
        "logs/draw_exponents/all.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_exponents.py"


rule draw_gap_sensitivity:
    message:
        "Drawing how drop events move with the gap"
    input:
        unpack(synchronisation_inputs("burst_sensitivity")),
        code=modules_of("figures/draw_gap_sensitivity"),
    output:
        shown(f"{SYNCHRONISATION}/figures/gap-sensitivity.svg"),
    log:
        "logs/draw_gap_sensitivity/all.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_gap_sensitivity.py"


rule draw_cov_width:
    message:
        "Drawing the CoV of arrivals against the width of bins"
    input:
        unpack(synchronisation_inputs("arrival_cov")),
        code=modules_of("figures/draw_cov_width"),
    output:
        shown(f"{SYNCHRONISATION}/figures/cov-width.svg"),
    log:
        "logs/draw_cov_width/all.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_cov_width.py"


rule draw_time_above:
    message:
        "Drawing how long the queue is nearly full"
    input:
        unpack(synchronisation_inputs("drop_event")),
        code=modules_of("figures/draw_time_above"),
    output:
        shown(f"{SYNCHRONISATION}/figures/time-above.svg"),
    log:
        "logs/draw_time_above/all.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_time_above.py"
