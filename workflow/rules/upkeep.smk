# What of the outputs may stand. Nothing does that does not follow from data/raw as it is now:
#
#   at the start  what was changed by other hands since it was made is made again, and what was made
#                 while the clock was ahead; the outputs of every job that is to run are removed, and
#                 what belongs to data sets and papers that are gone; so a run that fails or is killed
#                 leaves nothing stale
#   at the end    a page that could not be made says so and why, the index too, and what went wrong
#                 is said again
#
# Two runs at once are refused by Snakemake's lock; that of a run that was killed is removed.
import fcntl
import json
import shutil
import socket
from contextlib import suppress
from urllib.parse import quote

from evenflow.ingest.dataset import RESERVED, find_datasets, refused_entries
from evenflow.failures import split_message, summary
from evenflow.files import make_old, write_text
from evenflow.paths import printable

SCRATCH = ".*.????????"  # names of temporary files: evenflow.files.atomic_path
AHEAD_S = (
    2  # file systems round times by no more: what is further ahead is of a clock that was wrong
)
RECORD = Path(".snakemake/made.json")  # {output: [size, time of change in ns]} when it was made


@cache
def raw_file(dataset):
    """Return the file that holds the state of a data set's raw files, written when that changes.

    A file, since Snakemake forgets the parameters of a job that failed: the data set would pass as
    unchanged the next time.
    """
    # not among what is made: times differ from clone to clone
    path = Path(".snakemake/raw", f"{dataset}.sha256")
    state, parsed = raw_state(dataset) + "\n", path.with_suffix(".parsed")
    # a job of a cluster sees the file that the first process has written
    if workflow.is_main_process and (not path.is_file() or path.read_text() != state):
        write_text(path, state)
        if parsed.is_file() and parsed.read_text() == state:
            make_old(path)  # changed and put back since: what is there was parsed from this state
    return str(path)


def state_of(path):
    """Return size and time of change of a file; None where it is not there."""
    path = Path(path)
    return [path.stat().st_size, path.stat().st_mtime_ns] if path.is_file() else None


def read_record():
    return json.loads(RECORD.read_text()) if RECORD.is_file() else {}


def outdate_changed():
    """Have every output made again that is not as it was when it was made."""
    for path, made in read_record().items():
        if state_of(path) not in (made, None):
            print(f"{path} was changed after it was made: it is made again.", file=sys.stderr)
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


def record_made():
    """Keep what the outputs of the finished jobs are like, and those of jobs that need not run."""
    dag = workflow.dag
    done = {str(path) for job in dag.jobs if dag.noneedrun_finished(job) for path in job.output}
    open_ = {str(path) for job in dag.needrun_jobs() for path in job.output}
    made = {path: made for path, made in read_record().items() if path not in open_}
    made |= {path: state_of(path) for path in sorted(done)}
    write_text(RECORD, json.dumps({path: made for path, made in made.items() if made}))


def hold_run():
    """Hold the project's lock for as long as this process lives; None where another one does.

    A lock of Snakemake's that is left, while nobody on this host holds ours, is of a run that was
    killed: it is removed.
    """
    Path(".snakemake").mkdir(exist_ok=True)
    handle = open(".snakemake/run.lock", "a+", encoding="utf-8")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another run, or a file system without locks
        return None
    handle.seek(0)
    host, _, process = handle.read().partition(" ")
    left = sorted(Path(".snakemake/locks").glob("*.lock"))
    if left and host == socket.gethostname():
        print(f"Removing the lock of a run that was killed (process {process.strip()}).")
        for path in left:
            path.unlink()
    if left and host != socket.gethostname():
        return handle  # the other host's run may still be there: Snakemake says what to do
    handle.truncate(0)
    handle.write(f"{socket.gethostname()} {os.getpid()}\n")
    handle.flush()
    return handle


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
    for place in (Path(DERIVED), Path(SITE)):
        for folder in Path(place, "comparisons").glob("*/"):
            if folder.name not in COMPARISONS:
                remove(folder, f"config/config.yaml has no comparison {folder.name}")
    for folder in Path(SITE).glob("*/"):
        if folder.name not in {*PAPERS, "datasets", "comparisons"}:
            remove(folder, f"config/config.yaml has no paper {folder.name}")
    for place in (Path(DERIVED), Path(SITE)):
        for path in place.rglob(SCRATCH):
            remove(path, "a run that was killed left it")


def failures(jobs):
    """Return {job: (problem, remedy)} of the jobs that failed, as their logs say it."""
    said = {}
    for job in jobs:
        if job.rule.name == "check_folders":
            continue
        for log in map(Path, job.log):
            if log.is_file() and log.stat().st_mtime >= STARTED and log.stat().st_size:
                said[job] = split_message(log.read_text(encoding="utf-8"))
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
        reports = [Path("reports", paper) for paper in PAPERS]
        datasets = [RAW / name for name in DATASETS]
        workflow_svg, theme = Path(WORKFLOW_SVG), Path(THEME)
        claims = {name: Path(path) for name, path in CLAIMS.items()}
        write_index(
            reports, datasets, workflow_svg, theme, index, notes, REFUSED, claims, COMPARISONS
        )
        make_old(index)


RUN = hold_run() if workflow.is_main_process else None
if RUN:
    outdate_changed()
    mend_times()


onstart:
    # Snakemake's limiter of job starts (100 in a second unless told otherwise) sets a timer each
    # time it looks for jobs, and each timer makes it look again: with hundreds of jobs ready it does
    # little else
    if hasattr(workflow.scheduler, "job_rate_limiter"):
        workflow.scheduler.job_rate_limiter = None
    if not workflow.touch:
        remove_leftovers()
        for job in workflow.dag.needrun_jobs():
            for path in map(Path, job.output):
                if path.is_file():
                    path.unlink()
        record_made()


onsuccess:
    record_made()


# Snakemake lists all inputs of a job that failed, often dozens: say again what was wrong
onerror:
    if not workflow.touch:
        stopped = list(workflow.dag.needrun_jobs())
        failed = failures(stopped)
        record_made()
        write_notices(stopped, failed)
        said = {subject(job): said for job, said in failed.items()}
        print(summary(said | REFUSED), file=sys.stderr)
