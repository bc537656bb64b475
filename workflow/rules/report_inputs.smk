# What the rules of pages share: what reports and comparisons are made of.

from evenflow.imports import lines_of_rules
from evenflow.papers.find import cells_of

# what the search page has: sections of pages, and ids of runs
SEARCHED = [
    *expand(f"{SITE}/{{paper}}/index.html", paper=PAPERS),
    *expand(f"{SITE}/datasets/{{dataset}}/index.html", dataset=DATASETS),
    *expand(f"{SITE}/comparisons/{{comparison}}/index.html", comparison=COMPARISONS),
    *(f"{SITE}/{page}" for page in DOCS.values()),
]
RUN_TABLES = expand(f"{DERIVED}/{{dataset}}/run.parquet", dataset=DATASETS)


def report_pieces(wildcards):
    """List what a report is made of: its numbers, figures and tables."""
    folder, paper = f"{REPORTS}/{wildcards.paper}", wildcards.paper
    pieces = [f"{folder}/_variables.yml"]
    pieces += [f"{folder}/figures/{name}.svg" for name in REPORT_FIGURES[paper]]
    return pieces + [f"{folder}/tables/{name}.md" for name in REPORT_TABLES[paper]]


def of_datasets(table):
    """Return an input function: a table of each data set of a paper."""
    return lambda w: [f"{DERIVED}/{name}/{table}.parquet" for name in paper_datasets(w.paper)]


def report_cells(wildcards):
    """List what says which rows the cells of a report's tables were made of."""
    folder = f"{REPORTS}/{wildcards.paper}/tables"
    return [cells_of(f"{folder}/{name}.md") for name in REPORT_TABLES[wildcards.paper]]


def paper_tables(wildcards):
    """List the tables of a paper, and the runs of their rows."""
    folder = FOLDERS[wildcards.paper]
    made = [folder.outputs(module) for module in folder.modules]
    return [path for of in made for path in of.values() if path.endswith(".parquet")]


def paper_datasets(paper):
    """List the data sets that a report is made of."""
    return sorted({*PAPERS[paper].values(), *FURTHER.get(paper, {}).values()})


@cache
def paper_functions(paper):
    """Return {path of a piece: file, name and line of the function that makes it}."""
    folder = FOLDERS[paper]
    pieces = [piece for of in folder.modules.values() for piece in of if piece.kind != "number"]
    return {
        folder.path(piece): [f"{REPORTS}/{paper}/{piece.module}.py", piece.name, piece.line]
        for piece in pieces
    }


def described_rules(paper):
    """Return {rule: its file, script and settings} of what makes the pieces of a report.

    Only these: settings of other rules change with every data set or paper that is added.
    """
    found = {}
    others = tuple(f"_{name}" for name in FOLDERS if name != paper)
    for step in workflow.rules:
        if step.name.endswith(others):
            continue
        script = getattr(step, "script", None)
        made = str(step.output[0]) if step.output else ""
        if not isinstance(script, str) or not made.startswith((f"{DERIVED}/", f"{REPORTS}/")):
            continue
        if made.startswith(SITE) or Path(made).parent == Path(DERIVED):  # of the site, of no report
            continue
        settings = {k: v for k, v in step.params.items() if is_setting(v)}
        found[step.name] = {
            "file": places.said(str(step.snakefile)),
            "line": lines_of_rules(str(step.snakefile)).get(step.name),
            "script": places.said((Path(str(step.snakefile)).parent / script).resolve()),
            "settings": settings,
        }
    return found


def is_setting(value):
    """Say whether a parameter of a rule is a number, a word or a structure of these."""
    if isinstance(value, dict):
        return all(map(is_setting, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(is_setting, value))
    return isinstance(value, (bool, int, float, str)) and "/" not in str(value)


def of_sides(*tables):
    """Return an input function: tables of the data set that is compared, and of the other."""
    return lambda w: {
        side: [f"{DERIVED}/{COMPARISONS[w.comparison][side]}/{table}.parquet" for table in tables]
        for side in ("of", "against")
    }
