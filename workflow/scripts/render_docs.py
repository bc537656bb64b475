"""Render the documentation as pages of the site."""

from pathlib import Path

from evenflow.pages.docs import render_docs
from evenflow.render.site import Site
from evenflow.runs.scripting import reporting_errors

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        params = snakemake.params
        site = Site(**params.site)
        render_docs(params.pages, Path.cwd(), Path(params.out), Path(params.theme), site)
