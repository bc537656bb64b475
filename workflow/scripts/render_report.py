"""Render a report directory to one self-contained HTML file and one PDF."""

from pathlib import Path

from evenflow.render import render_report
from evenflow.revision import describe_revision
from evenflow.scripting import reporting_errors


def main(qmd: str, theme: str, vega: str, html: str, pdf: str) -> None:
    """Render the directory of `qmd`, an index.qmd; say which renderer did it."""
    # read here and not a parameter of the rule: a commit that changes no input renders nothing anew
    revision = describe_revision(Path.cwd())
    renderer = render_report(
        Path(qmd).parent, Path(html), Path(pdf), Path(theme), revision, Path(vega)
    )
    print(f"{html} and {pdf} were rendered by {renderer}")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        output = snakemake.output
        main(
            snakemake.input.qmd,
            snakemake.params.theme,
            snakemake.input.vega,
            output.html,
            output.pdf,
        )
