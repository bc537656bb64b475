"""Render the page that leads to every report and to the page of every data set."""

from pathlib import Path

from evenflow.pages.search import search_site
from evenflow.pages.site_index import write_index
from evenflow.render.site import Site
from evenflow.scripting import reporting_errors

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        write_index(
            [Path(qmd).parent for qmd in snakemake.input.qmd],
            map(Path, snakemake.params.datasets),
            Path(snakemake.params.theme),
            Path(snakemake.output.html),
            notes={},
            refused=snakemake.params.refused,
            comparisons=snakemake.params.comparisons,
            claims={name: Path(path) for name, path in snakemake.params.claims.items()},
            originals=snakemake.params.originals,
            pictures={name: Path(path) for name, path in snakemake.params.pictures.items()},
            derived=Path(snakemake.params.derived),
            site=Site(**snakemake.params.site),
            planned=next(map(Path, snakemake.input.get("planned", [])), None),
        )
        search_site(
            Path(snakemake.output.search),
            list(map(Path, snakemake.input.pages)),
            list(map(Path, snakemake.input.run)),
            Path(snakemake.params.theme),
            Site(**snakemake.params.site),
        )
