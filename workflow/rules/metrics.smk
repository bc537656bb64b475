# Metrics of a data set: the tables window, weight, flow_metric, run_metric, cell, sensitivity,
# finding.


rule compute_metrics:
    message:
        "Computing the metrics of {wildcards.dataset}"
    input:
        sample=by_part("sample"),
        flow=by_part("flow"),
        run=f"{DERIVED}/{{dataset}}/run.parquet",
        code=modules_of("compute_metrics"),
    output:
        window=f"{DERIVED}/{{dataset}}/window.parquet",
        weight=f"{DERIVED}/{{dataset}}/weight.parquet",
        flow_metric=f"{DERIVED}/{{dataset}}/flow_metric.parquet",
        run_metric=f"{DERIVED}/{{dataset}}/run_metric.parquet",
        cell=f"{DERIVED}/{{dataset}}/cell.parquet",
    log:
        "logs/compute_metrics/{dataset}.log",
    conda:
        "../../environment.yml"
    threads: dataset_threads
    resources:
        mem_mb=dataset_mb,
    params:
        warmup_s=config["steady_state"]["warmup_s"],
        weight_from=config["nru"]["weight_from"],
        floor_segments=config["nru"]["floor_segments"],
        confidence=config["statistics"]["confidence"],
    script:
        "../scripts/compute_metrics.py"


rule compute_sensitivity:
    message:
        "Computing how the metrics of {wildcards.dataset} move with warm-up, floor and weight"
    input:
        sample=by_part("sample"),
        flow=by_part("flow"),
        run=f"{DERIVED}/{{dataset}}/run.parquet",
        window=f"{DERIVED}/{{dataset}}/window.parquet",
        code=modules_of("compute_sensitivity"),
    output:
        f"{DERIVED}/{{dataset}}/sensitivity.parquet",
    log:
        "logs/compute_sensitivity/{dataset}.log",
    priority: 1  # difference surfaces, verdicts and their tables wait for it
    conda:
        "../../environment.yml"
    threads: dataset_threads
    resources:
        mem_mb=dataset_mb,
    params:
        steady_state=config["steady_state"],
        nru=config["nru"],
    script:
        "../scripts/compute_sensitivity.py"


rule compute_finding:
    message:
        "Checking the logs and labels of {wildcards.dataset}"
    input:
        file=by_part("parsed/file"),
        stream=by_part("parsed/stream"),
        summary=by_part("parsed/summary"),
        interval=by_part("parsed/interval"),
        sample=by_part("sample"),
        flow=by_part("flow"),
        run=f"{DERIVED}/{{dataset}}/run.parquet",
        ledger=by_part("ledger"),
        window=f"{DERIVED}/{{dataset}}/window.parquet",
        flow_metric=f"{DERIVED}/{{dataset}}/flow_metric.parquet",
        code=modules_of("compute_finding"),
    output:
        f"{DERIVED}/{{dataset}}/finding.parquet",
    log:
        "logs/compute_finding/{dataset}.log",
    conda:
        "../../environment.yml"
    threads: dataset_threads
    resources:
        mem_mb=dataset_mb,
    params:
        stalled_s=config["statistics"]["stalled_s"],
    script:
        "../scripts/compute_finding.py"
