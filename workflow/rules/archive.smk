# One file to deposit: the project, its raw logs, everything made of them, and metadata (RO-Crate 1.1,
# Data Packages, a bill of materials). docs/guides/archiving.md
#
#   snakemake --cores all write_archive     (make archive)
#
# in:  everything that `all` makes, which is verified first; results/, which must agree with it
# out: dist/evenflow.zip
ARCHIVE = f"{places.DIST}/evenflow.zip"
# what is not the project's own, where git does not say so
NOT_OWN = [DERIVED, SITE, places.LOGS, places.DIST, places.ASIDE]
NOT_OWN += ["ro-crate-metadata.json", "sbom.cdx.json"]
NOT_OWN += [f"{REPORTS}/{paper}/{made}" for paper in PAPERS for made in ("figures", "tables")]
NOT_OWN += [
    f"{REPORTS}/{paper}/{made}" for paper in PAPERS for made in ("_variables.yml", "_origins.json")
]
NOT_OWN += [f"{REPORTS}/{paper}/provenance.{end}" for paper in PAPERS for end in ("json", "md")]


rule write_archive:
    message:
        "Writing the archive"
    input:
        rules.all.input,
        made=list(VERIFIED["expected"].values()),
        citation=[path for path in [places.CITATION] if Path(path).is_file()],
        tolerances=ancient(places.tolerances_of_study()),
        data_model=ancient(places.named(places.DATA_MODEL)),
        readmes=[
            f"{REPORTS}/{p}/README.md" for p in PAPERS if Path(REPORTS, p, "README.md").is_file()
        ],
        locks=[p for p in ("requirements.lock", "requirements/build.lock") if Path(p).is_file()],
        code=modules_of("write_archive"),
    output:
        # a refused one leaves the last, which Snakemake restores if there is any
        update(ARCHIVE) if Path(ARCHIVE).is_file() else ARCHIVE,
    log:
        "logs/write_archive/all.log",
    conda:
        "../../environment.yml"
    threads: os.cpu_count() or 1  # Snakemake takes no more than --cores
    resources:
        mem_mb=8000,
        runtime=480,
    params:
        **VERIFIED,
        not_own=NOT_OWN,
        tables={name: f"{SITE}/datasets/{name}/tables" for name in DATASETS},
        papers={paper: f"{DERIVED}/papers/{paper}" for paper in PAPERS},
        raw=str(RAW),
        # read for this job only: a dataset.yml that is no YAML must not stop the others
        parts=lambda wildcards: listed.archive_parts(STUDY),
    script:
        "../scripts/write_archive.py"
