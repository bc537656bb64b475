# high-speed-fairness: two flows of six congestion controls at 900 Mb/s, in ns-2 and on the testbed.
# The metrics of its two data sets -> the tables of the paper, and the figures, tables and numbers of
# its report. It reads on whatever part of the campaigns there is. config: high_speed.
PAIR_PAPER = "high-speed-fairness"
PAIR_REPORT = f"reports/{PAIR_PAPER}"
PAIR_FOLDER = f"{DERIVED}/papers/{PAIR_PAPER}"
PAIR_TABLES = ["pair_metric", "pair_cell", "rtt_fit", "pair_share"]
PAIR_SELFCHECK = "data/testbed-selfcheck-900mbps.json"
PAIR_FIGURES = ["friendliness", "intra", "rtt-jfi", "rtt-ratio", "inter-bic", "inter-cubic"]
PAIR_FIGURES += ["inter-htcp", "inter-highspeed", "inter-scalable", "shares"]
PAIR_WRITTEN = ["data", "sources", "deviations", "coverage", "published", "fits", "mean-shares"]
PAIR_WRITTEN += ["starved", "platforms", "sensitivity", "verdicts", "claims", "cells", "selfcheck"]
WRITTEN_ABOUT[PAIR_PAPER] = {"testbed": "testbed-high-speed", "simulation": "ns2-high-speed"}
if PAIR_PAPER in PAPERS:
    REPORT_FIGURES[PAIR_PAPER] = [*PAIR_FIGURES, "sender-states"]
    REPORT_TABLES[PAIR_PAPER] = PAIR_WRITTEN


rule compute_pair_cell:
    message:
        "Computing metrics, cells, fits and shares of high-speed-fairness"
    input:
        unpack(of_pairs("run", "flow", "flow_metric", "run_metric")),
        code=modules_of("compute_pair_cell"),
    output:
        **{name: f"{PAIR_FOLDER}/{name}.parquet" for name in PAIR_TABLES},
    log:
        "logs/compute_pair_cell/high-speed-fairness.log",
    conda:
        "../../environment.yml"
    params:
        parts=pair_parts,
        confidence=config["statistics"]["confidence"],
    script:
        "../scripts/compute_pair_cell.py"


rule compute_pair_sensitivity:
    message:
        "Computing how high-speed-fairness moves with the time that is averaged"
    input:
        unpack(of_pairs("run", "flow", "sample", "window")),
        code=modules_of("compute_pair_sensitivity"),
    output:
        f"{PAIR_FOLDER}/pair_sensitivity.parquet",
    log:
        "logs/compute_pair_sensitivity/high-speed-fairness.log",
    conda:
        "../../environment.yml"
    params:
        parts=pair_parts,
    script:
        "../scripts/compute_pair_sensitivity.py"


# on demand: which cells to repeat first (docs/high-speed-fairness.md)
rule compute_deciding_cell:
    message:
        "Listing the cells on which answers of high-speed-fairness hang"
    input:
        pair_cell=f"{PAIR_FOLDER}/pair_cell.parquet",
        code=modules_of("compute_deciding_cell"),
    output:
        f"{PAIR_FOLDER}/deciding_cell.parquet",
    log:
        "logs/compute_deciding_cell/high-speed-fairness.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/compute_deciding_cell.py"


rule draw_pairs:
    message:
        "Drawing Figures 2 to 9 of high-speed-fairness, and the matrix of shares"
    input:
        **{name: f"{PAIR_FOLDER}/{name}.parquet" for name in PAIR_TABLES[1:]},
        code=modules_of("figures/draw_pairs"),
    output:
        [shown(f"{PAIR_REPORT}/figures/{figure}.svg") for figure in PAIR_FIGURES],
    log:
        "logs/draw_pairs/high-speed-fairness.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/figures/draw_pairs.py"


rule draw_sender_states:
    message:
        "Drawing windows, thresholds and RTTs of senders over time"
    input:
        unpack(of_pairs("flow", "sample", "tcp_state")),
        pair_metric=f"{PAIR_FOLDER}/pair_metric.parquet",
        code=modules_of("figures/draw_sender_states"),
    output:
        shown(f"{PAIR_REPORT}/figures/sender-states.svg"),
    log:
        "logs/draw_sender_states/high-speed-fairness.log",
    conda:
        "../../environment.yml"
    params:
        parts=pair_parts,
        examples=config["high_speed"]["examples"],
    script:
        "../scripts/figures/draw_sender_states.py"


rule write_pair_tables:
    message:
        "Writing the tables of high-speed-fairness"
    input:
        unpack(of_pairs("run", "flow", "window", "sample", "tcp_state", "ledger")),
        unpack(pair_inputs),
        published=f"{PAIR_REPORT}/published.csv",
        authors=f"{PAIR_REPORT}/authors.yml",
        code=modules_of("write_pair_tables"),
    output:
        [f"{PAIR_REPORT}/tables/{table}.md" for table in PAIR_WRITTEN],
    log:
        "logs/write_pair_tables/high-speed-fairness.log",
    conda:
        "../../environment.yml"
    params:
        datasets=lambda wildcards: PAPERS[PAIR_PAPER],
        low_share=config["high_speed"]["low_share"],
    script:
        "../scripts/write_pair_tables.py"


rule write_pair_variables:
    message:
        "Writing the numbers of high-speed-fairness"
    input:
        unpack(of_pairs("run", "flow", "ledger")),
        unpack(pair_inputs),
        code=modules_of("write_pair_variables"),
    output:
        f"{PAIR_REPORT}/_variables.yml",
    log:
        "logs/write_pair_variables/high-speed-fairness.log",
    conda:
        "../../environment.yml"
    params:
        datasets=lambda wildcards: PAPERS[PAIR_PAPER],
        own=lambda wildcards: own_roles(PAIR_PAPER),
        settings={name: config[name] for name in ("statistics", "steady_state", "high_speed")},
    script:
        "../scripts/write_pair_variables.py"
