# What of the outputs may stand. Nothing does that does not follow from data/raw as it is now:
#
#   at the start  what was changed by other hands since it was made is made again, and what was made
#                 while the clock was ahead; the outputs of every job that is to run are removed, and
#                 what belongs to data sets and papers that are gone; so a run that fails or is killed
#                 leaves nothing stale
#   at the end    a page that could not be made says so and why, the index too, and what went wrong
#                 is said again; and so are, also where nothing had to be made, the sentences of
#                 reports that their data do not support any more
#
# Two runs at once are refused by Snakemake's lock; that of a run that was killed is removed, and its
# jobs that are still at work are waited for (evenflow.locking).
import atexit
import shutil
import tempfile
from contextlib import suppress
from urllib.parse import quote

from evenflow.ingest.dataset import RESERVED, find_datasets, refused_entries
from evenflow.ingest.partitions import count_parts, described_by, part_folders, parted_by
from evenflow.failures import split_message, summary
from evenflow.files import make_old, write_text
from evenflow.locking import hold_run
from evenflow.paths import printable
from evenflow.raw_state import about_files, digest, files_by_folder, part_state, size_mb
from evenflow.records import RECORDS, forget, outdated
from evenflow.scratch import OF_JOBS

# names of temporary files: of evenflow.files.atomic_path, and DuckDB's own as it writes one of these
SCRATCH = [".*.????????", "tmp_.*.????????"]
# s: file systems round times by no more; what is further ahead is of a clock that was wrong
AHEAD_S = 2


def raw_files(dataset):
    """Return the files that hold the state of a data set's raw files, one a part of it."""
    return raw(dataset)[0]


def raw_mb(dataset):
    """Return what the logs of a data set take in memory, in MB."""
    return raw(dataset)[1]


@cache
def raw(dataset):
    """Look at a data set's raw files once: `raw_files` and `raw_mb`.

    The files are written when the state changes. Files, since Snakemake forgets the parameters of a
    job that failed: the data set would pass as unchanged the next time. A digest, since with raw files
    as inputs Snakemake would look at each several times for every table that is read from them, and
    keep all their names: half a minute for the whole grid before the first job starts.
    """
    # not among what is made: times differ from clone to clone
    whole, place = Path(".snakemake/raw", f"{dataset}.sha256"), Path(
        ".snakemake/raw/parts-of", dataset
    )
    number = place / "number"
    before = int(number.read_text()) if number.is_file() else None
    kept_mb = whole.with_suffix(".mb")
    if not workflow.is_main_process:  # a job of a cluster sees what the first process has written
        files = [str(place / f"{k:04d}.json") for k in range(before)] if before else [str(whole)]
        return files, int(kept_mb.read_text())
    if dataset not in find_datasets(RAW):  # asked for by a page of it
        remedy = did_you_mean(dataset, find_datasets(RAW))
        raise WorkflowError(f"data/raw/{dataset}: there is no such data set. Remedy: {remedy}")
    by_folder = files_by_folder(RAW / dataset)
    mb = size_mb(by_folder)
    if not holds(kept_mb, f"{mb}\n"):
        write_text(kept_mb, str(mb))
    n_files, levels = sum(map(len, by_folder.values())), []
    n = count_parts(n_files, **config["partitions"], before=before)
    if n > 1:
        levels = parted_by(RAW / dataset)
    if not levels:
        number.unlink(missing_ok=True)
        keep_state(whole, digest(by_folder))
        return [str(whole)], mb
    if n != before:
        write_text(number, str(n))
    description = about_files(RAW / dataset, described_by(RAW / dataset))
    found = []
    for k, folders in part_folders(by_folder, levels, n).items():
        found.append(place / f"{k:04d}.json")
        keep_state(found[-1], part_state({name: by_folder[name] for name in folders}, description))
    return list(map(str, found)), mb


def keep_state(path, state):
    """Write the state of raw files where it is another than that which is kept."""
    line, parsed = f"{state}\n", path.with_suffix(".parsed")
    if not holds(path, line):
        write_text(path, state)
        if holds(parsed, line):
            make_old(path)  # changed and put back since: what is there was parsed from this state


def holds(path, text):
    """Say whether a file is there and holds this text."""
    return path.is_file() and path.read_bytes() == text.encode()


