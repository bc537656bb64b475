# Small campaigns, one thing varied each: config/experiments_small.yaml, docs/experiments.md.
#
#   snakemake --cores 1 grid_small        (or grid_testbed_modern, grid_ns2_fallback, ...)
#
# in:  experiments/, config/experiments_small.yaml; the testbed's kernel (build_kernel.sh), ns-2
# out: data/raw/<dataset>/[<variant>/]<role>/<cca1>-<cca2>/rtt<ms>_opb<pct>/r<n>/, one job per run
#
# Never part of `all`; as in experiments.smk, the output is a temporary receipt, and a grid asks
# only for the runs that are not there.
import experiments.small

SMALL = config["experiments"]["small"]
SMALL_RUNS = experiments.small.list_runs(SMALL)
SMALL_RECEIPT = "data/derived/experiments/{dataset}/{run}.done"
SMALL_LIMIT_S = max(d.get("options", {}).get("limit_s", 0) for d in SMALL["datasets"].values())


rule run_small:
    message:
        "Run {wildcards.dataset}/{wildcards.run}"
    output:
        temp(touch(SMALL_RECEIPT)),
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
    input:
        lambda wildcards: small_receipts(""),


for small_dataset in SMALL["datasets"]:

    rule:
        name:
            f"grid_{small_dataset.replace('-', '_')}"
        input:
            small_receipts(f"{small_dataset}/"),
