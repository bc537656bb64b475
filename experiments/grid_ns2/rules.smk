# Simulates the papers' grid in ns-2: runs of data/raw/ns2-dumbbell; docs/explanation/ns2.md.
#
#   snakemake --cores 1 grid_ns2_dumbbell
#
# in:  grid.yaml (grid and settings), experiments/ns2 (the simulation)
# out: data/raw/ns2-dumbbell/<run>/{goodput.log,queue.log,drops.tr}.gz and run.json, one job a run
#
# Never part of `all`; see experiments/receipts.py.
from experiments.ns2 import scenario as two_flows
from experiments.planned import plan
from experiments.receipts import minutes, receipts

NS2 = config["experiments"]["ns2-dumbbell"]
NS2_RUN = "ns2-dumbbell/{role}/{cca1}-{cca2}/rtt{rtt_ms}_opb{buffer_pct}"
NS2_RUNS = [
    f"ns2-dumbbell/{two_flows.run_path(case, repeat)}"
    for repeat in range(1, NS2["repeats"] + 1)
    for case in two_flows.list_scenarios(NS2)
]
plan(NS2_RUNS)


# One rule per repeat, as the priority of a rule is a constant: the whole grid once, then again.
for ns2_repeat in range(1, NS2["repeats"] + 1):

    rule:
        name:
            f"run_ns2_dumbbell_r{ns2_repeat}"
        message:
            "ns-2: {wildcards.cca1} against {wildcards.cca2}, RTT {wildcards.rtt_ms} ms,"
            " buffer {wildcards.buffer_pct} % of BDP, repeat {params.repeat}"
        output:
            temp(touch(f"data/derived/experiments/{NS2_RUN}/r{ns2_repeat}.done")),
        log:
            f"logs/run_ns2/{NS2_RUN}/r{ns2_repeat}.log",
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
            repeat=ns2_repeat,
            settings=" ".join(
                f"--{key.replace('_', '-')} {value}" for key, value in NS2["settings"].items()
            ),
            wall_limit_s=NS2["wall_limit_s"],
        shell:
            "python -m experiments.ns2.run --dataset-dir data/raw/ns2-dumbbell --role {wildcards.role}"
            " --cca {wildcards.cca1} {wildcards.cca2} --rtt-ms {wildcards.rtt_ms}"
            " --buffer-pct {wildcards.buffer_pct} --repeat {params.repeat} {params.settings}"
            " --wall-limit-s {params.wall_limit_s} > {log} 2>&1"


rule grid_ns2_dumbbell:
    message:
        "The runs of experiments/grid_ns2/grid.yaml are complete in data/raw/ns2-dumbbell"
    input:
        lambda wildcards: receipts(workflow, NS2_RUNS),
