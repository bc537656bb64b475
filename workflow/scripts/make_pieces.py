"""Make what a module of a paper's folder makes: its tables, figures or numbers."""

from pathlib import Path

from evenflow.papers.find import pieces_of
from evenflow.papers.make import Values, load, make_pieces
from evenflow.scripting import reporting_errors


def main(module: str, inputs: dict, settings: dict, outputs: dict) -> None:
    """Call the functions of a module that make the outputs, with what their parameters name."""
    for name in ("module", "code", "text"):
        inputs.pop(name, None)
    lists = {k: v if isinstance(v, str) else [str(path) for path in v] for k, v in inputs.items()}
    make_pieces(pieces_of(Path(module)), load(module), Values(lists, settings), outputs)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, outputs = dict(snakemake.input.items()), dict(snakemake.output.items())
        main(snakemake.input.module, inputs, snakemake.params.settings, outputs)
