# What of the outputs may stand. Nothing does that does not follow from data/raw as it is now, and
# nothing is removed that evenflow did not make (evenflow.runs; docs/explanation/robustness.md):
#
#   graph         what is not as its receipt says, or made of what has changed, is made again. A dry
#                 run shows it. Nothing is written: commands that only look change nothing
#   at the start  of a real run, under its lock: what lies where jobs are going to write is removed,
#                 if it is ours, and else set aside; so a run that fails or is killed leaves nothing
#                 stale
#   tidy          what belongs to data sets and papers that are gone is removed, if it is ours
#   at the end    a page that could not be made says so and why, the index too, and what went wrong
#                 is said again; and so are, also where nothing had to be made, the sentences of
#                 reports that their data do not support any more
import atexit
import json
import shutil
import tempfile
from typing import NamedTuple
from urllib.parse import quote

from evenflow.ingest.dataset import RESERVED, find_datasets, refused_entries
from evenflow.ingest.chunks import count_chunks, described_by, chunk_folders, levels_of_chunks
from evenflow.failures import split_message, summary
from evenflow.paths import printable
from evenflow.raw_state import (
    about_files,
    digest,
    files_by_folder,
    of_raw_name,
    chunk_state,
    read_about,
    short_state,
    size_mb,
)
from evenflow.runs.door import door_of
from evenflow.runs.gone import There
from evenflow.runs.places import PLACE
from evenflow.runs.upkeep import TIDIED, Upkeep
from evenflow.scratch import OF_JOBS

LAID_DOWN = PLACE / "raw"  # what a run knows of raw files, for its jobs


class Raw(NamedTuple):
    """What is known of the raw files of a data set: MB that they take, {chunk: its state}.

    One that is no chunks has the chunk None.
    """

    mb: int
    states: dict[str | None, str]


@cache
def raw(dataset):
    """Look at a data set's raw files, once.

    Raw files are no inputs: Snakemake would look at each several times for every table that is read
    from them, and keep all their names: half a minute for the whole grid before the first job starts.
    """
    about = LAID_DOWN / dataset / "about.json"
    before = read_about(about)
    if not workflow.is_main_process:  # a job of a cluster sees what the first process has laid down
        return Raw(before["mb"], dict.fromkeys(before["chunks"] or [None]))
    if dataset not in find_datasets(RAW):  # asked for by a page of it
        remedy = did_you_mean(dataset, find_datasets(RAW))
        raise WorkflowError(f"{RAW}/{dataset}: there is no such data set. Remedy: {remedy}")
    by_folder = files_by_folder(RAW / dataset)
    mb, n_files = size_mb(by_folder), sum(map(len, by_folder.values()))
    n_before = len(before.get("chunks", [])) or sum(
        1 for _ in Path(DERIVED, dataset).glob("chunks/*")
    )
    n = count_chunks(n_files, **config["chunks"], before=n_before or None)
    levels = levels_of_chunks(RAW / dataset) if n > 1 else []
    if not levels:
        return Raw(mb, {None: digest(by_folder)})
    description = about_files(RAW / dataset, described_by(RAW / dataset))
    folders = chunk_folders(by_folder, levels, n)
    return Raw(
        mb,
        {
            f"{k:04d}": chunk_state({name: by_folder[name] for name in inside}, description)
            for k, inside in folders.items()
        },
    )


def raw_mb(dataset):
    """Return what the logs of a data set take in memory, in MB."""
    return raw(dataset).mb


def raw_now(name):
    """Return the state of raw files by their name in a receipt (`raw_state.raw_name`)."""
    dataset, chunk = of_raw_name(name)
    if dataset not in find_datasets(RAW):
        return None
    state = raw(dataset).states.get(chunk)
    return None if state is None else short_state(state)


def laid_down():
    """Return {file: its text} of what is known of raw files, for jobs."""
    found = {}
    for dataset in sorted({*DATASETS, *NAMED}):
        mb, states = raw(dataset)
        place, chunks_ = LAID_DOWN / dataset, [name for name in states if name]
        found[place / "about.json"] = json.dumps({"mb": mb, "chunks": chunks_}) + "\n"
        found |= {place / f"{name}.json": f"{states[name]}\n" for name in chunks_}
    return found


def has_chunk(dataset, chunk):
    """Say whether a data set has a chunk; so does one that is not looked at in this run."""
    return dataset not in {*DATASETS, *NAMED} or chunk in raw(dataset).states


