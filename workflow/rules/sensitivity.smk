# Sensitivity: how the metrics of runs move with warm-up, NRU floor and weights. Made of the data sets of
# which a paper or a comparison asks for it.


rule measure_cases:
    message:
        "Computing the sensitivity of {wildcards.dataset} to warm-up, floor and weight"
    input:
        **of_cases(f"{DERIVED}/{{dataset}}"),
        code=modules_of("measure_cases"),
    output:
        f"{DERIVED}/{{dataset}}/measured/case.parquet",
    log:
        "logs/measure_cases/{dataset}.log",
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
        "../scripts/measure_cases.py"


use rule measure_cases as measure_cases_of_chunk with:
    message:
        "Computing the sensitivity of {wildcards.dataset} to the warm-up, chunk {wildcards.chunk}"
    input:
        **of_cases(CHUNK),
        code=modules_of("measure_cases"),
    output:
        f"{CHUNK}/measured/case.parquet",
    log:
        "logs/measure_cases_of_chunk/{dataset}/{chunk}.log",
    wildcard_constraints:
        dataset=IN_CHUNKS,
        chunk="[0-9]+",
    threads: 1


rule compute_sensitivity:
    message:
        "Summing up the sensitivity of {wildcards.dataset}"
    input:
        case=by_chunk("measured/case"),
        flow=f"{DERIVED}/{{dataset}}/flow.parquet",
        run=f"{DERIVED}/{{dataset}}/run.parquet",
        code=modules_of("compute_sensitivity"),
    output:
        f"{DERIVED}/{{dataset}}/sensitivity.parquet",
    log:
        "logs/compute_sensitivity/{dataset}.log",
    priority: 1
    conda:
        "../../environment.yml"
    threads: dataset_threads
    resources:
        mem_mb=dataset_mb,
    script:
        "../scripts/compute_sensitivity.py"
