# Does what is written here follow from the raw logs? docs/guides/verifying.md
#
#   snakemake --cores all verify            (make verify)     check raw files, make all again, compare
#   snakemake --cores 1 write_manifest      (make manifest)   list the raw files that are new
#   snakemake --cores all write_expected    (make expected)   keep the numbers of today
#
# in:  data/raw/, results/, config/verify.yaml; and, where they were made,
#      data/derived/ and reports/, which are compared and never changed
# out: results/manifest/*.sha256, results/expected/, which are committed
#
# These rules have no output, so that they always run, and are never part of `all`.
from evenflow.verify import listed

STUDY = listed.Study(PLACES, DATASETS, FOLDERS, COMPARISONS)
# what of the project is not needed to make its outputs, and what is made, as patterns
LAYOUT = {
    "left_out": [*places.NOT_COPIED],
    "made": [str(RAW), DERIVED, *MADE_IN_REPORTS, places.EXPECTED, places.MANIFESTS],
}
MADE = [DERIVED, *MADE_IN_REPORTS]
# what a verification goes by (evenflow.verify.steps.verify_project)
VERIFIED = {
    "manifests": listed.manifests(STUDY),
    "layout": LAYOUT | {"compared": MADE, "uncompared": [f"{DERIVED}/experiments/"]},
    "expected": listed.expected_files(STUDY),
    "expected_folder": places.EXPECTED,
    "made_of": listed.made_of(STUDY),
    "config": listed.listed_config(STUDY, config),
    "target": rules.all.rule.name,  # where evenflow is a module, it may be another
    "papers_at": {paper: f"{SITE}/{paper}/index.html" for paper in PAPERS},
}


rule verify:
    message:
        "Checking the raw files and making everything again from them in another place"
    input:
        tolerances=ancient(places.tolerances_of_study()),
        code=modules_of("verify"),
    log:
        "logs/verify/all.log",
    conda:
        "../../environment.yml"
    threads: os.cpu_count() or 1  # Snakemake takes no more than --cores
    resources:
        mem_mb=8000,
        runtime=480,
    params:
        **VERIFIED,
    script:
        "../scripts/verify.py"


rule write_manifest:
    message:
        "Listing the raw files"
    input:
        code=modules_of("write_manifest"),
    log:
        "logs/write_manifest/all.log",
    conda:
        "../../environment.yml"
    params:
        manifests=VERIFIED["manifests"],
        accept=config.get("accept_changed", False),
    script:
        "../scripts/write_manifest.py"


rule write_expected:
    message:
        "Computing all reports again in another place, to keep their numbers as expected"
    input:
        code=modules_of("write_expected"),
    log:
        "logs/write_expected/all.log",
    conda:
        "../../environment.yml"
    threads: os.cpu_count() or 1  # Snakemake takes no more than --cores
    resources:
        mem_mb=8000,
        runtime=480,
    params:
        manifests=VERIFIED["manifests"],
        layout=LAYOUT,
        expected=VERIFIED["expected"],
        expected_folder=places.EXPECTED,
        config=VERIFIED["config"],
    script:
        "../scripts/write_expected.py"
