# Statistics across data sets: the surfaces of the papers on the grid (grid_papers.smk), what these
# printed beside them, and the difference surfaces of ns2-vs-testbed.


rule compute_surface:
    message:
        "Putting the cells of {wildcards.paper} on the grid of RTT and buffer"
    input:
        cell=of_roles("cell"),
        run=of_roles("run"),
        published="reports/{paper}/published.csv",
        code=modules_of("compute_surface"),
    output:
        surface=f"{DERIVED}/papers/{{paper}}/surface.parquet",
        summary=f"{DERIVED}/papers/{{paper}}/summary.parquet",
        published=f"{DERIVED}/papers/{{paper}}/published.parquet",
    log:
        "logs/compute_surface/{paper}.log",
    wildcard_constraints:
        paper=GRID_PAPER,
    conda:
        "../../environment.yml"
    params:
        roles=lambda wildcards: list(PAPERS[wildcards.paper]),
    script:
        "../scripts/compute_surface.py"


rule compute_difference:
    message:
        "Computing the difference surfaces of ns-2 against {wildcards.role}"
    input:
        simulation_run=lambda w: f"{DERIVED}/{compared(w)[0]}/run.parquet",
        simulation_metric=lambda w: f"{DERIVED}/{compared(w)[0]}/run_metric.parquet",
        simulation_sensitivity=lambda w: f"{DERIVED}/{compared(w)[0]}/sensitivity.parquet",
        testbed_run=lambda w: f"{DERIVED}/{compared(w)[1]}/run.parquet",
        testbed_metric=lambda w: f"{DERIVED}/{compared(w)[1]}/run_metric.parquet",
        testbed_sensitivity=lambda w: f"{DERIVED}/{compared(w)[1]}/sensitivity.parquet",
        surface=f"{DERIVED}/papers/ns2-vs-testbed/surface.parquet",  # of data sets that can play
        code=modules_of("compute_difference"),
    output:
        difference=f"{DERIVED}/papers/ns2-vs-testbed/difference_{{role}}.parquet",
        verdict_sensitivity=f"{DERIVED}/papers/ns2-vs-testbed/verdict_sensitivity_{{role}}.parquet",
    log:
        "logs/compute_difference/{role}.log",
    wildcard_constraints:
        role="testbed|testbed_alternative",
    priority: 1  # figures and tables wait for it
    conda:
        "../../environment.yml"
    params:
        names=lambda wildcards: compared(wildcards),
        statistics=config["statistics"],
    script:
        "../scripts/compute_difference.py"
