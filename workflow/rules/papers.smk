# What the papers' rules share or compute: functions that list their inputs, paper by paper.
# Constants are in the file of their paper.


def report_tables(wildcards):
    """Map the names of tables to those that a report's numbers come from."""
    roles = PAPERS[wildcards.paper]
    papers = f"{DERIVED}/papers/{wildcards.paper}"
    found = {
        name: [f"{DERIVED}/{dataset}/{name}.parquet" for dataset in roles.values()]
        for name in ("run", "flow", "flow_metric", "ledger", "sensitivity")
    }
    found |= {name: f"{papers}/{name}.parquet" for name in ("surface", "summary", "published")}
    if "simulation" in roles:
        testbeds = [role for role in roles if role != "simulation"]
        for name in ("difference", "verdict_sensitivity"):
            found[name] = expand(f"{papers}/{name}_{{role}}.parquet", role=testbeds)
    if "testbed" in own_roles(wildcards.paper):
        found["selfcheck"] = SELFCHECK
    if wildcards.paper in SECTIONS:
        found["sections"] = f"{papers}/sections.json"
    about = sorted({f"data/raw/{dataset}/dataset.yml" for dataset in roles.values()})
    return found | {"about": [path for path in about if Path(path).is_file()]}


def grid_figures(paper):
    """List the figures of a report: some of the paper, some of each testbed in it."""
    testbeds = [role for role in PAPERS[paper] if role != "simulation"]
    each = [f"{figure}_{role}" for figure in TESTBED_FIGURES[paper] for role in testbeds]
    return [*PAPER_FIGURES[paper], *each]


def compared(wildcards):
    """Return the data sets that a difference surface is of: the simulator's, the testbed's."""
    roles = PAPERS["ns2-vs-testbed"]
    return [roles["simulation"], roles[wildcards.role]]


def tables_of(part, paper, *names):
    """List tables of the data set that has a part in a paper or in the evidence."""
    dataset = (PAPERS[paper] | EVIDENCE)[part]
    return [f"{DERIVED}/{dataset}/{name}.parquet" for name in names]


def model_parts(wildcards):
    """List the parts whose data sets are models of a paper's printed surfaces."""
    roles = PAPERS[wildcards.paper]
    return [*roles, *(["fallback", "window"] if "simulation" in roles else [])]


def of_models(table):
    """Return an input function: the table of every data set that is a model."""
    return lambda w: [tables_of(part, w.paper, table)[0] for part in model_parts(w)]


def section_inputs(wildcards):
    """Map the kinds of tables that a section's table, figure or number is made of to lists."""
    paper = wildcards.paper
    papers = f"{DERIVED}/papers"
    return {
        "run": [tables_of(part, paper, "run")[0] for part in SECTION_PARTS[paper]],
        "distance": [f"{papers}/{name}/distance.parquet" for name in reversed(GRID_PAPERS)],
        "change": [f"{papers}/{paper}/change.parquet"],
        "share": [f"{papers}/{paper}/share.parquet"],
    }


def synchronisation_inputs(*more):
    """Return an input function: the points' tables and `more`, by name."""

    def inputs(wildcards):
        dataset = PAPERS["synchronisation"]["simulation"]
        names = [*SYNCHRONISATION_POINTS, *more]
        names += SYNCHRONISATION_TABLES.get(wildcards.get("table"), [])
        found = {name: f"{DERIVED}/{dataset}/{name}.parquet" for name in names}
        about = f"data/raw/{dataset}/dataset.yml"
        elsewhere = {
            "about": [about] if Path(about).is_file() else [],
            "authors": f"{SYNCHRONISATION}/authors.yml",
            "published": f"{SYNCHRONISATION}/published.csv",
        }
        return found | {name: path for name, path in elsewhere.items() if name in found}

    return inputs


def of_hstcp(*tables):
    """Return an input function: tables of the paper, and of the data set that plays in it."""

    def inputs(wildcards):
        dataset = PAPERS[BUFFER_PAPER]["simulation"]
        return {
            name: f"{BUFFER_TABLES if name in BUFFER_OWN else f'{DERIVED}/{dataset}'}/{name}.parquet"
            for name in tables
        }

    return inputs


def hstcp_table_inputs(wildcards):
    """Map the names of tables to those that one table of the report is made of."""
    return of_hstcp(*BUFFER_TABLE_INPUTS[wildcards.table])(wildcards)


def hstcp_about(wildcards):
    """The dataset.yml of the data set that plays in the paper, where it has one."""
    path = Path("data/raw", PAPERS[BUFFER_PAPER]["simulation"], "dataset.yml")
    return [str(path)] if path.is_file() else []


def paper_datasets(paper):
    """List the data sets that a report is made of, those of its sections on further data included."""
    further = EVIDENCE if paper in GRID_PAPERS else {}
    return sorted({*PAPERS[paper].values(), *further.values()})


def is_listed(dataset):
    """Say whether a data set has a manifest of its raw files."""
    return Path(MANIFESTS, "raw", f"{dataset}.sha256").is_file()


def listed_config():
    """Return the configuration without the papers and data sets that have no manifest yet."""
    found = dict(config)
    found["papers"] = {
        paper: roles if paper in PAPERS and all(map(is_listed, paper_datasets(paper))) else None
        for paper, roles in config["papers"].items()
    }
    if not all(map(is_listed, EVIDENCE.values())):
        found["evidence"] = None
    if config.get("datasets"):
        found["datasets"] = [name for name in DATASETS if is_listed(name)]
    return found


