# What all rules share. Other constants are in the file of their stage.
import os
from functools import cache
from pathlib import Path

from evenflow.imports import imported_modules

# what is made in reports/, as patterns
MADE_IN_REPORTS = ["reports/_site", "reports/*/figures", "reports/*/tables"]
MADE_IN_REPORTS += ["reports/*/_variables.yml", "reports/*/provenance.*"]


def modules_of(script):
    """List the modules of evenflow that a script is made of, so that their edit reruns its rule."""
    modules = imported_modules(f"workflow/scripts/{script}.py", "workflow/evenflow")
    return [str(path) for path in modules]


@cache
def renderer():
    """Name what renders the papers here, with its version: with another, all are rendered again."""
    # imported where it is needed: jobs of other rules read this file too
    from evenflow.render import renderer_here

    return renderer_here()


@cache
def page_renderer():
    """Name what renders the pages here, with its version: with another, all are rendered again."""
    from evenflow.render import page_renderer_here

    return page_renderer_here()


def shown(path):
    """Mark a figure for Snakemake's own report (`snakemake --report`), by paper or data set."""
    *_, owner, _, name = Path(path).parts
    kind = "Data sets" if path.startswith(DERIVED) else "Papers"
    if path.startswith(f"{DERIVED}/comparisons/"):
        kind = "Comparisons"
    return report(
        path,
        caption="../report/figure.rst",
        category=kind,
        subcategory=owner,
        labels={"figure": Path(name).stem},
    )
