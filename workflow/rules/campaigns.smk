# What the rules of campaigns share: the receipts of runs that are not there yet, and their time.


def minutes(limit_s):
    """Return the minutes that a batch system must allow a run which stops itself after a time."""
    return limit_s // 60 + 5


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


def high_speed_receipts(dataset):
    """The receipts of the runs of the 900 Mb/s study that a data set of it does not hold yet."""
    missing = experiments.high_speed.list_missing(HIGH_SPEED, dataset, f"data/raw/{dataset}")
    receipts = [f"data/derived/experiments/{dataset}/{run}.done" for run in missing]
    for receipt in receipts:  # of a run that was made and then removed
        Path(receipt).unlink(missing_ok=True)
    return receipts


def small_receipts(start):
    """The receipts of the runs of the small campaigns that are not there yet, below a folder."""
    missing = [
        run for run in experiments.small.list_missing(SMALL, "data/raw") if run.startswith(start)
    ]
    most = SMALL["most"]  # a number of a nested --config is text
    missing = missing[: int(most) if most else None]
    receipts = [f"data/derived/experiments/{run}.done" for run in missing]
    for receipt in receipts:  # of a run that was made and then removed
        Path(receipt).unlink(missing_ok=True)
    return receipts
