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
TESTBED_SELFCHECK = "data/testbed-selfcheck.json"
TESTBED_CHECKED = "data/derived/experiments/testbed-selfcheck.done"
TESTBED_RUN = "{dataset}/{role}/{cca1}-{cca2}/rtt{rtt_ms}_opb{buffer_pct}/r{repeat}"
TESTBED_RECEIPT = f"data/derived/experiments/{TESTBED_RUN}.done"


rule grid_testbed_router:
    input:
        testbed_receipts("testbed-router"),


rule grid_testbed_netem_limit:
    input:
        testbed_receipts("testbed-netem-limit"),


rule build_testbed_kernel:
    message:
        "Build the testbed's kernel and guest tools, unless they are cached"
    output:
        touch(".snakemake/testbed_kernel.done"),
    log:
        "logs/build_testbed_kernel.log",
    conda:
        "../../environment.yml"
    threads: 2
    resources:
        mem_mb=3000,
    shell:
        "experiments/testbed/build_kernel.sh 2>&1 | tee {log}"


rule check_testbed:
    message:
        "Check the virtual testbed against what is known beforehand"
    input:
        kernel=ancient(rules.build_testbed_kernel.output),
    output:
        touch(TESTBED_CHECKED),
    log:
        "logs/check_testbed.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=120,
    params:
        report=TESTBED_SELFCHECK,
    shell:
        "python -m experiments.testbed.selfcheck {params.report} 2>&1 | tee {log}"


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
            selfcheck=[] if Path(TESTBED_SELFCHECK).is_file() else TESTBED_CHECKED,
        output:
            temp(touch(TESTBED_RECEIPT)),
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
