# Documentation: docs/, CHANGELOG.md, CONTRIBUTING.md, experiments/*/README.md -> reports/_site/docs/,
# a page each, which the header of every page leads to.
if DOCS:

    rule render_docs:
        message:
            "Rendering the documentation"
        input:
            texts=list(DOCS),
            images=sorted(map(str, Path("docs/images").glob("*"))),
            theme=own("theme/*"),
            code=modules_of("render_docs"),
        output:
            pages=[f"{SITE}/{page}" for page in DOCS.values()],
        log:
            "logs/render_docs/all.log",
        conda:
            "../../environment.yml"
        params:
            pages=DOCS,
            out=Path(SITE),
            theme=Path(THEME),
            site=AROUND,
        script:
            "../scripts/render_docs.py"
