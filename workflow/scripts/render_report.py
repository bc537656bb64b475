"""Render a paper to one self-contained HTML file and one PDF, with what its numbers are from."""

from pathlib import Path

from evenflow.files import write_text
from evenflow.papers.provenance import write_provenance
from evenflow.render import render_report
from evenflow.render.cite import entry_of
from evenflow.render.latex import latex_numbers
from evenflow.render.site import Site, of_paper
from evenflow.render.source import read_variables
from evenflow.revision import revision_of
from evenflow.runs.scripting import reporting_errors


def main(
    inputs: dict, theme: str, outputs: dict, datasets: list[str], site: dict, about: dict
) -> None:
    """Render the directory of the index.qmd; say which renderer did it.

    Beside it the paper's numbers for LaTeX, and its entry for BibTeX.
    """
    folder = Path(inputs["qmd"]).parent
    # read here and not a parameter of the rule: a commit that changes no input renders nothing anew
    revision = revision_of(folder.name)
    place = of_paper(folder.name, datasets, revision, Site(**site), about)
    renderer = render_report(
        folder,
        Path(outputs["html"]),
        Path(outputs["pdf"]),
        Path(theme),
        revision,
        Path(inputs["vega"]),
        next(map(Path, inputs["claims"]), None),
        Path(outputs["lost"]),
        place,
    )
    page = Path(outputs["html"]).read_text(encoding="utf-8")
    write_text(Path(outputs["bib"]), entry_of(page, place.cite, place.url) + "\n")
    numbers = read_variables(folder / "_variables.yml")
    write_text(Path(outputs["tex"]), latex_numbers(folder.name, numbers))
    print(f"{outputs['html']} and {outputs['pdf']} were rendered by {renderer}")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, outputs = dict(snakemake.input.items()), dict(snakemake.output.items())
        params = snakemake.params
        write_provenance(inputs, snakemake.wildcards.paper, dict(params.items()), outputs)
        main(inputs, params.theme, outputs, params.datasets, params.site, params.about)
