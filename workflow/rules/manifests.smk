# What a verification and an archive go by: functions that list what is made of what.
MANIFESTS = "results/manifest"


def manifests():
    """Map the manifests of raw files, those to be written included, to what they list.

    What they list is a folder and, after it, the folders in it that are left out.
    """
    listed = {path.stem for path in Path(MANIFESTS, "raw").glob("*.sha256")}
    found = {
        f"{MANIFESTS}/raw/{name}.sha256": [str(RAW / name)]
        for name in sorted(listed | set(find_datasets(RAW)))
    }
    return found | {f"{MANIFESTS}/data.sha256": ["data", str(RAW), DERIVED]}


def is_listed(dataset):
    """Say whether a data set has a manifest of its raw files."""
    return Path(MANIFESTS, "raw", f"{dataset}.sha256").is_file()


def listed_config():
    """Return the configuration without the papers and data sets that have no manifest yet."""
    found = dict(config)
    found["papers"] = [name for name in PAPERS if all(map(is_listed, paper_datasets(name)))]
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
        found[f"{paper}/_variables.yml"] = f"{REPORTS}/{paper}/_variables.yml"
        for table in REPORT_TABLES[paper]:
            found[f"{paper}/{table}.md"] = f"{REPORTS}/{paper}/tables/{table}.md"
        kept = FOLDERS[paper].condensed.items()
        found |= {f"{paper}/{name}.csv": path for name, path in kept}
    return found


def made_of():
    """Map the beginnings of made files' paths to the data sets that they are made of."""
    found = {
        f"{folder}/{name}/": [name] for name in DATASETS for folder in (DERIVED, f"{SITE}/datasets")
    }
    for paper in PAPERS:
        for folder in (f"{DERIVED}/papers", REPORTS, SITE):
            found[f"{folder}/{paper}/"] = paper_datasets(paper)
    for name, sides in COMPARISONS.items():
        for folder in (DERIVED, SITE):
            found[f"{folder}/comparisons/{name}/"] = sorted(sides.values())
    ends = (f"{SITE}/index.html", f"{SITE}/search.html")
    return found | dict.fromkeys(ends, sorted(NAMED | set(DATASETS)))


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
            "requirements/build.lock",
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
    parts = [part for part in parts if part[0] == "sbom.cdx.json" or Path(part[0]).exists()]
    for name in find_datasets(RAW):
        parts.append((f"{RAW}/{name}/", f"Raw logs of {name}", "Logs and their dataset.yml", ""))
    for name in DATASETS:
        parts += [
            (
                f"{DERIVED}/{name}/",
                f"Tables of {name}",
                "Parquet; docs/reference/data-model.md",
                "",
            ),
            (
                f"{SITE}/datasets/{name}/tables/datapackage.json",
                f"Tables of {name} as CSV",
                "Data Package descriptor of the CSV files next to it",
                "application/json",
            ),
        ]
    for paper in PAPERS:
        folder = f"{DERIVED}/papers/{paper}/"
        parts.append((folder, f"Tables of {paper}", "Parquet; docs/reference/data-model.md", ""))
        for path, kind in (("index.html", "text/html"), (f"{paper}.pdf", "application/pdf")):
            about = f"The paper {paper}, re-done from the raw logs"
            parts.append((f"{SITE}/{paper}/{path}", f"{paper}, {path}", about, kind))
    for name, sides in COMPARISONS.items():
        about = f"{sides['of']} against {sides['against']}"
        path = f"{SITE}/comparisons/{name}/index.html"
        parts += [
            (
                f"{DERIVED}/comparisons/{name}/",
                f"Tables of {name}",
                "docs/reference/data-model.md",
                "",
            ),
            (path, f"{name}, index.html", f"Comparison of {about}", "text/html"),
        ]
    keys = ("id", "name", "description", "format")
    described = [dict(zip(keys, part, strict=True)) for part in parts]
    for part in described:
        if part["id"].startswith(f"{RAW}/"):
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
