"""Write docs/reference/configuration.md from the schemas: `make reference`.

The schemas check what a user writes, so their descriptions are the only place where a key is
explained. The defaults are those of `evenflow.configuration`.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml
from evenflow.configuration import defaults
from evenflow.places import SCHEMAS

ROOT = Path(__file__).parents[1]
PAGE = Path("docs/reference/configuration.md")
FILES = {  # schema -> path of the file, and what it is for
    "config": (
        "config/config.yaml",
        "Parameters of the analysis that differ from the defaults. The defaults are in "
        "`workflow/defaults.yaml`, those of `folders` in `workflow/evenflow/places.py`. "
        "The file may also be `config.yaml` in the working folder, or be missing. A list "
        "replaces the default list. For a single run, `snakemake --configfile mine.yaml` uses "
        "the values in `mine.yaml` instead.",
    ),
    "dataset": (
        "data/raw/<data set>/dataset.yml",
        "Facts that the logs of a folder do not contain. Every key is optional; "
        "[adding-data.md](../guides/adding-data.md) has an example.",
    ),
    "paper": (
        "reports/<paper>/paper.yml",
        "The parts of a paper. [writing-a-paper.md](../guides/writing-a-paper.md) shows it in use.",
    ),
    "verify": (
        "config/verify.yaml",
        "How far two numbers may be apart in `make verify` "
        "([verifying.md](../guides/verifying.md)).",
    ),
}
PLURAL = {"string": "words", "number": "numbers", "integer": "whole numbers", "object": "maps"}
SINGLE = {
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
    "object": "map",
    "null": "empty",
}


def value_kind(entry: dict) -> str:
    """Say in words which values a schema allows."""
    if "enum" in entry:
        return "one of " + ", ".join(f"`{value}`" for value in entry["enum"])
    kinds = entry.get("type", "object")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "array" in kinds:
        item = entry.get("items", {})
        return f"list of {PLURAL[item.get('type', 'string')]}"
    words = " or ".join(SINGLE[kind] for kind in kinds)
    least, above = entry.get("minimum"), entry.get("exclusiveMinimum")
    most, below = entry.get("maximum"), entry.get("exclusiveMaximum")
    bounds = [("≥", least), (">", above), ("≤", most), ("<", below)]
    return ", ".join([words, *(f"{sign} {bound:,}" for sign, bound in bounds if bound is not None)])


def keys(schema: dict, root: dict, prefix: str = "") -> Iterator[tuple[str, dict]]:
    """Yield every key of a schema, dotted, with its entry; `<name>` is a name of the user's."""
    entries = list(schema.get("properties", {}).items())
    entries += [
        ("<number>" if "0-9]{" in pattern else "<name>", entry)
        for pattern, entry in schema.get("patternProperties", {}).items()
    ]
    for name, entry in entries:
        if "$ref" in entry:
            found = root["$defs"][entry["$ref"].rsplit("/", 1)[1]]
            entry = {**found, **entry}
        yield prefix + name, entry
        item = entry.get("items", {})
        yield from keys(entry, root, f"{prefix}{name}.")
        yield from keys(item, root, f"{prefix}{name}[].")


def shown(value: object) -> str:
    """Return a value as YAML on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, width=1000).split("\n...")[0].strip()
    return f"`{text}`"


def of(config: dict, key: str) -> str:
    """Return the value that a configuration has for a dotted key, '' where it has none or a map."""
    value: object = config
    for part in key.split("."):
        if not isinstance(value, dict) or part not in value:
            return ""
        value = value[part]
    return "" if isinstance(value, dict) and value else shown(value)


def section(name: str) -> str:
    """Return the part of the page on one file."""
    path, about = FILES[name]
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    with_values = name == "config"
    config = defaults()
    header = ["key", "value", *(["default"] if with_values else []), "meaning"]
    lines = [f"| {' | '.join(header)} |", "|---" * len(header) + "|"]
    for key, entry in keys(schema, schema):
        value = [of(config, key)] if with_values else []
        said = entry.get("description", "").replace("|", "\\|").replace("<", "\\<")
        lines.append(f"| {' | '.join([f'`{key}`', value_kind(entry), *value, said])} |")
    return f"## `{path}`\n\n{about}\n\n" + "\n".join(lines) + "\n"


def page() -> str:
    """Return the whole page."""
    head = (
        "# Configuration\n\n"
        "This page lists every key of the files that you write. `make reference` writes it from\n"
        "`workflow/schemas/`, and a test compares the two. A key that is not listed here is an\n"
        "error: the message has the file, the line and the most similar key. `[]` means each\n"
        "entry of a list, `<name>` a name of your choice, `<number>` the number of a flow.\n"
    )
    return "\n".join([head, *(section(name) for name in FILES)])


if __name__ == "__main__":
    (ROOT / PAGE).write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")
