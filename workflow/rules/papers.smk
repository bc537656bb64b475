# What the papers' rules share or compute: functions that list their inputs, paper by paper.
# Constants are in the file of their paper.


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
    """List the data sets that a report is made of."""
    return sorted({*PAPERS[paper].values(), *FURTHER.get(paper, {}).values()})


def is_listed(dataset):
    """Say whether a data set has a manifest of its raw files."""
    return Path(MANIFESTS, "raw", f"{dataset}.sha256").is_file()


def listed_config():
    """Return the configuration without the papers and data sets that have no manifest yet."""
    found = dict(config)
    found["papers"] = {
        paper: roles if paper in PAPERS and all(map(is_listed, paper_datasets(paper))) else None
        for paper, roles in (config.get("papers") or {}).items()
    }
    found["comparisons"] = {
        name: sides for name, sides in COMPARISONS.items() if all(map(is_listed, sides.values()))
    }
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
    for name, sides in COMPARISONS.items():
        for folder in (DERIVED, SITE):
            found[f"{folder}/comparisons/{name}/"] = sorted(sides.values())
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
        (
            "sbom.cdx.json",
            "Bill of materials",
            "CycloneDX: every package of the environment, with hashes, licences and dependencies",
            "application/vnd.cyclonedx+json",
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
    for name, sides in COMPARISONS.items():
        about = f"{sides['of']} against {sides['against']}"
        path = f"{SITE}/comparisons/{name}/index.html"
        parts += [
            (f"{DERIVED}/comparisons/{name}/", f"Tables of {name}", "docs/data-model.md", ""),
            (path, f"{name}, index.html", f"Comparison of {about}", "text/html"),
        ]
    keys = ("id", "name", "description", "format")
    described = [dict(zip(keys, part, strict=True)) for part in parts]
    for part in described:
        if part["id"].startswith("data/raw/"):
            part["licence"] = dataset_licence(part["id"])
    return described


def dataset_licence(folder):
    """Return the licence that a data set's dataset.yml names, nothing where it names none."""
    path = Path(folder, "dataset.yml")
    return (read_yaml(path)[0] or {}).get("licence", "") if path.is_file() else ""


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
