# What papers' folders make: reports/<paper>/<module>.py -> tables, figures and numbers.
#
# A rule for each module that has functions under `@paper.metric`, `@paper.figure`, `@paper.table` or
# `@paper.number`, and one for those that only print: `figures_<paper>` makes all figures of
# reports/<paper>/figures.py in one job, `numbers_tables_<paper>` what numbers.py and tables.py print,
# since most of a short job is the start of Python. Its inputs are what functions' parameters name.
# `snakemake --list` has the rules; to find what makes reports/x/figures/y-z.svg, look for `def y_z`
# below reports/x/.
from evenflow.papers.picture import picture_of
from evenflow.papers.steps import step_of
from evenflow.runs.rules import tables_of_datasets

ANALYSIS = ("steady_state", "nru", "statistics", "burstiness")
# settings of the analysis by their own names: those of the sections of config/config.yaml
SHARED = {k: v for section in ANALYSIS for k, v in config[section].items()}
OF_DATASET = tables_of_datasets(workflow.rules, DERIVED)
FOLDERS = {
    name: paper.knowing(shared=SHARED, of_dataset=OF_DATASET) for name, paper in PAPERS.items()
}
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

for folder in FOLDERS.values():
    for job, stems in folder.jobs.items():

        rule:
            name:
                f"{job}_{folder.name}"
            message:
                f"{step_of({stem: folder.modules[stem] for stem in stems})} ({folder.name})"
            input:
                **folder.inputs(*stems),
                **folder.text_of(*stems),
                modules=[f"{folder.folder}/{stem}.py" for stem in stems],
                code=[
                    *modules_of("make_pieces"),
                    *map(ancient, folder.code(places.package(), *stems)),
                ],
            output:
                **{
                    name: shown(path) if path.endswith(".svg") else path
                    for name, path in folder.outputs(*stems).items()
                },
            log:
                f"logs/{job}/{folder.name}.log",
            conda:
                "../../environment.yml"
            params:
                settings=folder.settings(*stems),
            script:
                "../scripts/make_pieces.py"
