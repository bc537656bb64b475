"""Names of tables that rules, pages and papers treat alike. It imports nothing: rules read it."""

EVENTS = ("queue_sample", "packet_drop", "tcp_state")  # have a time t_s
OF_SAMPLES = ("sample", *EVENTS)  # a row a sample, packet or state: they may be large


def companion(path: str) -> str:
    """Return the file with the runs of a table's rows."""
    return f"{path.removesuffix('.parquet')}.runs.parquet"
