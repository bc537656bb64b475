# What papers' folders make: reports/<paper>/<module>.py -> tables, figures and numbers.
#
# A rule for each module that has functions under `@paper.metric`, `@paper.figure`, `@paper.table` or
# `@paper.number`: `figures_<paper>` makes all figures of reports/<paper>/figures.py in one job, since
# most of a short job is the start of Python. Its inputs are what the functions' parameters name.
# `snakemake --list` has the rules; to find what makes reports/x/figures/y-z.svg, look for `def y_z`
# below reports/x/.
import re

from evenflow.papers.picture import picture_of


def tables_of_datasets():
    """List the tables that rules make of any data set, by name."""
    # Snakemake writes the wildcard with its constraint: {dataset,[^/]+}
    table = re.compile(rf"{re.escape(DERIVED)}/\{{dataset\b[^}}]*\}}/(\w+)\.parquet")
    made = [table.fullmatch(str(path)) for step in workflow.rules for path in step.output]
    return {found[1] for found in made if found}


ANALYSIS = ("steady_state", "nru", "statistics", "burstiness")
# settings of the analysis by their own names: those of the sections of config/config.yaml
SHARED = {k: v for section in ANALYSIS for k, v in config[section].items()}
OF_DATASET = tables_of_datasets()
FOLDERS = {name: FOUND[name].knowing(shared=SHARED, of_dataset=OF_DATASET) for name in PAPERS}
# paper -> names of its report's figures and tables
REPORT_FIGURES = {
    name: [p.file for p in folder.pieces("figure")] for name, folder in FOLDERS.items()
}
REPORT_TABLES = {name: [p.file for p in folder.pieces("table")] for name, folder in FOLDERS.items()}
# paper -> its table `claim`, of those that test claims of an original
CLAIMS = {
    name: folder.path(part)
    for name, folder in FOLDERS.items()
    for part in folder.pieces("metric")
    if part.name == "claim"
}
# {paper: the study that it repeats, or None}
ORIGINALS = {name: folder.about.get("original") for name, folder in FOLDERS.items()}
# {paper: what of paper.yml its page says of it}
OF_PAGE = ("original", "doi", "orcid", "picture")
CITED = {
    name: {key: folder.about[key] for key in OF_PAGE if key in folder.about}
    for name, folder in FOLDERS.items()
}
# paper -> the figure that shows what it found
PICTURES = {name: picture_of(folder) for name, folder in FOLDERS.items() if picture_of(folder)}

# module of a paper -> what it does, on the screen; of others what they make, and the name
STEPS = {
    "claims": "Judging the claims",
    "figures": "Drawing the figures",
    "judging": "Judging the claims",
    "metrics": "Computing the metrics",
    "numbers": "Writing the numbers",
    "tables": "Writing the tables",
}

DOING = {"metric": "Computing", "figure": "Drawing", "table": "Writing", "number": "Writing"}


def doing(pieces):
    """Say what a module does, by the first kind that it makes any of."""
    return next(verb for kind, verb in DOING.items() if any(p.kind == kind for p in pieces))


for folder in FOLDERS.values():
    for stem in folder.modules:
        step = STEPS.get(stem, f"{doing(folder.modules[stem])}: {stem}".replace("_", " "))

        rule:
            name:
                f"{stem}_{folder.name}"
            message:
                f"{step} ({folder.name})"
            input:
                **folder.inputs(stem),
                **folder.text_of(stem),
                module=f"{folder.folder}/{stem}.py",
                code=[
                    *modules_of("make_pieces"),
                    *map(ancient, folder.code(stem, places.package())),
                ],
            output:
                **{
                    name: shown(path) if path.endswith(".svg") else path
                    for name, path in folder.outputs(stem).items()
                },
            log:
                f"logs/{stem}/{folder.name}.log",
            conda:
                "../../environment.yml"
            params:
                settings=folder.settings(stem),
            script:
                "../scripts/make_pieces.py"
