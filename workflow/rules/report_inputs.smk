# What the rules of pages share: what reports and comparisons are made of.

from evenflow.papers.find import cells_of
from evenflow.runs.rules import described_rules

# what the search page has: sections of pages, and ids of runs
SEARCHED = [
    *expand(f"{SITE}/{{paper}}/index.html", paper=PAPERS),
    *expand(f"{SITE}/datasets/{{dataset}}/index.html", dataset=DATASETS),
    *expand(f"{SITE}/comparisons/{{comparison}}/index.html", comparison=COMPARISONS),
    *(f"{SITE}/{page}" for page in DOCS.values()),
]
RUN_TABLES = expand(f"{DERIVED}/{{dataset}}/run.parquet", dataset=DATASETS)


def of_datasets(table):
    """Return an input function: a table of each data set of a paper."""
    return lambda w: [f"{DERIVED}/{name}/{table}.parquet" for name in PAPERS[w.paper].all_datasets]


def report_cells(wildcards):
    """List what says which rows the cells of a report's tables were made of."""
    folder = f"{REPORTS}/{wildcards.paper}/tables"
    return [cells_of(f"{folder}/{name}.md") for name in REPORT_TABLES[wildcards.paper]]


def stream_of(side):
    """Return an input function: the table stream of each chunk of a data set that is compared."""
    return lambda w: [
        f"{folder}/measured/stream.parquet" for folder in chunks(COMPARISONS[w.comparison][side])
    ]


def of_sides(*tables):
    """Return an input function: tables of the data set that is compared, and of the other."""
    return lambda w: {
        side: [f"{DERIVED}/{COMPARISONS[w.comparison][side]}/{table}.parquet" for table in tables]
        for side in ("of", "against")
    }
