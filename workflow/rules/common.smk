# What all rules share. Other constants are in the file of their stage.
import os
import sys
from functools import cache
from pathlib import Path

from evenflow.documentation import pages_of_docs
from evenflow import plugins
from evenflow.imports import imported_modules
from evenflow.runs import needs

THEME = places.own("theme")
DOCS = pages_of_docs(Path())
# what the header of every page leads to
AROUND = {"docs": bool(DOCS), "repository": config.get("repository_url")}
AROUND |= {"alone": config.get("alone", False), "url": config.get("site_url")}

# points of a flow over time on the page of its data set; of one of so many chunks, 60,000 files, fewer
MOST_POINTS, FEW_POINTS, MANY_CHUNKS = 300, 100, 25

# what is made in reports/, as patterns
MADE_IN_REPORTS = [SITE, f"{REPORTS}/*/figures", f"{REPORTS}/*/tables"]
MADE_IN_REPORTS += [f"{REPORTS}/*/_variables.yml", f"{REPORTS}/*/provenance.*"]


# a mistake in one is said once, before jobs start; without any nothing is loaded
if workflow.is_main_process and any(map(plugins.files, plugins.LOADED_BY)):
    try:
        from evenflow import congestion_controls, formats
        from evenflow.metrics import catalogue

        list(formats.FORMATS)  # those of plug-ins are loaded when all are asked for
    except DataError as error:
        raise WorkflowError(str(error))


def papers_of(dataset):
    """List the papers that use a data set."""
    return [name for name, paper in PAPERS.items() if dataset in paper.all_datasets]


def own(*patterns):
    """List files of the workflow that a job reads, whose edit reruns it.

    By content, as receipts have it (evenflow.runs); for Snakemake, which goes by times, they are
    `ancient`. Installers give files any time: uv that of its cache, older than what was made, pip
    that of now.
    """
    found = (path for pattern in patterns for path in sorted(places.WORKFLOW.glob(pattern)))
    return [ancient(places.named(path)) for path in found]


def modules_of(script):
    """List a script and the modules of evenflow that it is made of, whose edit reruns its rule."""
    script = places.own(f"scripts/{script}.py")
    modules = imported_modules(script, places.package())
    return [ancient(str(path)) for path in (script, *modules, *plugins.files_of(modules))]


def raw(dataset):
    """Return what is known of the raw files of a data set."""
    try:
        return RAW_DATA.of(dataset)
    except DataError as error:
        print(error, file=sys.stderr)
        sys.exit(1)  # else it would be said with a rule and a traceback


# What a job needs where its rule says nothing else is in profiles/default. It goes by the size of
# inputs, which nobody knows before they are there: too late for jobs that are submitted as a group.
def dataset_mb(wildcards, attempt):
    """Return the MB that a job about a data set needs; more where it is tried again."""
    mb, chunked = raw(wildcards.dataset).mb, in_chunks(wildcards.dataset)
    return needs.memory_mb(mb, chunked, attempt)


def sample_threads(wildcards):
    """Return how many threads are worth their cores where all samples of a data set are read.

    Snakemake takes at most --cores.
    """
    return needs.threads(raw(wildcards.dataset).mb)


def dataset_threads(wildcards):
    """Return how many threads are worth their cores for a data set.

    Of one in several chunks only the few rows a run are read: there another job gains more by a core.
    """
    return 1 if in_chunks(wildcards.dataset) else sample_threads(wildcards)


def in_chunks(dataset):
    """Say whether a data set is read in several chunks; else its tables are those of the one."""
    return raw(dataset).in_chunks


def measures(wildcards):
    """Return by what runs are measured: settings of config.yaml, and how fine they are drawn."""
    many = len(chunks(wildcards.dataset)) >= MANY_CHUNKS
    return MEASURES | {"points": FEW_POINTS if many else MOST_POINTS}


