"""What a page offers for dataset.yml: pasted it changes nothing, and leads to no refusal.

Tried on all folders of strangers, archives and layouts in tests/fixtures.
"""

import os
import random
import re
import shutil
from datetime import date
from functools import cache
from itertools import combinations
from pathlib import Path

import polars as pl
import pytest
import yaml
from evenflow.ingest.assumptions import is_active
from evenflow.pages.dataset.merging import keys_of, merged_yaml
from layouts import BY_NAME, make
from pasted import (
    Paste,
    alternatives,
    analysed,
    inferred,
    measured,
    offers,
    page_of_folder,
    remedies,
    said,
)
from raw_data import ROOT
from rendered_page import Page

pytestmark = pytest.mark.usefixtures("one_database")

FIXTURES = ROOT / "tests/fixtures"
FOLDERS = [
    f"{kind}/{path.name}"
    for kind in ("strangers", "archives")
    for path in sorted((FIXTURES / kind).iterdir())
    if path.is_dir()
]
# of a hundred layouts, which are much alike, every third by `make test-all`; all by CI, if it
# has the time for more than one seed of folders
STEP = 3 if int(os.environ.get("EVENFLOW_SEEDS", "1")) == 1 else 1
LAYOUTS = [*BY_NAME][::STEP]
MORE = [pytest.param(name, marks=pytest.mark.thorough) for name in LAYOUTS]


def laid_out(name: str, place: Path) -> Path:
    """Write a data set, a folder of the fixtures or a layout, to raw in a folder."""
    if name in BY_NAME:
        (place / "raw").mkdir(parents=True)
        return make(place / "raw", BY_NAME[name])
    return shutil.copytree(FIXTURES / name, place / "raw")


@pytest.fixture
def folder(request, tmp_path):
    return laid_out(request.param, tmp_path)


@pytest.fixture(scope="module")
def as_it_is(tmp_path_factory):
    """What returns the tables of a data set before anything is pasted; each is analysed once."""

    @cache
    def tables(name: str) -> dict[str, pl.DataFrame]:
        place = tmp_path_factory.mktemp("first")
        return analysed(laid_out(name, place))

    return tables


@pytest.fixture
def tables(as_it_is, request):
    return as_it_is(request.node.callspec.params["folder"])


@pytest.mark.parametrize("folder", [*FOLDERS, *MORE], indirect=True)
def test_pasted_lines_change_nothing(folder, tables, tmp_path):
    inferred(offers(tables)).into(folder)
    again, before = measured(analysed(folder)), measured(tables)
    for name, table in before.items():
        assert again[name].equals(table), name


# ---- pages ---------------------------------------------------------------------------------------


def page_text(tables, folder) -> str:
    """Return what a reader meets on the page of a data set, without a script."""
    return " ".join(Page(page_of_folder("raw", tables, folder)).text.split())


# what must be on the page of a folder, and what would be untrue there
ON_THE_PAGE = {
    "archives/mixed": (
        "The folder holds several campaigns (other tools): sim/",
        "1 file. The folder",
    ),
    "archives/killed-clients": ("so is 1 more of its folder", "6 s after 6 s"),
    "archives/no-metadata": ("Means are over 2 to 10 s of each run", "2–2"),
    "archives/host-folders": ("not steady", "the log is damaged"),
    "archives/spaces": ("bandwidth of the bottleneckno utilisation", "buffernothing is drawn"),
    # put together: what was assumed, not the line that lets slow start count
    "archives/powershell": (
        "confirmed: ['start_s: 0 for flow 2'] steady_state: {warmup_s: 2}",
        "confirmed: ['start_s: 0 for flow 2'] steady_state: {warmup_s: 0}",
    ),
    "strangers/queue-size-in-a-folder": (
        "There is no mean: no log has a sample of throughput",
        "Over time",
    ),
    # beside '0.95 and more fair'
    "strangers/hosts-and-several-rtts": ("38 %0.9468.41", "38 %0.958.41"),
    # nor a thin line explained, where no setting has two runs
    "strangers/factor-files-of-pairs": (
        "Least fair: files 60s, Bottleneck 10 Mb/s, buffer 100, where BBR gets 67 %",
        "thin line",
    ),
    "strangers/port-met-again": ("it holds both ends of its flow", "it holds several flows"),
    "strangers/two-labs-at-once": (
        "2 cases of doubt: logs ran at the same time in folders that share no network",
        "one after the other",
    ),
    "strangers/misleading-messages": (
        "1 pattern of logs, 1 of files that are ignored; placeholders",
        "1 pattern;",
    ),
    "strangers/counters-without-tcp-info": ("at least two reports, is left out", "share is left"),
    "strangers/long-flow-and-short-ones": ("In no run do all flows have a mean", "No flow has a"),
    "strangers/guess-that-is-not-listed": ("as was guessed", "was given as"),
    "strangers/test-without-a-flow": ("no connection was made", "traces"),
}


