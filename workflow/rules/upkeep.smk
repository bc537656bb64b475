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
from functools import cache, partial

from evenflow.formats.others import RECOGNITION, recognition
from evenflow.ingest.chunks import cut, described_by
from evenflow.ingest.described.folders import (
    RESERVED,
    find_datasets,
    refused_entries,
    why_no_dataset,
)
from evenflow.paths import printable
from evenflow.runs.door import door_of, jobs_above
from evenflow.runs.failures import Failures
from evenflow.runs.gone import There
from evenflow.runs.places import PLACE
from evenflow.runs.raw_data import LAID_DOWN, RawData, Ways
from evenflow.runs.upkeep import TIDIED, Upkeep

RAW_DATA = RawData(
    RAW,
    DERIVED,
    Ways(
        partial(find_datasets, RAW),
        partial(cut, **config["chunks"]),
        described_by,
        partial(why_no_dataset, RAW),
    ),
    of_run={*DATASETS, *NAMED},
    looks=workflow.is_main_process,
)
# {what in data/raw can be no data set: (problem, remedy)}
REFUSED = {printable(RAW / name): said for name, said in refused_entries(RAW).items()}


def tidied():
    """Ask for the job that removes what was made of what is gone, if there is any."""
    DOOR.begin()
    return [TIDIED] if UPKEEP.gone() else []


def say_failed(jobs):
    """Put a notice in the place of each page that could not be made, make the index, say why."""
    # here: a run that ends well need not load them
    from evenflow.pages.first_pages import write_first_pages
    from evenflow.pages.notices import write_notices
    from evenflow.render.site import Site

    failed = Failures(jobs, str(RAW), STARTED)
    unmade = failed.unmade(partial(jobs_above, workflow))
    index = unmade.pop(FIRST_PAGES["html"], None)
    notes = write_notices(unmade, Path(SITE), Path(THEME), Site(**AROUND), UPKEEP.noticing)
    if index:
        with UPKEEP.noticing(FIRST_PAGES["html"]), UPKEEP.noticing(FIRST_PAGES["search"]):
            write_first_pages(
                **FIRST_PAGES, pages=SEARCHED, runs=RUN_TABLES, about=INDEX, notes=notes
            )
    print(failed.summary(REFUSED), file=sys.stderr)


THERE = There(
    {*find_datasets(RAW), *RESERVED},
    FOUND,
    {*COMPARISONS, *CONFIGURED},
    {*DOCS.values()},
    RAW_DATA.has_chunk,
)
LOST_FINDINGS = f"{DERIVED}/papers/{{paper}}/lost_findings.txt"
LOST = expand(LOST_FINDINGS, paper=PAPERS)
STATES = {RECOGNITION: cache(recognition)}
DOOR = door_of(workflow, Upkeep(workflow, THERE, RAW_DATA, LOST, say_failed, STATES))
UPKEEP = DOOR.guest
