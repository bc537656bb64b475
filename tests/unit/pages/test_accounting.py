"""What a page says of the tables beside it."""

from html import unescape

from evenflow.pages.dataset.accounting import downloads


def test_the_command_that_makes_a_large_table_is_quoted_for_a_shell(tmp_path):
    """A folder of logs may have a space in its name."""
    folder = tmp_path / "my logs/tables"
    folder.mkdir(parents=True)
    paths = {kind: folder / f"run.{kind}" for kind in ("parquet", "csv")}
    for path in paths.values():
        path.touch()
    said = unescape(downloads({"run": paths}))
    assert f"snakemake --cores all '{folder}/sample.parquet'" in said
