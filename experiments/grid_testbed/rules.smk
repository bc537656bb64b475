# Runs of the virtual testbed over the papers' grid, once for each model of the router.
#
#   snakemake --cores 1 grid_testbed_router        (and grid_testbed_netem_limit)
#
# in:  grid.yaml, experiments/testbed/, the kernel that build_kernel.sh caches
# out: data/raw/<dataset>/<role>/<cca1>-<cca2>/rtt<ms>_opb<pct>/r<n>/{*.log.gz,run.json}, one job a run
#
# Never part of `all`; see experiments/receipts.py.
from pathlib import Path

from experiments.planned import plan
from experiments.receipts import minutes, receipts

TESTBED = config["experiments"]["testbed"]
TESTBED_RUN = "{dataset}/{role}/{cca1}-{cca2}/rtt{rtt_ms}_opb{buffer_pct}/r{repeat}"

TESTBED_RUNS = {
    dataset: [
        TESTBED_RUN.format(
            dataset=dataset,
            role=role,
            cca1=cca1,
            cca2=cca2,
            rtt_ms=rtt,
            buffer_pct=buffer,
            repeat=repeat,
        )
        for repeat in range(1, TESTBED["grid"]["repeats"] + 1)
        for role, pairs in TESTBED["grid"]["pairs"].items()
        for cca1, cca2 in pairs
        for rtt in TESTBED["grid"]["rtt_ms"]
        for buffer in TESTBED["grid"]["buffer_pct"]
    ]
    for dataset in TESTBED["datasets"]
}

for testbed_dataset, testbed_runs in TESTBED_RUNS.items():
    plan(testbed_runs)

    rule:
        name:
            f"grid_{testbed_dataset.replace('-', '_')}"
        message:
            f"The runs of experiments/grid_testbed/grid.yaml are complete in data/raw/{testbed_dataset}"
        input:
            lambda wildcards, runs=testbed_runs: receipts(workflow, runs),


# Earlier repeats first: a campaign that is cut short has every cell.
for repeat in range(1, TESTBED["grid"]["repeats"] + 1):

    rule:
        name:
            f"run_testbed_repeat_{repeat}"
        message:
            "Testbed run {wildcards.dataset} {wildcards.role} {wildcards.cca1}-{wildcards.cca2}, "
            "RTT {wildcards.rtt_ms} ms, OPB {wildcards.buffer_pct} %, repeat {wildcards.repeat}"
        input:
            # checked once, before the first run; its report is published with the runs
            selfcheck=(
                []
                if Path("data/testbed-selfcheck.json").is_file()
                else "data/derived/experiments/testbed-selfcheck.done"
            ),
        output:
            temp(touch(f"data/derived/experiments/{TESTBED_RUN}.done")),
        log:
            f"logs/run_testbed/{TESTBED_RUN}.log",
        wildcard_constraints:
            dataset="|".join(TESTBED["datasets"]),
            role="calibration|comparison",
            cca1="[a-z]+",
            cca2="[a-z]+",
            rtt_ms=r"\d+",
            buffer_pct=r"\d+",
            repeat=str(repeat),
        priority: TESTBED["grid"]["repeats"] - repeat + 1
        retries: 1
        conda:
            "../../environment.yml"
        resources:
            runtime=minutes(TESTBED["limit_s"]),
        params:
            of_dataset=lambda wildcards: " ".join(
                f"--{key.replace('_', '-')} {value}"
                for key, value in TESTBED["datasets"][wildcards.dataset].items()
            ),
            run=f"data/raw/{TESTBED_RUN}",
            grid=TESTBED["grid"],
            limit_s=TESTBED["limit_s"],
        shell:
            "python -m experiments.testbed.run {params.run} {params.of_dataset}"
            " --role {wildcards.role} --cca1 {wildcards.cca1} --cca2 {wildcards.cca2}"
            " --rtt-ms {wildcards.rtt_ms} --buffer-pct {wildcards.buffer_pct}"
            " --repeat {wildcards.repeat} --rate-mbps {params.grid[rate_mbps]}"
            " --duration-s {params.grid[duration_s]} --limit-s {params.limit_s}"
            " 2>&1 | tee {log}"
