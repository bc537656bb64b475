"""Write down what the page of a data set offers for dataset.yml, and read the data set again."""

import polars as pl
from evenflow.ingest.parse import parse_dataset
from evenflow.pages.dataset.assumed import merged_yaml


def streams_of(tables) -> pl.DataFrame:
    return tables["stream"].join(tables["file"].select("file_id", "path"), on="file_id")


def described(tables) -> tuple[str, str | None]:
    """Return dataset.yml and runs.csv as a user makes them of the proposed lines, as they are."""
    block = merged_yaml(tables["assumption"]["yaml"].to_list())
    if "# with a table runs.csv in the folder:" not in block:
        return block, None
    before, _, after = block.partition("# with a table runs.csv in the folder:\n")
    of_yaml, _, of_csv = after.partition("# runs.csv:\n")
    rows = []
    for line in of_csv.splitlines():
        if not line.startswith("#     "):
            break
        rows.append(line.removeprefix("#     "))
    uncommented = "".join(f"{line.removeprefix('# ')}\n" for line in of_yaml.splitlines())
    return before + uncommented, "\n".join(rows) + "\n"


def of_runs(tables):
    """Return what must not change when what was inferred is written down."""
    run = tables["run"].drop("scenario_id", "warmup_s", "made_by", "observed", "guessed")
    same = tables["run"].group_by("scenario_id").agg(pl.col("run_id").sort())
    stream = streams_of(tables).filter(pl.col("run_id").is_not_null())
    return {
        "run": run.sort("run_id").rows(named=True),
        "flow": tables["flow"].drop("start_from").sort("run_id", "flow_id").rows(named=True),
        "scenario": sorted(same["run_id"].to_list()),
        "stream": stream.select("path", "stream", "run_id", "flow_id", "counts").sort(
            "path", "stream"
        ),
    }


def assert_offered_lines_say_the_same(folder, first) -> None:
    """Write down what is offered for a folder (`first`: its tables), then parse it again."""
    yml, table = described(first)
    (folder / "dataset.yml").write_text(yml, encoding="utf-8")
    if table:
        (folder / "runs.csv").write_text(table, encoding="utf-8")
    again, before = of_runs(parse_dataset(folder)), of_runs(first)
    assert again["stream"].rows() == before["stream"].rows()
    for name in ("scenario", "flow", "run"):
        assert again[name] == before[name]
