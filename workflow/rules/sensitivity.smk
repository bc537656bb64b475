# Sensitivity: how the metrics of runs move with warm-up, NRU floor and weights. Made of the data sets of
# which a paper or a comparison asks for it.


def of_cases(folder):
    """Return what measure_cases reads of a data set, or of a chunk of it."""
    return {
        "sample": f"{folder}/sample.parquet",
        "flow": f"{folder}/flow.parquet",
        "run": f"{folder}/parsed/run.parquet",
        "window": f"{folder}/measured/window.parquet",
    }


rule measure_cases:
    message:
        "Measuring the runs of {wildcards.dataset} with other warm-ups, floors and weights"
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
        "Measuring the runs of {wildcards.dataset} with other warm-ups, chunk {wildcards.chunk}"
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
        "Computing how the metrics of {wildcards.dataset} move with warm-up, floor and weight"
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
