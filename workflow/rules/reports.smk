# Reports: text, numbers, tables and figures of a paper -> HTML and PDF, and the index that leads to
# them. A report's text is reports/<paper>/index.qmd; papers.smk makes its figures, tables, numbers.
FIRST_PAGES = {"html": f"{SITE}/index.html", "search": f"{SITE}/search.html"}
# what the index is made of, by what write_index calls it
INDEX = {
    "theme": Path(THEME),
    "reports": [f"{REPORTS}/{paper}" for paper in PAPERS],
    "datasets": [f"{RAW}/{name}" for name in DATASETS],
    "refused": REFUSED,
    "comparisons": COMPARISONS,
    "claims": CLAIMS,
    "pictures": PICTURES,
    "originals": ORIGINALS,
    "derived": DERIVED,
    "site": AROUND,
    "confidence": config["statistics"]["confidence"],
    # how many runs the campaigns of this study ask for (experiments/planned.py)
    "planned": places.PLANNED if Path(places.PLANNED).is_file() else None,
}


rule render_report:
    message:
        "Rendering {wildcards.paper}"
    input:
        qmd=f"{REPORTS}/{{paper}}/index.qmd",
        project=f"{REPORTS}/{{paper}}/_quarto.yml",
        bibliography=f"{REPORTS}/{{paper}}/refs.bib",
        variables=f"{REPORTS}/{{paper}}/_variables.yml",
        figures=lambda w: [f"{REPORTS}/{w.paper}/figures/{f}.svg" for f in REPORT_FIGURES[w.paper]],
        tables=lambda w: [f"{REPORTS}/{w.paper}/tables/{t}.md" for t in REPORT_TABLES[w.paper]],
        # the report's findings are bound to them
        claims=lambda w: [CLAIMS[w.paper]] if w.paper in CLAIMS else [],
        vega=f"{DERIVED}/vega.js",
        # what each figure, table and number was made from (docs/explanation/provenance.md)
        origins=f"{REPORTS}/{{paper}}/_origins.json",
        made=lambda w: FOLDERS[w.paper].made_tables,
        words=ancient(f"{places.package()}/provenance/tables.yml"),
        cells=report_cells,
        run=of_datasets("run"),
        sample=of_datasets("sample"),
        run_file=of_datasets("run_file"),
        theme=own("theme/*"),
        code=modules_of("render_report"),
    output:
        html=f"{SITE}/{{paper}}/index.html",
        pdf=f"{SITE}/{{paper}}/{{paper}}.pdf",
        # for papers that take a number or a figure from here
        tex=f"{SITE}/{{paper}}/{{paper}}.tex",
        bib=f"{SITE}/{{paper}}/{{paper}}.bib",
        lost=LOST_FINDINGS,
        provenance=f"{REPORTS}/{{paper}}/provenance.json",
        appendix=f"{REPORTS}/{{paper}}/provenance.md",
    log:
        "logs/render_report/{paper}.log",
    conda:
        "../../environment.yml"
    params:
        theme=Path(THEME),
        renderer=lambda w: renderer(),
        datasets=lambda w: PAPERS[w.paper].all_datasets,
        site=AROUND,
        about=lambda w: CITED[w.paper],
        of_part=lambda w: PAPERS[w.paper].all_parts,
        derived=lambda w: DERIVED,
        rules=lambda w: described_rules(workflow.rules, PLACES, FOLDERS.keys() - {w.paper}),
        functions=lambda w: FOLDERS[w.paper].functions,
        shared=SHARED,
        of_dataset=sorted(OF_DATASET),
        settings={name: config[name] for name in ("steady_state", "nru", "statistics")},
    script:
        "../scripts/render_report.py"


# what is shown where a link to a paper is shared; it is found by its address alone
rule draw_card:
    message:
        "Drawing the picture for links to {wildcards.paper}"
    input:
        svg=lambda w: PICTURES[w.paper],
        code=modules_of("draw_card"),
    output:
        png=f"{SITE}/{{paper}}/card.png",
    log:
        "logs/draw_card/{paper}.log",
    wildcard_constraints:
        paper="|".join(map(re.escape, PICTURES)) or "(?!)",
    conda:
        "../../environment.yml"
    script:
        "../scripts/draw_card.py"


# for the live charts, once for all pages
rule bundle_vega:
    message:
        "Bundling the scripts that draw charts (Vega)"
    input:
        code=modules_of("bundle_vega"),
    output:
        f"{DERIVED}/vega.js",
    log:
        "logs/bundle_vega/all.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/bundle_vega.py"


rule render_index:
    message:
        "Rendering the index"
    input:
        qmd=expand(f"{REPORTS}/{{paper}}/index.qmd", paper=PAPERS),
        variables=expand(f"{REPORTS}/{{paper}}/_variables.yml", paper=PAPERS),
        origins=expand(f"{REPORTS}/{{paper}}/_origins.json", paper=PAPERS),
        # a report's title and first sentence may come from what it includes
        tables=[
            f"{REPORTS}/{paper}/tables/{t}.md" for paper in PAPERS for t in REPORT_TABLES[paper]
        ],
        yml=[p for p in (f"{RAW}/{name}/dataset.yml" for name in DATASETS) if Path(p).is_file()],
        claims=list(CLAIMS.values()),
        pictures=list(PICTURES.values()),
        run=RUN_TABLES,
        cell=expand(f"{DERIVED}/{{dataset}}/cell.parquet", dataset=DATASETS),
        # the overview
        pairs=expand(
            f"{DERIVED}/{{dataset}}/{{table}}.parquet",
            dataset=DATASETS,
            table=("flow", "flow_metric", "run_metric"),
        ),
        pages=SEARCHED,
        planned=INDEX["planned"] or [],
        theme=own("theme/*"),
        code=modules_of("render_index"),
    output:
        **FIRST_PAGES,
    log:
        "logs/render_index/index.log",
    conda:
        "../../environment.yml"
    params:
        about=lambda w: INDEX,
    script:
        "../scripts/render_index.py"
