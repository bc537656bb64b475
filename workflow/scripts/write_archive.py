"""Put the project, its raw files and everything made of them into one zip to deposit."""

from pathlib import Path

from evenflow.errors import DataError
from evenflow.pages.dataset import read_about
from evenflow.places import (
    CITATION,
    NO_CITATION,
    TOLERANCES,
    holds_tool,
    not_filled_in,
    to_cite,
    typed_to_list,
)
from evenflow.runs.receipts import made_by
from evenflow.runs.scratch import job_folder, made_files
from evenflow.runs.scripting import reporting_errors
from evenflow.schema import read_yaml
from evenflow.verify.archive import (
    check_names,
    column_descriptions,
    json_bytes,
    project_files,
    refuse_untracked,
    ro_crate,
    table_package,
    text_tables,
    write_zip,
)
from evenflow.verify.sbom import PROJECT, bill_of_materials, locked_packages
from evenflow.verify.steps import check_raw, verify_project
from evenflow.verify.terminal import raw_table

# what is only to make the tables of the contract of
INNER = {"parsed", "measured", "chunks", "share.pickle"}


def main(inputs: dict, params: dict, output: str, cores: int) -> None:
    """Verify all that goes into the zip, as `make verify` does; write it."""
    root = Path.cwd()
    if not inputs["citation"]:
        raise DataError(NO_CITATION, remedy=f"{to_cite()}, fill it in, and add it to git")
    if words := not_filled_in():
        remedy = "write the title, the date and the authors of the study in their places"
        raise DataError(f"{CITATION} still has {' and '.join(words)}", remedy=remedy)
    citation, _ = read_yaml(CITATION)
    checks, listed = check_raw(root, params["manifests"])
    if any(check.new for check in checks.values()):
        print(raw_table(checks), flush=True)
        remedy = f"{typed_to_list()}, and commit results/"
        raise DataError("raw files are not listed", path="data", remedy=remedy)
    own = project_files(root, params["not_own"])
    check_names({*own, *listed})
    expected = (f"{params['expected_folder']}/{name}" for name in params["expected"])
    needed = (CITATION, TOLERANCES, *params["manifests"], *expected)
    there = (name for name in needed if Path(name).is_file())
    refuse_untracked(root, params["not_own"], there, {*own, *listed})
    verify_project(root, inputs["tolerances"], params, cores, packed={*own, *listed})
    made = made_files(root, params["layout"]["compared"], params["layout"]["uncompared"])
    made = [name for name in made if INNER.isdisjoint(name.split("/"))]
    ours = made_by()  # what others put there is not deposited
    made = [name for name in made if name in ours]
    entries = {name: root / name for name in {*own, *listed, *made}}
    pages = [inputs["data_model"], *inputs["readmes"]]  # a paper's own tables are in its README
    texts = [Path(page).read_text(encoding="utf-8") for page in pages]
    general, *of_papers = map(column_descriptions, texts)
    names = [Path(page).parent.name for page in inputs["readmes"]]
    readmes = dict(zip(names, of_papers, strict=True))
    for name, folder in params["tables"].items():
        tables = sorted(
            p for p in Path(folder).iterdir() if ".csv" in p.suffixes and str(p) in ours
        )
        parquet = {p: p.with_name(f"{p.name.split('.')[0]}.parquet") for p in tables}
        about = read_about(Path(params["raw"], name, "dataset.yml"))
        package = table_package(name, about, parquet, general)
        entries[f"{folder}/datapackage.json"] = json_bytes(package)
    crate = ro_crate(citation, params["parts"], "Snakefile")
    entries["ro-crate-metadata.json"] = json_bytes(crate)
    locks = [Path(path).read_text(encoding="utf-8") for path in inputs["locks"]]
    packages, builds = [*map(locked_packages, locks), (), ()][:2]  # a study has the first, or none
    name = PROJECT if holds_tool() else root.name
    bill = bill_of_materials(citation, packages, builds, name=name)
    entries["sbom.cdx.json"] = json_bytes(bill)
    with job_folder() as temporary:
        for paper, folder in params["papers"].items():
            tables = [path for path in Path(folder).glob("*.parquet") if str(path) in ours]
            texts = text_tables(tables, temporary / paper)
            if not texts:
                continue
            entries |= {f"{folder}/{path.name}": path for path in texts}
            described = general | readmes.get(paper, {})
            package = table_package(paper, {"title": f"Tables of {paper}"}, texts, described)
            entries[f"{folder}/datapackage.json"] = json_bytes(package)
        write_zip(output, entries)
    print(f"{output}: {len(entries)} files, {Path(output).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        inputs, params = (dict(x.items()) for x in (snakemake.input, snakemake.params))
        main(inputs, params, snakemake.output[0], snakemake.threads)
