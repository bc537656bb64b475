# Small campaigns, one thing varied each: grid.yaml, docs/guides/campaigns.md.
#
#   snakemake --cores 1 grid_small        (or grid_testbed_modern, grid_ns2_fallback, ...)
#
# in:  grid.yaml, experiments/ns2, experiments/testbed; the testbed's kernel (build_kernel.sh), ns-2
# out: data/raw/<dataset>/[<variant>/]<role>/<cca1>-<cca2>/rtt<ms>_opb<pct>/r<n>/, one job a run
#
# Never part of `all`; see experiments/receipts.py.
from experiments.planned import plan
from experiments.receipts import minutes, receipts
from experiments.small.runs import list_runs

SMALL = config["experiments"]["small"]
SMALL_RUNS = list_runs(SMALL)
plan(SMALL_RUNS)
# runs that one command makes, None for all; a number of a nested --config is text
SMALL_MOST = int(SMALL["most"]) if SMALL["most"] else None
SMALL_LIMIT_S = max(d.get("options", {}).get("limit_s", 0) for d in SMALL["datasets"].values())


rule run_small:
    message:
        "Run {wildcards.dataset}/{wildcards.run}"
    output:
        temp(touch("data/derived/experiments/{dataset}/{run}.done")),
    log:
        "logs/run_small/{dataset}/{run}.log",
    wildcard_constraints:
        dataset="|".join(SMALL["datasets"]),
        run=".+/r[0-9]+",
    retries: 1
    conda:
        "../../environment.yml"
    resources:
        runtime=minutes(SMALL_LIMIT_S),
    params:
        command=lambda wildcards: " ".join(SMALL_RUNS[f"{wildcards.dataset}/{wildcards.run}"]),
    shell:
        "python -m {params.command} 2>&1 | tee {log}"


rule grid_small:
    message:
        "The runs of experiments/small/grid.yaml are complete"
    input:
        lambda wildcards: receipts(workflow, SMALL_RUNS, SMALL_MOST),


for small_dataset in SMALL["datasets"]:

    rule:
        name:
            f"grid_{small_dataset.replace('-', '_')}"
        message:
            f"The runs of experiments/small/grid.yaml are complete in data/raw/{small_dataset}"
        input:
            lambda wildcards, start=f"{small_dataset}/": receipts(
                workflow,
                [run for run in SMALL_RUNS if run.startswith(start)],
                SMALL_MOST,
            ),