def expected_files():
    """Map the names below results/expected/ to the made files that they are kept from.

    Kept are the numbers and tables of every report, its most condensed table, and of every data set
    what its cells amount to. What needs a data set without a manifest is left out.
    """
    datasets = [name for name in DATASETS if is_listed(name)]
    found = {f"datasets/{name}.csv": f"{DERIVED}/{name}/cell.parquet" for name in datasets}
    for paper in PAPERS:
        if not all(map(is_listed, paper_datasets(paper))):
            continue
        found[f"{paper}/_variables.yml"] = f"reports/{paper}/_variables.yml"
        for table in REPORT_TABLES[paper]:
            found[f"{paper}/{table}.md"] = f"reports/{paper}/tables/{table}.md"
        condensed = CONDENSED.get(paper, "").format(**PAPERS[paper])
        if condensed:
            found[f"{paper}/{Path(condensed).stem}.csv"] = f"{DERIVED}/{condensed}.parquet"
    return found


def made_of():
    """Map the beginnings of made files' paths to the data sets that they are made of."""
    found = {
        f"{folder}/{name}/": [name] for name in DATASETS for folder in (DERIVED, f"{SITE}/datasets")
    }
    for paper in PAPERS:
        for folder in (f"{DERIVED}/papers", "reports", SITE):
            found[f"{folder}/{paper}/"] = paper_datasets(paper)
    return found | {f"{SITE}/index.html": sorted(NAMED | set(DATASETS))}


def archive_parts():
    """List what the metadata of the archive describes: files and folders with their meaning."""
    parts = [
        (
            "Snakefile",
            "Workflow",
            "The Snakemake workflow, from raw logs to papers",
            "text/x-python",
        ),
        ("README.md", "Read me", "What this is and how to use it", "text/markdown"),
        ("requirements.lock", "Environment", "Python packages with hashes, for pip", "text/plain"),
        (
            "requirements-build.lock",
            "What builds the environment",
            "Packages with hashes, for pip, that those without a wheel are built with",
            "text/plain",
        ),
        ("environment.yml", "Environment for conda", "The same packages for conda", "text/yaml"),
        ("results/", "Manifests and expected values", "What `make verify` compares with", ""),
        ("docs/", "Documentation", "Data model, definitions, how the data were made", ""),
    ]
    for name in find_datasets(RAW):
        parts.append((f"data/raw/{name}/", f"Raw logs of {name}", "Logs and their dataset.yml", ""))
    for name in DATASETS:
        parts += [
            (f"{DERIVED}/{name}/", f"Tables of {name}", "Parquet; docs/data-model.md", ""),
            (
                f"{SITE}/datasets/{name}/tables/datapackage.json",
                f"Tables of {name} as CSV",
                "Data Package descriptor of the CSV files beside it",
                "application/json",
            ),
        ]
    for paper in PAPERS:
        folder = f"{DERIVED}/papers/{paper}/"
        parts.append((folder, f"Tables of {paper}", "Parquet; docs/data-model.md", ""))
        for path, kind in (("index.html", "text/html"), (f"{paper}.pdf", "application/pdf")):
            about = f"The paper {paper}, re-done from the raw logs"
            parts.append((f"{SITE}/{paper}/{path}", f"{paper}, {path}", about, kind))
    keys = ("id", "name", "description", "format")
    described = [dict(zip(keys, part, strict=True)) for part in parts]
    for part in described:
        if part["id"].startswith("data/raw/"):
            part["licence"] = dataset_licence(part["id"])
    return described


def dataset_licence(folder):
    """Return the licence that a data set's dataset.yml names, nothing where it names none."""
    path = Path(folder, "dataset.yml")
    try:
        about = read_yaml(path)[0] if path.is_file() else None
    except DataError:  # the data set's own jobs say what is wrong: it must not stop the others
        return ""
    return about.get("licence", "") if isinstance(about, dict) else ""


def of_paper(paper, *tables):
    """Return an input function: tables of the data set `data` of a report of one's own, by name."""
    return lambda wildcards: {
        table: f"{DERIVED}/{PAPERS[paper]['data']}/{table}.parquet" for table in tables
    }


def no_such_paper(name):
    """Say that no rules make a paper that config.yaml names, and what to do."""
    return (
        f"no rules make such a report. Remedy: {did_you_mean(name, REPORT_TABLES)} or start it: "
        f"`make paper NAME={name} DATA=<data set>`"
    )


def pair_parts(wildcards):
    """List the roles that data sets have in high-speed-fairness, as its tables name them."""
    return list(PAPERS[PAIR_PAPER])


def of_pairs(*tables):
    """Return an input function: tables of the data sets of high-speed-fairness, in their order."""

    def inputs(wildcards):
        datasets = PAPERS[PAIR_PAPER].values()
        return {name: [f"{DERIVED}/{d}/{name}.parquet" for d in datasets] for name in tables}

    return inputs


def pair_inputs(wildcards):
    """Map names to what the tables and numbers of high-speed-fairness come from, of the paper."""
    names = [*PAIR_TABLES, "pair_sensitivity"]
    found = {name: f"{PAIR_FOLDER}/{name}.parquet" for name in names}
    about = [f"data/raw/{dataset}/dataset.yml" for dataset in PAPERS[PAIR_PAPER].values()]
    found["about"] = [path for path in about if Path(path).is_file()]
    if "testbed" in own_roles(PAIR_PAPER):
        found["selfcheck"] = PAIR_SELFCHECK
    return found