def tidied():
    """Ask for the job that removes what was made of what is gone, if there is any."""
    DOOR.begin()
    return [TIDIED] if UPKEEP.gone() else []


def starting():
    """Prepare for jobs."""
    gc.freeze()  # what is there stays to the end; see the Snakefile
    gc.enable()
    # Snakemake's limiter of job starts (100 in a second unless told otherwise) sets a timer each
    # time it looks for jobs, and each timer makes it look again: with hundreds of jobs ready it does
    # little else
    if hasattr(workflow.scheduler, "job_rate_limiter"):
        workflow.scheduler.job_rate_limiter = None
    return laid_down()


def begin():
    """Begin a real run."""
    remove_temporary()
    # not in onsuccess, which Snakemake leaves out where nothing had to be made
    atexit.register(say_lost_findings)


def failures(jobs):
    """Return {job: (problem, remedy)} of the jobs that failed, as their logs say it."""
    said = {}
    for job in jobs:
        for log in map(Path, job.log):
            if log.is_file() and log.stat().st_mtime >= STARTED and log.stat().st_size:
                said[job] = split_message(log.read_text(encoding="utf-8"), str(log))
    return said


def subject(job):
    """Name what a job is about: a data set, a paper, a comparison, or else its rule."""
    of = job.wildcards_dict or {}
    if "dataset" in of:
        return f"{RAW}/{of['dataset']}"
    return of.get("paper") or of.get("comparison") or job.rule.name


# {what in data/raw can be no data set: (problem, remedy)}
REFUSED = {printable(RAW / name): said for name, said in refused_entries(RAW).items()}


def write_notices(jobs, failed):
    """Put a notice in the place of each page that could not be made, and make the index.

    Their receipts say that they are none, so that the next run makes them by their rules.
    """
    # here: a run that ends well need not load them
    from evenflow.pages.notices import note, write_notice
    from evenflow.pages.search import search_site
    from evenflow.pages.site_index import write_index
    from evenflow.render.site import Place, Site

    notes, index, search = {}, Path(SITE, "index.html"), Path(SITE, "search.html")
    for job in jobs:
        if str(getattr(job.output, "html", index)) == str(index):
            continue
        above = set(workflow.dag.bfs(workflow.dag.dependencies, job))
        causes = {subject(other): failed[other] for other in failed if other in above}
        html = Path(job.output.html)
        UPKEEP.clearing.clear(str(html))
        link = html.relative_to(SITE).as_posix()
        place = Place(link.count("/"), subject(job), {}, Site(**AROUND))
        write_notice(html, subject(job), causes, Path(THEME), place)
        UPKEEP.keep_notice(str(html))
        notes[quote(link)] = note(causes)
    if any(str(index) in map(str, job.output) for job in jobs):
        for page in (index, search):
            UPKEEP.clearing.clear(str(page))
        write_index(
            [Path(REPORTS, paper) for paper in PAPERS],
            [RAW / name for name in DATASETS],
            Path(THEME),
            index,
            notes,
            REFUSED,
            {name: Path(path) for name, path in CLAIMS.items()},
            COMPARISONS,
            ORIGINALS,
            {name: Path(path) for name, path in PICTURES.items()},
            Path(DERIVED),
            Site(**AROUND),
        )
        runs = map(Path, RUN_TABLES)
        search_site(search, map(Path, SEARCHED), runs, Path(THEME), Site(**AROUND))
        for page in (index, search):
            UPKEEP.keep_notice(str(page))


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


def say_failed(stopped):
    """Say again what was wrong: Snakemake lists all inputs of a job that failed, often dozens."""
    failed = failures(stopped)
    write_notices(stopped, failed)
    said = {subject(job): said for job, said in failed.items() if job.output}
    # 'Listing the raw files': nothing is made that could be named
    acts = {
        job.rule.message or job.rule.name: said for job, said in failed.items() if not job.output
    }
    print(summary(said | REFUSED, acts), file=sys.stderr)


THERE = There(
    {*find_datasets(RAW), *RESERVED},
    FOUND,
    {*COMPARISONS, *CONFIGURED},
    {*DOCS.values()},
    has_chunk,
)
DOOR = door_of(workflow, Upkeep(THERE, raw_now, begin, starting, say_failed))
UPKEEP = DOOR.guest