@pytest.mark.parametrize("name", ON_THE_PAGE)
def test_the_page_says_nothing_untrue(name, as_it_is, tmp_path):
    said, untrue = ON_THE_PAGE[name]
    text = page_text(as_it_is(name), tmp_path / "page")
    assert said in text
    assert untrue not in text


# ---- remedies ------------------------------------------------------------------------------------

FILL_IN = re.compile(r"\.\.\.")  # to be filled in by hand


def severe(tables) -> set[tuple]:
    """Return the errors of a data set: their check and what they are about."""
    rows = tables["finding"].filter(severity="error")
    # a run that names and no pattern yet give is known by its logs
    check = pl.col("check").replace("run left out", "log left out")
    return set(rows.select(check, "path", "line").rows())


def lines_of(tables) -> list[tuple[str, Paste]]:
    """Return every line that the assumptions of a page offer, by what it is for."""
    rows = offers(tables)
    found = [("all that was inferred", inferred(rows))]
    for row in rows:
        for words, lines in alternatives(row["yaml"]):
            paste = inferred(rows)
            if "in place of the 'files:'" in words or "these lines instead" in words:
                paste.said.pop("files", None)
            if "if they have one, in its rows" not in words and "files:" not in lines:
                paste = inferred([r for r in rows if r["what"] != "files"])
            lines = lines.replace("bottleneck_mbps: 100,", "bottleneck_mbps: 100000,")
            if not FILL_IN.search(lines):
                found.append((f"{row['what']}: {words}", paste.add(lines)))
    return found


# what the remedies of findings say to write, by check; the others say nothing of dataset.yml, which
# REMEDIES_WITHOUT names: a check that is in neither fails
LINES = {
    "no sample in the steady state": lambda row: ["steady_state: {warmup_s: 0}"],
    "no steady state": lambda row: ["steady_state: {warmup_s: 0}"],
    "staggered flows": lambda row: [
        f"runs: runs.csv\nruns.csv:\n    run,flow,start_s\n    {row['run_id']},1,0"
    ],
    "few samples in the steady state": lambda row: ["steady_state: {warmup_s: 0}"],
    "other congestion control": lambda row: ["cca_from: logs", "cca_from: names"],
    "unreadable file": lambda row: [ignoring(row)],
    "doubtful log": lambda row: [ignoring(row)],
    "unknown file": lambda row: [ignoring(row)],
    "flow that is not read": lambda row: [ignoring(row)],
    "RTT below the base RTT": lambda row: [f"flows: {{{row['flow_id']}: {{rtt_ms: 22}}}}"],
    "unlike repeats": lambda row: ["pool_over: []"],
    "repeats over different times": lambda row: ["pool_over: []"],
}


def ignoring(row: dict) -> str:
    return yaml.safe_dump({"files": [{"path": row["path"], "format": "ignore"}]})


# each offers ten lines or so: some are left to `make test-all`
WALKED = [
    name if n % 4 == 0 else pytest.param(name, marks=pytest.mark.thorough)
    for n, name in enumerate(FOLDERS)
]


