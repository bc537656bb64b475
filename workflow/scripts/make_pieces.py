"""Make what modules of a paper's folder make: their tables, figures or numbers."""

from pathlib import Path

from evenflow.papers.find import pieces_of
from evenflow.papers.make import Values, load, make_pieces
from evenflow.runs.scripting import reporting_errors


def main(modules: list[str], inputs: dict, settings: dict, outputs: dict) -> None:
    """Call the functions of modules that make the outputs, with what their parameters name."""
    for name in ("modules", "code", "text"):
        inputs.pop(name, None)
    lists = {k: v if isinstance(v, str) else [str(path) for path in v] for k, v in inputs.items()}
    values = Values(lists, settings)
    for module in modules:
        make_pieces(pieces_of(Path(module)), load(module), values, outputs)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, outputs = dict(snakemake.input.items()), dict(snakemake.output.items())
        main(list(snakemake.input.modules), inputs, snakemake.params.settings, outputs)
