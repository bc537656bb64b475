"""Checks of files, by the ledger, and of the number of repeats."""

from __future__ import annotations

import polars as pl

from ..confirmed import excluding, ignoring, quoted
from ..files import BROKEN_STREAM
from ..formats import EXCLUDED, HIDDEN, HIDDEN_LOG, NO_TEST, TABLE_OF_RUNS, WITH_ITS_RUN
from ..formats.recognise import OF_FLOWS
from ..formats.two_column import CUT
from ..ingest.ignoring import literal
from ..places import WHERE_DOCS
from ..scalars import scalar
from .finding import findings, many

UNREAD = "flow that is not read"  # the check's name
COARSE = "-f rounded the flow to a digit"  # the ledger's reason for samples of iperf 2
OMITTED = "omitted from the test (-O)"  # the ledger's reason for what iperf3 marks so
# in the column `format` of the ledger: what is no log, or is one of the host and not of a flow
NOT_MEASURING = ["unknown", "doubtful", "empty", "no-file", "metadata", "ignore", "unreadable"]
NOT_MEASURING += ["left-out", "copy", "run-record", "host-state", "hidden"]
EMPTY_LOG = "the log is empty"  # in the reason of one that should hold something
AGAIN = "copy it again from where it was made, or remove its run"
SAVES = (
    "`zcat FILE.gz > FILE` (xzcat of .xz, zstdcat of .zst, bzcat of .bz2) saves what a cut file "
    "still holds, in place of it"
)
COUNTS_TWICE = "it would count twice"  # of totals beside a trace of the same simulation
TWICE = "in it twice"  # in the reason of a log of which some tests are copies

# in the reason of a run that lacks a flow which dataset.yml or runs.csv has
NAMED = "^the run has no log of flow [0-9]+, which line"
SAYS_WHY = "; it says: "  # before a tool's own words in the reason for which a log is left out
FAILED = r"(\d+ of its \d+ tests failed(?:: [^;]*)?)"  # in the reason of a log of several tests


