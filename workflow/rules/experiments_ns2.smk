# Simulates the runs of data/raw/ns2-dumbbell; docs/ns2.md.
#
# in:  config/experiments_ns2.yaml (grid and settings), experiments/ns2 (the simulation)
# out: data/raw/ns2-dumbbell/<run>/{goodput.log,queue.log,drops.tr}.gz and run.json, one job per run,
#      and a receipt per run, data/derived/experiments/ns2-dumbbell/<run>.done
#
# Never part of `all`: a run's files are not outputs here, so that no rule that reads raw data can
# set off a simulation. A grid asks for the receipts of the runs that have no run.json yet; ask for
# one receipt to make one run.
import experiments.ns2.run

NS2 = config["experiments"]["ns2-dumbbell"]
NS2_RUN = "{role}/{cca1}-{cca2}/rtt{rtt_ms}_opb{buffer_pct}"
NS2_RAW = "data/raw/ns2-dumbbell"
NS2_RECEIPTS = "data/derived/experiments/ns2-dumbbell"

# so that a run whose folder was removed is simulated again
experiments.ns2.run.remove_stale_receipts(NS2_RECEIPTS, NS2_RAW)


# One rule per repeat, as the priority of a rule is a constant: the whole grid once, then again.
for ns2_repeat in range(1, NS2["repeats"] + 1):

    rule:
        name:
            f"run_ns2_dumbbell_r{ns2_repeat}"
        message:
            "ns-2: {wildcards.cca1} against {wildcards.cca2}, RTT {wildcards.rtt_ms} ms,"
            " buffer {wildcards.buffer_pct} % of BDP, repeat {params.repeat}"
        input:
            # a finished run stays valid when the code that made it is edited
            ancient("config/experiments_ns2.yaml"),
            ancient("experiments/ns2/arguments.tcl"),
            ancient("experiments/ns2/dumbbell.tcl"),
            ancient("experiments/ns2/flow_log.tcl"),
            ancient("experiments/ns2/output.py"),
            ancient("experiments/ns2/run.py"),
            ancient("experiments/ns2/scenario.py"),
        output:
            touch(f"{NS2_RECEIPTS}/{NS2_RUN}/r{ns2_repeat}.done"),
        log:
            f"{NS2_RECEIPTS}/{NS2_RUN}/r{ns2_repeat}.log",
        wildcard_constraints:
            role="calibration|comparison",
            cca1=r"\w+",
            cca2=r"\w+",
            rtt_ms=r"[\d.]+",
            buffer_pct=r"[\d.]+",
        priority: NS2["repeats"] - ns2_repeat
        conda:
            "../../environment.yml"
        threads: 1
        resources:
            runtime=minutes(NS2["wall_limit_s"]),
        params:
            raw=NS2_RAW,
            repeat=ns2_repeat,
            settings=" ".join(
                f"--{key.replace('_', '-')} {value}" for key, value in NS2["settings"].items()
            ),
            wall_limit_s=NS2["wall_limit_s"],
        shell:
            "python -m experiments.ns2.run --dataset-dir {params.raw} --role {wildcards.role}"
            " --cca {wildcards.cca1} {wildcards.cca2} --rtt-ms {wildcards.rtt_ms}"
            " --buffer-pct {wildcards.buffer_pct} --repeat {params.repeat} {params.settings}"
            " --wall-limit-s {params.wall_limit_s} > {log} 2>&1"


rule grid_ns2_dumbbell:
    message:
        "ns-2: the grid of config/experiments_ns2.yaml is complete in data/raw/ns2-dumbbell"
    input:
        lambda wildcards: expand(
            f"{NS2_RECEIPTS}/{{run}}.done",
            run=experiments.ns2.run.list_missing(NS2, NS2_RAW),
        ),
