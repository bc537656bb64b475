# Experiments: how the raw data of the virtual testbed were made. Never part of `all`.
#
#   snakemake --cores 1 grid_testbed_router        (and grid_testbed_netem_limit)
#
# in:  experiments/testbed/, config/experiments.yaml, the kernel that build_kernel.sh caches
# out: data/raw/<dataset>/<role>/<cca1>-<cca2>/rtt<ms>_opb<pct>/r<n>/{*.log.gz,run.json}
#
# One run is one job. Its files are not outputs here, but a temporary receipt is, so that no rule
# that reads raw data can set off an experiment. A grid asks only for the runs that are not there:
# no edit of code or settings makes a published run again; delete its folder to have it made anew.
from pathlib import Path

TESTBED = config["experiments"]["testbed"]
TESTBED_SELFCHECK = "data/raw/testbed-selfcheck/selfcheck.json"
TESTBED_RUN = "{dataset}/{role}/{cca1}-{cca2}/rtt{rtt_ms}_opb{buffer_pct}/r{repeat}"
TESTBED_RECEIPT = f"data/derived/experiments/{TESTBED_RUN}.done"


def testbed_receipts(dataset):
    """The receipts of the runs of a data set that are not there yet."""
    grid = TESTBED["grid"]
    runs = [
        f"{dataset}/{role}/{cca1}-{cca2}/rtt{rtt}_opb{buffer}/r{repeat}"
        for repeat in range(1, grid["repeats"] + 1)
        for role, pairs in grid["pairs"].items()
        for cca1, cca2 in pairs
        for rtt in grid["rtt_ms"]
        for buffer in grid["buffer_pct"]
    ]
    missing = [run for run in runs if not Path("data/raw", run, "run.json").exists()]
    receipts = [f"data/derived/experiments/{run}.done" for run in missing]
    for receipt in receipts:  # of a run that was made and then removed
        Path(receipt).unlink(missing_ok=True)
    return receipts


rule grid_testbed_router:
    input:
        testbed_receipts("testbed-router"),


rule grid_testbed_netem_limit:
    input:
        testbed_receipts("testbed-netem-limit"),


rule build_testbed_kernel:
    output:
        touch(".snakemake/testbed_kernel.done"),
    message:
        "Build the testbed's kernel and guest tools, unless they are cached"
    shell:
        "experiments/testbed/build_kernel.sh"


rule check_testbed:
    input:
        kernel=ancient(rules.build_testbed_kernel.output),
    output:
        TESTBED_SELFCHECK,
    message:
        "Check the virtual testbed against what is known beforehand"
    shell:
        "python -m experiments.testbed.selfcheck {output}"


# Earlier repeats first: a campaign that is cut short has every cell.
for repeat in range(1, TESTBED["grid"]["repeats"] + 1):

    rule:
        name:
            f"run_testbed_repeat_{repeat}"
        input:
            selfcheck=ancient(TESTBED_SELFCHECK),
        output:
            temp(touch(TESTBED_RECEIPT)),
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
        params:
            of_dataset=lambda wildcards: " ".join(
                f"--{key.replace('_', '-')} {value}"
                for key, value in TESTBED["datasets"][wildcards.dataset].items()
            ),
            run=f"data/raw/{TESTBED_RUN}",
            grid=TESTBED["grid"],
            limit_s=TESTBED["limit_s"],
        message:
            "Testbed run {wildcards.dataset} {wildcards.role} {wildcards.cca1}-{wildcards.cca2}, "
            "RTT {wildcards.rtt_ms} ms, OPB {wildcards.buffer_pct} %, repeat {wildcards.repeat}"
        shell:
            "python -m experiments.testbed.run {params.run} {params.of_dataset}"
            " --role {wildcards.role} --cca1 {wildcards.cca1} --cca2 {wildcards.cca2}"
            " --rtt-ms {wildcards.rtt_ms} --buffer-pct {wildcards.buffer_pct}"
            " --repeat {wildcards.repeat} --rate-mbps {params.grid[rate_mbps]}"
            " --duration-s {params.grid[duration_s]} --limit-s {params.limit_s}"
