"""Build the table `arrival` of a data set, run by run: it is too large for the memory."""

from pathlib import Path

from evenflow.scripting import reporting_errors
from evenflow.tables import connected, paths_of_parts, query_tables, read_table, write_parts


def main(query: str, inputs: dict[str, str], output: str) -> None:
    """Write the results of the query in file `query`, one run after the other in order."""
    sql = Path(query).read_text(encoding="utf-8")
    found = {}
    for part in paths_of_parts(inputs, ("parsed_arrival", "parsed_file")):
        found |= dict.fromkeys(read_table(part["parsed_file"])["run_id"].drop_nulls(), part)
    with connected():
        write_parts((query_tables(sql, {"run_id": r}, **found[r]) for r in sorted(found)), output)


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        names = ("parsed_arrival", "parsed_file")
        inputs = {name: snakemake.input[name] for name in names}
        main(snakemake.input.query, inputs, snakemake.output[0])
