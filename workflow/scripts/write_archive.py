"""Put the project, its raw files and everything made of them into one zip to deposit."""

import tempfile
from pathlib import Path

import polars as pl
import yaml
from evenflow.archive import (
    column_descriptions,
    json_bytes,
    project_files,
    ro_crate,
    table_package,
    write_zip,
)
from evenflow.errors import DataError
from evenflow.expected import compare_expected, expected_text
from evenflow.schema import read_yaml
from evenflow.scratch import made_files
from evenflow.scripting import reporting_errors
from evenflow.verdicts import raw_table
from evenflow.verification import check_raw, read_kept, read_tolerances


def main(inputs: dict, params: dict, output: str) -> None:
    """Check that raw files, expected values and what was made belong together; write the zip."""
    root = Path.cwd()
    citation, _ = read_yaml(inputs["citation"])
    checks, listed = check_raw(root, params["manifests"])
    if any(check.new or not check.holds for check in checks.values()):
        print(raw_table(checks), flush=True)
        remedy = "put back what was altered or is missing; then make manifest expected"
        raise DataError("the raw files are not those listed", path="data", remedy=remedy)
    made_now = {name: expected_text(root / path) for name, path in params["expected"].items()}
    allowed = read_tolerances(inputs["tolerances"])
    found = compare_expected(read_kept(params["expected_folder"]), made_now, allowed)
    unlike = [name for name, differences in found.items() if differences]
    if unlike:
        problem = f"{len(unlike)} of {len(found)} files are not what was made, first {unlike[0]}"
        remedy = "make expected, and look at git diff results/"
        raise DataError(problem, path=params["expected_folder"], remedy=remedy)
    made = made_files(root, params["layout"]["compared"], params["layout"]["uncompared"])
    made = [name for name in made if "/parsed/" not in name]
    own = project_files(root, params["layout"]["not_own"])
    entries = {name: root / name for name in {*own, *listed, *made}}
    described = column_descriptions(Path(inputs["data_model"]).read_text(encoding="utf-8"))
    for name, folder in params["tables"].items():
        tables = sorted(p for p in Path(folder).iterdir() if ".csv" in p.suffixes)
        parquet = {p: p.with_name(f"{p.name.split('.')[0]}.parquet") for p in tables}
        package = table_package(name, about(name, params), parquet, described)
        entries[f"{folder}/datapackage.json"] = json_bytes(package)
    crate = ro_crate(citation, params["parts"], "Snakefile")
    entries["ro-crate-metadata.json"] = json_bytes(crate)
    with tempfile.TemporaryDirectory() as temporary:
        for paper, folder in params["papers"].items():
            texts = text_tables(Path(folder), Path(temporary, paper))
            if not texts:
                continue
            entries |= {f"{folder}/{path.name}": path for path in texts}
            package = table_package(paper, {"title": f"Tables of {paper}"}, texts, described)
            entries[f"{folder}/datapackage.json"] = json_bytes(package)
        write_zip(output, entries)
    print(f"{output}: {len(entries)} files, {Path(output).stat().st_size / 1e6:.1f} MB")


def text_tables(folder: Path, target: Path) -> dict[Path, Path]:
    """Write the Parquet tables in a folder as CSV into another; return {CSV: Parquet}."""
    target.mkdir(parents=True)
    tables = {target / f"{p.stem}.csv": p for p in sorted(folder.glob("*.parquet"))}
    for text, table in tables.items():
        pl.read_parquet(table).write_csv(text)
    return tables


def about(name: str, params: dict) -> dict:
    """Return what the dataset.yml of a data set says, where it has one."""
    path = Path(params["raw"], name, "dataset.yml")
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, params = (dict(x.items()) for x in (snakemake.input, snakemake.params))
        main(inputs, params, snakemake.output[0])
