# Burstiness of losses and arrivals, and fairness between round-trip times: the tables drop_event,
# arrival_cov, burst_metric, burst_sensitivity, fairness_ratio, rtt_exponent, burst_cell,
# burst_correlation of a data set. Made for the data sets of which a report asks for them.


rule compute_drop_event:
    message:
        "Finding the drop events of {wildcards.dataset}"
    input:
        packet_drop=f"{DERIVED}/{{dataset}}/packet_drop.parquet",
        flow=f"{DERIVED}/{{dataset}}/flow.parquet",
        run=f"{DERIVED}/{{dataset}}/run.parquet",
        window=f"{DERIVED}/{{dataset}}/window.parquet",
        arrival=f"{DERIVED}/{{dataset}}/arrival.parquet",
        ledger=f"{DERIVED}/{{dataset}}/ledger.parquet",
        code=modules_of("compute_drop_event"),
    output:
        f"{DERIVED}/{{dataset}}/drop_event.parquet",
    log:
        "logs/compute_drop_event/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        full_queue=config["burstiness"]["full_queue"],
    script:
        "../scripts/compute_drop_event.py"


rule compute_arrival_cov:
    message:
        "Computing the CoV of the arrivals of {wildcards.dataset}"
    input:
        arrival=f"{DERIVED}/{{dataset}}/arrival.parquet",
        window=f"{DERIVED}/{{dataset}}/window.parquet",
        code=modules_of("compute_arrival_cov"),
    output:
        f"{DERIVED}/{{dataset}}/arrival_cov.parquet",
    log:
        "logs/compute_arrival_cov/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        bin_s=config["burstiness"]["bin_s"],
    script:
        "../scripts/compute_arrival_cov.py"


rule compute_burst_metric:
    message:
        "Computing the burstiness of {wildcards.dataset}"
    input:
        drop_event=f"{DERIVED}/{{dataset}}/drop_event.parquet",
        flow=f"{DERIVED}/{{dataset}}/flow.parquet",
        run=f"{DERIVED}/{{dataset}}/run.parquet",
        window=f"{DERIVED}/{{dataset}}/window.parquet",
        arrival=f"{DERIVED}/{{dataset}}/arrival.parquet",
        arrival_cov=f"{DERIVED}/{{dataset}}/arrival_cov.parquet",
        code=modules_of("compute_burst_metric"),
    output:
        f"{DERIVED}/{{dataset}}/burst_metric.parquet",
    log:
        "logs/compute_burst_metric/{dataset}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/compute_burst_metric.py"


rule compute_burst_sensitivity:
    message:
        "Computing how the burstiness of {wildcards.dataset} moves with the gap"
    input:
        packet_drop=f"{DERIVED}/{{dataset}}/packet_drop.parquet",
        flow=f"{DERIVED}/{{dataset}}/flow.parquet",
        window=f"{DERIVED}/{{dataset}}/window.parquet",
        code=modules_of("compute_burst_sensitivity"),
    output:
        f"{DERIVED}/{{dataset}}/burst_sensitivity.parquet",
    log:
        "logs/compute_burst_sensitivity/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        gap_s=config["burstiness"]["sensitivity_gap_s"],
    script:
        "../scripts/compute_burst_sensitivity.py"


rule compute_fairness_ratio:
    message:
        "Computing the fairness ratios of {wildcards.dataset}"
    input:
        sample=f"{DERIVED}/{{dataset}}/sample.parquet",
        flow=f"{DERIVED}/{{dataset}}/flow.parquet",
        run=f"{DERIVED}/{{dataset}}/run.parquet",
        window=f"{DERIVED}/{{dataset}}/window.parquet",
        flow_metric=f"{DERIVED}/{{dataset}}/flow_metric.parquet",
        code=modules_of("compute_fairness_ratio"),
    output:
        fairness_ratio=f"{DERIVED}/{{dataset}}/fairness_ratio.parquet",
        rtt_exponent=f"{DERIVED}/{{dataset}}/rtt_exponent.parquet",
    log:
        "logs/compute_fairness_ratio/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        confidence=config["statistics"]["confidence"],
    script:
        "../scripts/compute_fairness_ratio.py"


rule compute_burst_cell:
    message:
        "Correlating burstiness and fairness of {wildcards.dataset}"
    input:
        burst_metric=f"{DERIVED}/{{dataset}}/burst_metric.parquet",
        fairness_ratio=f"{DERIVED}/{{dataset}}/fairness_ratio.parquet",
        rtt_exponent=f"{DERIVED}/{{dataset}}/rtt_exponent.parquet",
        run=f"{DERIVED}/{{dataset}}/run.parquet",
        code=modules_of("compute_burst_cell"),
    output:
        burst_cell=f"{DERIVED}/{{dataset}}/burst_cell.parquet",
        burst_correlation=f"{DERIVED}/{{dataset}}/burst_correlation.parquet",
    log:
        "logs/compute_burst_cell/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        confidence=config["statistics"]["confidence"],
    script:
        "../scripts/compute_burst_cell.py"
