"""Names of tables that rules, pages and papers treat alike. It imports nothing: rules read it."""

EVENTS = ("queue_sample", "packet_drop", "tcp_state")  # have a time t_s
OF_SAMPLES = ("sample", *EVENTS)  # a row a sample, packet or state: they may be large
# in the order in which they are made: a query may read the tables before its own
OF_CHUNK = ("flow", *OF_SAMPLES, "ledger")  # of each chunk of a data set
OF_ALL_RUNS = ("run", "assumption")
SETTLED = (  # of all runs together
    *OF_ALL_RUNS,
    "window",
    "weight",
    "flow_metric",
    "run_metric",
    "cell",
    "finding",
    "run_file",
)
# every data set has these, whether a report reads them or not
PUBLIC = (*SETTLED, "flow", "ledger")


def companion(path: str) -> str:
    """Return the file with the runs of a table's rows."""
    return f"{path.removesuffix('.parquet')}.runs.parquet"
