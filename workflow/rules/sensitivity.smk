# Sensitivity: how the metrics of runs move with warm-up, NRU floor and weights. Made of the data sets of
# which a paper or a comparison asks for it.


rule compute_sensitivity:
    message:
        "Computing the sensitivity of {wildcards.dataset} to warm-up, floor and weight"
    input:
        **of_cases(f"{DERIVED}/{{dataset}}"),
        of_all=f"{DERIVED}/{{dataset}}/run.parquet",
        code=modules_of("compute_sensitivity"),
    output:
        f"{DERIVED}/{{dataset}}/sensitivity.parquet",
    log:
        "logs/compute_sensitivity/{dataset}.log",
    wildcard_constraints:
        dataset=WHOLE,
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


rule measure_cases:
    message:
        "Computing the sensitivity of {wildcards.dataset} to the warm-up, chunk {wildcards.chunk}"
    input:
        **of_cases(CHUNK),
        code=modules_of("measure_cases"),
    output:
        f"{CHUNK}/measured/case.parquet",
    log:
        "logs/measure_cases/{dataset}/{chunk}.log",
    wildcard_constraints:
        dataset=IN_CHUNKS,
        chunk="[0-9]+",
    priority: 1
    conda:
        "../../environment.yml"
    threads: 1
    resources:
        mem_mb=dataset_mb,
    params:
        steady_state=config["steady_state"],
        nru=config["nru"],
    script:
        "../scripts/measure_cases.py"


use rule compute_sensitivity as sum_up_sensitivity with:
    message:
        "Summing up the sensitivity of {wildcards.dataset}"
    input:
        case=by_chunk("measured/case"),
        flow=f"{DERIVED}/{{dataset}}/flow.parquet",
        of_all=f"{DERIVED}/{{dataset}}/run.parquet",
        code=modules_of("compute_sensitivity"),
    log:
        "logs/sum_up_sensitivity/{dataset}.log",
    wildcard_constraints:
        dataset=IN_CHUNKS,