def unreadable_files(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find files that could not be read, and logs that are empty."""
    rows = ledger.filter(entry="file", format="unreadable")
    reason = pl.col("reason").fill_null("unknown reason")
    empty = reason.str.contains(EMPTY_LOG, literal=True)
    broken = reason.str.contains(BROKEN_STREAM, literal=True)
    cannot = pl.format("the file cannot be read: {}", reason)
    found = []
    for which, message, remedy in (
        (broken, cannot, f"{AGAIN}; {SAVES}"),
        (~empty & ~broken, cannot, f"make it readable (chmod u+r), {AGAIN}"),
        (empty, reason, "measure the run of an empty log again"),
    ):
        found.append(findings(rows.filter(which), "unreadable file", "error", message, remedy))
    return pl.concat(found)


def unknown_files(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find files that are no log of a known format.

    A warning where one is what another tool measured of flows, beside logs that are read: shares
    and indices are of the other flows alone. Another one where it may be the table of the runs.
    """
    files = ledger.filter(entry="file")
    folder = pl.col("path").str.extract(r"^(.*)/").fill_null("")
    beside = files.filter(pl.col("run_id").is_not_null(), pl.col("lines_sample") > 0)
    of_flows = pl.col("reason").str.contains(OF_FLOWS, literal=True).fill_null(False)
    missing = of_flows & folder.is_in(
        beside.select(folder).to_series().unique(maintain_order=True).to_list()
    )
    rows = files.filter(format="unknown")
    of_runs = pl.col("reason").str.contains(TABLE_OF_RUNS, literal=True).fill_null(False)
    tables, rows = rows.filter(of_runs), rows.filter(~of_runs)
    tables = tables.with_columns(
        yaml=pl.lit("runs: ") + pl.col("path").map_elements(quoted, return_dtype=pl.String)
    )
    read_it = (
        "name it in dataset.yml (docs/guides/adding-data.md says which columns it may have; "
        f"{WHERE_DOCS}), so that runs of other settings are not taken as repeats; "
        "if it holds results, name it under `files` with `format: ignore`"
    )
    of_runs_table = findings(
        tables, "table of runs that is not read", "warning", pl.col("reason"), read_it
    )
    remedy = (
        "nothing to do if it is not a log; otherwise see docs/reference/formats.md for what can be "
        f"read ({WHERE_DOCS}), and name the format under files: in dataset.yml"
    )
    message = pl.col("reason").fill_null("no log of a known format")
    unknown = findings(rows.filter(~missing), "unknown file", "note", message, remedy)
    message = pl.format(
        "{}. If it is of a run whose other logs are read, shares and indices lack its flow, unless "
        "another log here is of the same flow",
        message,
    )
    remedy = (
        "do what the message says, and replace the file; nothing to do if its flow ran by itself "
        "or has another log here"
    )
    found = [of_runs_table, unknown]
    return pl.concat([*found, findings(rows.filter(missing), UNREAD, "warning", message, remedy)])


def hidden_logs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find logs in hidden files or folders, except copies of files that are read."""
    files = ledger.filter(entry="file")
    logs = pl.col("reason").str.contains(HIDDEN_LOG, literal=True).fill_null(False)
    rows = files.filter(pl.col("format") == HIDDEN, logs).join(
        files.filter(pl.col("format") != HIDDEN), on="content_sha256", how="anti"
    )
    remedy = (
        "rename the file or folder, so that its name does not begin with a full stop, if the log "
        "is to be read; else nothing"
    )
    message = pl.col("reason")
    return findings(rows.sort("path"), "hidden log", "warning", message, remedy)


def doubtful_logs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find files that begin as a log and are mostly something else."""
    rows = ledger.filter(entry="file", format="doubtful")
    remedy = (
        "nothing to do if it only quotes a log; otherwise cut out what is not the tool's, or "
        "name its format under files: in dataset.yml"
    )
    message = pl.format("not read: {}", pl.col("reason"))
    return findings(rows, "doubtful log", "warning", message, remedy)


def no_files(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find links that lead nowhere or to folders, pipes, sockets and devices."""
    rows = ledger.filter(entry="file", format="no-file")
    remedy = "put the file itself there if it is a log"
    message = pl.format("not read: {}", pl.col("reason").fill_null("no file"))
    return findings(rows, "no file", "warning", message, remedy)


def empty_files(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find files that hold nothing and are no logs by their names, a row a reason."""
    rows = (
        ledger.filter(entry="file", format="empty")
        .sort("path")
        .group_by("reason", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("path").alias("paths"), pl.col("path").first())
        .with_columns(yaml=_ignoring())
    )
    message = pl.format("{}{}", pl.col("reason").fill_null("the file is empty"), _others(""))
    remedy = "nothing to do if nothing was meant to be written to it"
    return findings(rows, "empty file", "note", message, remedy)


def idle_logs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find logs that hold no sample: a connection that failed, a test that never began."""
    rows = ledger.filter(
        pl.col("entry") == "file",
        ~pl.col("format").is_in(NOT_MEASURING),
        pl.col("lines_sample") == 0,
        pl.col("run_id").is_null(),
    )
    message = pl.format("the log measures nothing: {}", pl.col("reason").fill_null("no report"))
    remedy = "nothing to do if the test failed; its lines are in the ledger"
    return findings(rows, "log without a flow", "note", message, remedy)


def left_out_runs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find runs that were left out, a row a run; and logs of no run that were.

    Of logs of one folder that are left out for one reason, the first is named, with their number.
    """
    rows = (
        ledger.filter(entry="file", format="left-out")
        .sort("path")
        .with_columns(what=pl.coalesce(pl.format("run {}", "run_id"), pl.format("log {}", "path")))
        .unique("what", keep="first", maintain_order=True)
    )
    said = pl.col("reason").fill_null("unknown reason")
    reason, itself = said.str.strip_prefix(WITH_ITS_RUN), ~said.str.starts_with(WITH_ITS_RUN)
    alone = pl.col("run_id").is_null()
    itself &= alone
    says_why = reason.str.contains(SAYS_WHY, literal=True)
    failed = itself & (says_why | reason.str.starts_with(NO_TEST))
    complete = "complete the run and ingest again; until then it is in the ledger only"
    again = "measure it again with reports of intervals (-i 1); nothing to do if the test failed"
    sums = reason.str.contains("[SUM]", literal=True)
    whole = "restore the log with the rows of its flows ([  3], [  4]), or measure it again"
    named = ~alone & reason.str.contains(NAMED)
    correct = "correct the number of the flow in that line if it is wrong; else complete the run "
    correct += "and ingest again; until then it is in the ledger only"
    excluded = reason.str.starts_with(EXCLUDED)
    back = "none; take the run out of `exclude` in dataset.yml, and it counts again"
    parts = [
        (excluded, "run excluded", "note", "run", back),
        (named, "run left out", "error", "run", correct),
        (~alone & ~excluded & ~named, "run left out", "error", "run", complete),
        (alone & ~itself, "log left out", "error", "log", complete),
        (itself & ~failed & ~sums, "log left out", "error", "log", again),
        (itself & ~failed & sums, "log left out", "error", "log", whole),
        (
            failed,
            "failed test",
            "warning",
            "log",
            "nothing to do if the test failed; otherwise measure it again",
        ),
    ]
    folder = pl.col("path").str.extract(r"^(.*)/").fill_null("")
    rows = rows.with_columns(folder=folder)
    alike = ["folder", "reason", "run_id"]
    rows = rows.group_by(alike, maintain_order=True).agg(
        pl.col("path").alias("paths"), pl.len().alias("n"), pl.all().exclude(alike).first()
    )
    without = pl.struct("run_id", reason).map_elements(_excluding, return_dtype=pl.String)
    taken = _left_out_with(ledger)
    rows = rows.with_columns(
        pl.col("paths").map_elements(
            lambda paths: [*paths, *(other for path in paths for other in taken.get(path, []))],
            return_dtype=pl.List(pl.String),
        )
    )
    rows = rows.with_columns(yaml=pl.when(alone).then(_ignoring()).otherwise(without))
    others = _others(" of its folder")
    found = []
    for which, check, severity, what, remedy in parts:
        message = pl.format("the {} is left out: {}{}", pl.lit(what), reason, others)
        found.append(findings(rows.filter(which), check, severity, message, remedy))
    return pl.concat(found)


def _left_out_with(ledger: pl.DataFrame) -> dict[str, list[str]]:
    """Return the logs that are left out with the run of a log that is, by the path of that log.

    To ignore that log alone would leave a run that lacks its flow.
    """
    left_out = ledger.filter(entry="file", format="left-out").drop_nulls("reason").sort("path")
    found: dict[str, list[str]] = {}
    for path, reason in left_out.select("path", "reason").iter_rows():
        if reason.startswith(WITH_ITS_RUN):
            broken = reason.removeprefix(WITH_ITS_RUN).partition(": ")[0]
            found.setdefault(broken, []).append(path)
    return found


def _ignoring() -> pl.Expr:
    """Return the lines that say that the files of a list of `paths` are no logs."""
    return pl.col("paths").map_elements(
        lambda paths: ignoring(map(literal, paths)), return_dtype=pl.String
    )


def _excluding(row: dict) -> str | None:
    """Return the lines that leave out a run that is left out anyway, with the reason."""
    return excluding({row["run_id"]: row["reason"]}) if row["run_id"] is not None else None


def _others(where: str) -> pl.Expr:
    """Return how many more of `n` files a row stands for: '; so are 3 more'."""
    more = pl.format("; so are {} more{}", pl.col("n") - 1, pl.lit(where))
    one = pl.lit(f"; so is 1 more{where}")
    return (
        pl.when(pl.col("n") > 2).then(more).when(pl.col("n") == 2).then(one).otherwise(pl.lit(""))
    )


def failed_tests(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find logs of several tests of which some failed, a row a log."""
    rows = ledger.filter(entry="file").with_columns(words=pl.col("reason").str.extract(FAILED))
    rows = rows.filter(pl.col("words").is_not_null(), pl.col("lines_sample") > 0).sort("path")
    remedy = "measure them again if they are needed; they belong to no run"
    return findings(rows, "failed test", "warning", pl.col("words"), remedy)


def rejected_lines(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find files with lines that cannot be read, a row a file with its first such line."""
    rows = (
        ledger.filter(entry="line")
        .sort("path", "line")
        .group_by("path", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("line", "text", "reason", "run_id").first())
    )
    message = pl.format(
        "{} unreadable, the first: {} ({})",
        many("n", "line"),
        pl.col("text").fill_null("").str.slice(0, 80),
        pl.col("reason").fill_null("unknown reason"),
    )
    remedy = "restore the log; the lines are in the ledger only"
    return findings(rows, "rejected lines", "warning", message, remedy)


def cut_values(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find files of two columns whose last value may be cut, and is not used."""
    said = pl.col("reason").str.contains(CUT, literal=True)
    rows = ledger.filter(pl.col("entry") == "file", said).sort("path")
    remedy = (
        "if the value is whole, end the file with a line end (decompress it, echo >> FILE); else "
        "nothing"
    )
    message = pl.lit("the last line is not used: it has no line end, so that its value may be cut")
    return findings(rows, "last value", "note", message, remedy)


def omitted_intervals(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find logs with intervals that the tool itself marked as no part of the test (iperf3 -O)."""
    rows = ledger.filter(
        pl.col("reason").str.contains(OMITTED, literal=True),
        pl.col("lines_sample") > 0,
        entry="file",
    )
    message = pl.lit("intervals that iperf3 marked as omitted (-O) are left out of the means")
    remedy = "none needed: the clock of the flow starts after them"
    return findings(rows, "omitted intervals", "note", message, remedy)


def coarse_logs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find logs of iperf 2, which prints bytes and rates in the unit of -f, with a digit left."""
    rows = ledger.filter(pl.col("reason").str.contains(COARSE, literal=True), entry="file")
    message = pl.lit(
        "bytes and rates are printed with a single digit (-f), so means, NRU and harm "
        "may be wrong by a twentieth or more"
    )
    remedy = "measure again with -f m, -f k or -f b; a log cannot say more than it prints"
    return findings(rows.sort("path"), "coarse numbers", "warning", message, remedy)


def copied_logs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find logs that were not read as they say what another one says, wholly or in part.

    And the totals of a simulation beside a trace of it.
    """
    twice = pl.col("reason").str.contains(TWICE, literal=True).fill_null(False)
    rows = ledger.filter(pl.col("entry") == "file", (pl.col("format") == "copy") | twice)
    message = pl.format("not read twice: {}", "reason")
    remedy = "nothing to do if it is a copy; a byte-identical repeat is not a new measurement"
    of_totals = pl.col("reason").str.contains(COUNTS_TWICE, literal=True).fill_null(False)
    twin = rows.filter(~of_totals).sort("path")
    total = rows.filter(of_totals).sort("path")
    of_one = "nothing to do if both are of one simulation; if they are of two, give each a folder "
    of_one += "of its own and another name"
    found = pl.format("not read: {}", "reason")
    return pl.concat(
        [
            findings(twin, "identical logs", "note", message, remedy),
            findings(total, "second output", "note", found, of_one),
        ]
    )


def identical_logs(ledger: pl.DataFrame) -> pl.DataFrame:
    """Find logs that are the same byte for byte, a row a copy.

    Of different runs an error where all logs of a run are copies; single short ones may be alike by
    chance. Of one run always: a copy counted as another flow is perfectly fair to the first. They
    are compared decompressed: copies that were compressed one by one differ.
    """
    copy = pl.col("run_id") != pl.col("first_run_id")
    twin = (pl.col("run_id") == pl.col("first_run_id")) & (pl.col("path") != pl.col("first_path"))
    rows = (
        ledger.filter(entry="file")
        .filter(pl.col("lines_sample") > 0, pl.col("run_id").is_not_null())
        .select("path", "run_id", "content_sha256")
        .sort("path")
        .with_columns(pl.col("path", "run_id").first().over("content_sha256").name.prefix("first_"))
        .with_columns(
            copy.alias("copy"), twin.alias("twin"), copy.all().over("run_id").alias("whole_run")
        )
    )
    twins, rows = rows.filter("twin"), rows.filter("copy")
    remedy = (
        "find out which run the log is of and remove the copy: copies are not independent "
        "repeats, and make intervals too narrow; a simulation repeated with the same seed is a "
        "copy too"
    )
    message = pl.format("byte-identical to {}, a file of another run", "first_path")
    whole = pl.col("whole_run")
    found = [
        findings(rows.filter(which), "identical logs", severity, message, remedy)
        for which, severity in ((whole, "error"), (~whole, "warning"))
    ]
    message = pl.format("byte-identical to {}, a file of the same run", "first_path")
    remedy = (
        "find out which flow the log is of and remove the copy, or put the other flow's log there"
    )
    return pl.concat([*found, findings(twins, "identical logs", "error", message, remedy)])


def missing_repeats(run: pl.DataFrame) -> pl.DataFrame:
    """Find scenarios with fewer repeats than most have, or as many scenarios as have others."""
    counts = run.group_by("scenario_id").len("n").sort("scenario_id")
    if len(counts) < 3:
        return findings(counts.clear(), "missing repeats", "note", pl.lit(""), "")
    usual = scalar(counts["n"].mode(maintain_order=True).max())
    rows = counts.filter(pl.col("n") < usual)
    who = "most" if 2 * (counts["n"] == usual).sum() > len(counts) else "others"
    message = pl.format(
        f"scenario {{}} has {{}} of the {usual} repeats that {who} have", "scenario_id", "n"
    )
    remedy = "add the logs that are missing; its interval is wider until then"
    return findings(rows, "missing repeats", "note", message, remedy)