def outdate_changed():
    """Have every output made again that is not as its job left it, or of which nobody knows that."""
    for path, why in outdated().items():
        print(f"{path} {why}: it is made again.", file=sys.stderr)
        make_old(path)
    if RECORDS.is_dir():
        return
    RECORDS.mkdir(parents=True)  # a fresh clone, or .snakemake was removed
    unknown = [path for place in (DERIVED, SITE) for path in Path(place).rglob("*")]
    tops = [path for pattern in MADE_IN_REPORTS for path in Path().glob(pattern)]
    unknown += tops + [path for top in tops for path in top.rglob("*")]
    for path in unknown:
        if path.is_file() and not path.is_relative_to(f"{DERIVED}/experiments"):
            make_old(path)


def from_the_future(patterns, without=()):
    """List the files whose time of change is yet to come, but hidden ones and those in `without`."""
    tops = sorted(str(path) for pattern in patterns for path in Path().glob(pattern))
    paths = [top for top in tops if os.path.isfile(top)]
    for folder, folders, names in (found for top in tops for found in os.walk(top)):
        inside = {name: os.path.join(folder, name) for name in folders}
        folders[:] = [name for name in folders if name[0] != "." and inside[name] not in without]
        paths += [os.path.join(folder, name) for name in names]
    there = (path for path in paths if os.path.isfile(path))
    return [path for path in there if os.stat(path).st_mtime > STARTED + AHEAD_S]


def mend_times():
    """Have outputs from the future made again; give what they are made of, if from there, today's time.

    The first would pass as newer than whatever changes until then; next to the second nothing that
    is made would be new enough.
    """
    made = from_the_future([DERIVED, *MADE_IN_REPORTS], [f"{DERIVED}/experiments"])
    for path in made:
        make_old(path)
    without = [str(RAW), DERIVED, SITE, "logs", "dist"]
    about = [str(RAW / "*/dataset.yml"), ".snakemake/raw"]
    own = from_the_future(["[!.]*", *about], without)
    for path in own:
        with suppress(OSError):  # it cannot be written: Snakemake names it, if it is needed
            os.utime(path, (STARTED, STARTED))
    for paths, remedy in ((made, "made again"), (own, "given the time of now")):
        if paths:
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            why = "a time in the future, by a clock that was wrong"
            print(f"{printable(paths[0])}{more}: {why}: {remedy}.", file=sys.stderr)


def remove(path, why):
    """Remove a file or a folder that is there, and say so."""
    if not path.exists():
        return
    print(f"Removing {path}: {why}.", file=sys.stderr)
    shutil.rmtree(path) if path.is_dir() else path.unlink()


def remove_leftovers():
    """Remove what was made of data sets and papers that are gone, and files that a kill left."""
    there = {*find_datasets(RAW), *RESERVED}
    for place in (Path(DERIVED), Path(SITE, "datasets")):
        for folder in place.glob("*/"):
            if folder.name not in there:
                remove(folder, f"there is no data/raw/{folder.name}")
    for name in there & {*DATASETS, *NAMED}:
        parts = {Path(path).stem for path in raw_files(name) if path.endswith(".json")}
        for folder in Path(DERIVED, name).glob("parts/*/"):
            if folder.name not in parts:
                remove(folder, f"data/raw/{name} has other parts")
    for place in (Path(DERIVED), Path(SITE)):
        for folder in Path(place, "comparisons").glob("*/"):
            if folder.name not in COMPARISONS:
                remove(folder, f"config/config.yaml has no comparison {folder.name}")
    for folder in Path(SITE).glob("*/"):
        if folder.name not in {*PAPERS, "datasets", "comparisons"}:
            remove(folder, f"there is no paper {folder.name} to be made")
    places = [Path(place) for place in (DERIVED, SITE, ".snakemake/raw", ".snakemake/made")]
    left = [path for place in places for name in SCRATCH for path in place.rglob(name)]
    of_reports = ["figures/.*", "tables/.*", "._variables.yml", ".provenance.*"]
    left += [path for name in of_reports for path in Path("reports").glob(f"*/{name}.????????")]
    for path in left:
        remove(path, "a run that was killed left it")