@pytest.mark.parametrize("folder", WALKED, indirect=True)
def test_no_remedy_leads_to_a_refusal_or_a_new_error(folder, tables, tmp_path):
    wrong = severe(tables)
    tried = lines_of(tables)
    for row in tables["finding"].unique("check", maintain_order=True).rows(named=True):
        tried += [
            (row["check"], Paste(line)) for line in LINES.get(row["check"], lambda _: [])(row)
        ]
        if row["check"] not in LINES:
            assert not re.search("`?(files|flows|steady_state|defaults)`?:", row["remedy"]), row
    for words, paste in tried:
        (folder / "runs.csv").unlink(missing_ok=True)
        paste.into(folder)
        again = analysed(folder)
        assert severe(again) <= wrong, words
        assert len(again["run"]) or tables["run"].is_empty(), words


# checks that hold runs against others: with those gone that were wrong, more may be told. And what
# says that a line of dataset.yml had its effect
OF_OTHERS = ("log ends early", "run excluded")


def drawn(name: str, every: list, n: int) -> list:
    """Return some of what a folder has, others every day."""
    return random.Random(f"{date.today()} {name}").sample(every, min(n, len(every)))


def new_trouble(before, again) -> list[tuple]:
    """Return the errors and warnings that have come."""
    # a run that names and no pattern yet give is known by its logs
    which = pl.col("check").replace("run left out", "log left out"), pl.coalesce("path", "run_id")
    wrong = again["finding"].filter(pl.col("severity") != "note")
    new = set(wrong.select(which).rows()) - set(before["finding"].select(which).rows())
    return sorted((found for found in new if found[0] not in OF_OTHERS), key=str)


@pytest.mark.parametrize("folder", [*WALKED, *MORE], indirect=True)
def test_what_is_pasted_settles_what_it_stands_beside_and_brings_no_other(
    folder, tables, tmp_path, request
):
    offered = remedies(tables)
    if (name := request.node.callspec.id) in BY_NAME:  # of a hundred layouts, which are much alike
        offered = drawn(name, offered, 2)
    for settled, lines in offered:
        (folder / "runs.csv").unlink(missing_ok=True)
        Paste(lines).into(folder)
        again = analysed(folder)
        assert not settled & said(again).keys(), lines
        assert not new_trouble(tables, again), lines


@pytest.mark.thorough  # there the folders are analysed for others
def test_all_that_is_said_has_lines_but_errors_that_most_runs_have(as_it_is):
    for name in FOLDERS:
        tables = as_it_is(name)
        without = {what for what, lines in said(tables).items() if not is_active(lines)}
        errors = tables["finding"].filter(severity="error")
        assert without <= set(errors.select("check", "run_id", "path", "line", "message").rows())


# ---- pairs ---------------------------------------------------------------------------------------

# pairs drawn of a folder, some 110 in all. EVENFLOW_PAIRS=all takes all of them: 4,947, in some 17
# minutes of processor time; `-k "go_together and two-directions"` those of one folder
A_FOLDER = 1


def contradict(one: str, other: str) -> bool:
    """Return whether two remedies are two answers to one question."""
    both = keys_of([one, other])
    return both != keys_of([other, one]) and not lists_alike(both, keys_of([other, one]))


def lists_alike(one, other) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(lists_alike(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return sorted(map(str, one)) == sorted(map(str, other))
    return one == other


@pytest.mark.thorough
@pytest.mark.parametrize("folder", [*FOLDERS, *LAYOUTS], indirect=True)
def test_two_remedies_of_a_page_go_together(folder, tables, tmp_path, request):
    pairs = list(combinations(remedies(tables), 2))
    if os.environ.get("EVENFLOW_PAIRS") != "all":
        pairs = drawn(request.node.callspec.id, pairs, A_FOLDER)
    wrong = severe(tables)
    for (one, first), (other, second) in pairs:
        (folder / "runs.csv").unlink(missing_ok=True)
        Paste(merged_yaml([first, second])).into(folder)
        again = analysed(folder)
        assert severe(again) <= wrong, (first, second)
        if not contradict(first, second):
            assert not (one | other) & said(again).keys(), (first, second)
