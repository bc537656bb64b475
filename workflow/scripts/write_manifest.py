"""List the raw files with their SHA-256."""

from pathlib import Path

from evenflow.errors import DataError
from evenflow.places import typed
from evenflow.runs.scripting import reporting_errors
from evenflow.verify.manifest import (
    check_files,
    hash_files,
    list_files,
    read_manifest,
    write_manifest,
)


def main(manifests: dict[str, list[str]], accept: bool) -> None:
    """Add new raw files to the manifests; refuse altered and missing ones unless told to accept."""
    root = Path.cwd()
    for path, (folder, *without) in manifests.items():
        there = list_files(root, folder, without)
        listed = read_manifest(path) if Path(path).is_file() else {}
        check = check_files(root, listed, there)
        if not check.holds and not accept:
            accepted = typed("manifest --accept", "manifest ACCEPT=1")
            raise DataError(
                f"{(check.altered + check.missing)[0]} has changed since it was listed "
                f"({len(check.altered)} altered, {len(check.missing)} missing)",
                path=path,
                remedy="raw files never change: put them back (git checkout -- data); where the "
                f"change is meant, `{accepted}`, and say why in the commit",
            )
        kept = listed if check.holds else {}
        write_manifest(path, kept | hash_files(root, check.new if check.holds else there))
        print(f"{path}: {len(there)} files, {len(check.new)} of them new")


if __name__ == "__main__":
    with reporting_errors(snakemake.log[0]):
        main(snakemake.params.manifests, snakemake.params.accept)
