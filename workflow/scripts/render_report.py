"""Render a report directory to one HTML file and one PDF.

Snakemake: input.qmd (index.qmd; the other inputs are the files that it needs), params.theme (the
directory of templates and style sheet), output.html, output.pdf.
"""

from pathlib import Path

from evenflow.render import render_report


def main(qmd: str, theme: str, html: str, pdf: str) -> None:
    renderer = render_report(Path(qmd).parent, Path(html), Path(pdf), Path(theme))
    print(f"{html} and {pdf} rendered by {renderer}")


if __name__ == "__main__":
    main(
        qmd=snakemake.input.qmd,
        theme=snakemake.params.theme,
        html=snakemake.output.html,
        pdf=snakemake.output.pdf,
    )
