"""Render a report directory to one self-contained HTML file and one PDF."""

from pathlib import Path

from evenflow.render import render_report
from evenflow.scripting import reporting_errors


def main(qmd: str, theme: str, html: str, pdf: str) -> None:
    """Render the directory of `qmd`, an index.qmd; say which renderer did it."""
    renderer = render_report(Path(qmd).parent, Path(html), Path(pdf), Path(theme))
    print(f"{html} and {pdf} were rendered by {renderer}")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        output = snakemake.output
        main(snakemake.input.qmd, snakemake.params.theme, output.html, output.pdf)
