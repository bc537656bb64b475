# Metrics of a data set: the tables window, weight, flow_metric, run_metric, cell, sensitivity,
# finding. Of a data set in parts measure_part does for each part all that reads samples, and the
# others compute what is of all runs together from that.
MEASURED = ["window", "flow", "run", "case", "found", "extents", "sampled", "stream", "run_file"]


rule measure_part:
    message:
        "Measuring the runs of {wildcards.dataset}, part {wildcards.part}"
    input:
        **{
            table: f"{PART}/parsed/{table}.parquet"
            for table in ("file", "run", "stream", "summary", "interval")
        },
        **{table: f"{PART}/{table}.parquet" for table in ("flow", "ledger", *OF_SAMPLES)},
        code=modules_of("measure_part"),
    output:
        **{table: f"{PART}/measured/{table}.parquet" for table in MEASURED},
    log:
        "logs/measure_part/{dataset}/{part}.log",
    wildcard_constraints:
        part="[0-9]+",
    conda:
        "../../environment.yml"
    params:
        warmup_s=config["steady_state"]["warmup_s"],
        steady_state=config["steady_state"],
        nru=config["nru"],
    script:
        "../scripts/measure_part.py"


rule compute_metrics:
    message:
        "Computing the metrics of {wildcards.dataset}"
    input:
        unpack(measured_or("sample", measured=["window", "flow", "run"])),
        flow=f"{DERIVED}/{{dataset}}/flow.parquet",
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
        unpack(measured_or("sample", "window", measured=["case"])),
        flow=f"{DERIVED}/{{dataset}}/flow.parquet",
        run=f"{DERIVED}/{{dataset}}/run.parquet",
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
        unpack(
            measured_or(
                "sample",
                *[f"parsed/{table}" for table in ("file", "stream", "summary", "interval")],
                measured=["found", "extents", "sampled", "stream"],
            )
        ),
        flow=f"{DERIVED}/{{dataset}}/flow.parquet",
        run=f"{DERIVED}/{{dataset}}/run.parquet",
        ledger=f"{DERIVED}/{{dataset}}/ledger.parquet",
        window=f"{DERIVED}/{{dataset}}/window.parquet",
        flow_metric=f"{DERIVED}/{{dataset}}/flow_metric.parquet",
        run_metric=f"{DERIVED}/{{dataset}}/run_metric.parquet",
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