def chunks(dataset):
    """List the folders of the tables of a data set's chunks."""
    return raw(dataset).folders(f"{DERIVED}/{dataset}")


def by_chunk(table):
    """Return an input function: a table of each chunk of a data set."""
    return lambda w: [f"{folder}/{table}.parquet" for folder in chunks(w.dataset)]


def of_chunk(folder):
    """Return what read_logs writes of a data set, or of a chunk of it, to a folder."""
    return {
        "parsed": [f"{folder}/parsed/{table}.parquet" for table in PARSED],
        "built": [f"{folder}/{table}.parquet" for table in OF_CHUNK],
        "measured": [f"{folder}/measured/{table}.parquet" for table in [*MEASURED, *DRAWN]],
        "share": f"{folder}/share.pickle",
    }


def of_chunks():
    """Return what settle_runs reads of each chunk of a data set."""
    return {
        **{f"measured_{table}": by_chunk(f"measured/{table}") for table in MEASURED},
        **{table: by_chunk(table) for table in ("flow", "ledger")},
        "shares": lambda w: [f"{folder}/share.pickle" for folder in chunks(w.dataset)],
        "parsed_flow": by_chunk("parsed/flow"),
    }


def of_cases(folder):
    """Return what measure_cases reads of a data set, or of a chunk of it."""
    return {
        "sample": f"{folder}/sample.parquet",
        "flow": f"{folder}/flow.parquet",
        "run": f"{folder}/parsed/run.parquet",
        "window": f"{folder}/measured/window.parquet",
    }


def of_page(tables):
    """Return what a data set's page is made of, tables to publish among it."""
    return {
        "tables": [f"{DERIVED}/{{dataset}}/{table}.parquet" for table in tables],
        "points": by_chunk("measured/points"),
        "stream": by_chunk("measured/stream"),
        "yml": lambda w: [p for p in [f"{RAW}/{w.dataset}/dataset.yml"] if Path(p).is_file()],
        "theme": own("theme/*"),
    }


def public_tables():
    """List the tables of all data sets; of one in chunks those with a row a sample if they are there."""
    small = expand(f"{DERIVED}/{{dataset}}/{{table}}.parquet", dataset=DATASETS, table=PUBLIC)
    pairs = [(dataset, table) for dataset in DATASETS for table in OF_SAMPLES]
    large = [(f"{DERIVED}/{name}/{table}.parquet", not in_chunks(name)) for name, table in pairs]
    where = f"{SITE}/datasets/{{}}/tables/{{}}.parquet"
    large += [(where.format(*pair), False) for pair in pairs if in_chunks(pair[0])]
    return small + [path for path, always in large if always or Path(path).exists()]


def published(tables):
    """Return where tables of a data set are to be downloaded from: those as Parquet, those as CSV."""
    # tables with a row a sample are too large for plain text
    ends = {table: "csv.gz" if table in OF_SAMPLES else "csv" for table in tables}
    return {
        "parquet": [f"{PUBLISHED}/{table}.parquet" for table in tables],
        "csv": [f"{PUBLISHED}/{table}.{end}" for table, end in ends.items()],
    }


@cache
def renderer():
    """Name what renders the papers here, with its version: with another, all are rendered again."""
    # imported where it is needed: jobs of other rules read this file too
    from evenflow.render import renderer_here

    return renderer_here()


@cache
def page_renderer():
    """Name what renders the pages here, with its version: with another, all are rendered again."""
    from evenflow.render import page_renderer_here

    return page_renderer_here()


def shown(path):
    """Mark a figure for Snakemake's own report (`snakemake --report`), by paper or comparison."""
    *_, owner, _, name = Path(path).parts
    kind = "Comparisons" if path.startswith(f"{DERIVED}/comparisons/") else "Papers"
    return report(
        path,
        caption="../report/figure.rst",
        category=kind,
        subcategory=owner,
        labels={"figure": Path(name).stem},
    )
