# The virtual testbed: its kernel and its self-check; docs/explanation/testbed.md.
#
# in:  experiments/testbed/
# out: the kernel in a cache (build_kernel.sh), data/testbed-selfcheck.json


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
        touch("data/derived/experiments/testbed-selfcheck.done"),
    log:
        "logs/check_testbed.log",
    conda:
        "../../environment.yml"
    resources:
        runtime=120,
    params:
        report="data/testbed-selfcheck.json",
    shell:
        "python -m experiments.testbed.selfcheck {params.report} 2>&1 | tee {log}"
