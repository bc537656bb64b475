# Burstiness of losses and arrivals, and fairness between round-trip times: the tables arrival, drop_event,
# arrival_cov, burst_metric, burst_sensitivity, fairness_ratio, rtt_exponent, burst_cell and
# burst_correlation of a data set. Made of the data sets of which a paper asks for one of them.
BURSTS = ["arrival", "drop_event", "arrival_cov", "burst_metric", "burst_sensitivity"]
BURSTS += ["fairness_ratio", "rtt_exponent", "burst_cell", "burst_correlation"]


rule compute_burstiness:
    message:
        "Computing the burstiness of {wildcards.dataset}"
    input:
        **{
            table: f"{DERIVED}/{{dataset}}/{table}.parquet"
            for table in (
                "packet_drop",
                "sample",
                "flow",
                "run",
                "window",
                "ledger",
                "flow_metric",
            )
        },
        parsed_arrival=by_chunk("parsed/arrival"),
        parsed_file=by_chunk("parsed/file"),
        query=ancient(places.own("queries/arrival.sql")),
        code=modules_of("compute_burstiness"),
    output:
        **{table: f"{DERIVED}/{{dataset}}/{table}.parquet" for table in BURSTS},
        burst_correlation_runs=f"{DERIVED}/{{dataset}}/burst_correlation.runs.parquet",
    log:
        "logs/compute_burstiness/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        full_queue=config["burstiness"]["full_queue"],
        bin_s=config["burstiness"]["bin_s"],
        gap_s=config["burstiness"]["sensitivity_gap_s"],
        confidence=config["statistics"]["confidence"],
    script:
        "../scripts/compute_burstiness.py"