def failures(jobs):
    """Return {job: (problem, remedy)} of the jobs that failed, as their logs say it."""
    said = {}
    for job in jobs:
        if job.rule.name == "check_folders":
            continue
        for log in map(Path, job.log):
            if log.is_file() and log.stat().st_mtime >= STARTED and log.stat().st_size:
                said[job] = split_message(log.read_text(encoding="utf-8"), str(log))
    return said


def subject(job):
    """Name what a job is about: a data set, a paper, a comparison, or else its rule."""
    of = job.wildcards_dict or {}
    if "dataset" in of:
        return f"data/raw/{of['dataset']}"
    return of.get("paper") or of.get("comparison") or job.rule.name


# {what in data/raw can be no data set: (problem, remedy)}
REFUSED = {printable(RAW / name): said for name, said in refused_entries(RAW).items()}


def write_notices(jobs, failed):
    """Put a notice in the place of each page that could not be made, and make the index.

    Both are older than what they are made from, so that the next run makes them by their rules.
    """
    # here: a run that ends well need not load them
    from evenflow.pages.notices import note, write_notice
    from evenflow.pages.site_index import write_index

    notes = {}
    for job in jobs:
        if job.rule.name not in ("render_dataset", "render_report", "render_comparison"):
            continue
        above = set(workflow.dag.bfs(workflow.dag.dependencies, job))
        causes = {subject(other): failed[other] for other in failed if other in above}
        html = Path(job.output.html)
        write_notice(html, subject(job), causes, Path(THEME))
        notes[quote(html.relative_to(SITE).as_posix())] = note(causes)
    index = Path(SITE, "index.html")
    if any(str(index) in map(str, job.output) for job in jobs):
        write_index(
            [Path("reports", paper) for paper in PAPERS],
            [RAW / name for name in DATASETS],
            Path(WORKFLOW_SVG),
            Path(THEME),
            index,
            notes,
            REFUSED,
            {name: Path(path) for name, path in CLAIMS.items()},
            COMPARISONS,
            {name: Path(path) for name, path in PICTURES.items()},
            Path(DERIVED),
        )
        make_old(index)


def remove_temporary():
    """Remove what runs that were killed left of temporary files, Snakemake's own folder among them."""
    note = Path(OF_JOBS, "of-snakemake")
    left = Path(note.read_text(errors="replace")) if note.is_file() else note
    if left.name.startswith("snakemake") and left.parent == Path(tempfile.gettempdir()):
        shutil.rmtree(left, ignore_errors=True)
    shutil.rmtree(OF_JOBS, ignore_errors=True)
    OF_JOBS.mkdir(parents=True)
    note.write_text(str(workflow.snakemake_tmp_dir))


def say_lost_findings():
    """Say which findings the data of the reports do not support any more, a line each."""
    for paper in PAPERS:
        lost = Path(LOST_FINDINGS.format(paper=paper))
        lines = lost.read_text(encoding="utf-8").split("\n") if lost.is_file() else []
        for line in filter(None, lines):
            print(f"No longer supported: {printable(line)}", file=sys.stderr)


RUN = hold_run() if workflow.is_main_process else None
if RUN:
    remove_temporary()
    outdate_changed()
    mend_times()
    # not in onsuccess, which Snakemake leaves out where nothing had to be made
    atexit.register(say_lost_findings)


onstart:
    gc.freeze()  # what is there stays to the end; see the Snakefile
    gc.enable()
    # Snakemake's limiter of job starts (100 in a second unless told otherwise) sets a timer each
    # time it looks for jobs, and each timer makes it look again: with hundreds of jobs ready it does
    # little else
    if hasattr(workflow.scheduler, "job_rate_limiter"):
        workflow.scheduler.job_rate_limiter = None
    if not workflow.touch:
        remove_leftovers()
        for job in workflow.dag.needrun_jobs():
            forget(job.output)
            for path in map(Path, job.output):
                if path.is_file():
                    path.unlink()


# Snakemake lists all inputs of a job that failed, often dozens: say again what was wrong
onerror:
    if not workflow.touch:
        stopped = list(workflow.dag.needrun_jobs())
        failed = failures(stopped)
        write_notices(stopped, failed)
        said = {subject(job): said for job, said in failed.items()}
        print(summary(said | REFUSED), file=sys.stderr)
