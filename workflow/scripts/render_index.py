"""Render the page that leads to every report and to the page of every data set, and the search."""

from evenflow.formats.others import done_without
from evenflow.pages.first_pages import write_first_pages
from evenflow.runs.scripting import reporting_errors

if __name__ == "__main__":
    with reporting_errors(snakemake.log[0], done_without):
        made, read = snakemake.output, snakemake.input
        write_first_pages(made.html, made.search, read.pages, read.run, snakemake.params.about)
