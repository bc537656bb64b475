"""Draw the figure that shows what a paper found as PNG, for sites that show it beside a link."""

from pathlib import Path

from evenflow.files import atomic_path
from evenflow.scripting import reporting_errors

import vl_convert

SCALE = 3  # of 350 px: such sites ask for 1,000 and more


def main(svg: Path, png: Path) -> None:
    """Read the figure, write the picture."""
    image = vl_convert.svg_to_png(svg.read_text(encoding="utf-8"), scale=SCALE)
    with atomic_path(png) as new:
        new.write_bytes(image)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(Path(snakemake.input.svg), Path(snakemake.output.png))
