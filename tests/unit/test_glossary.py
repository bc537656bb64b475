"""The glossary has every name once: metrics, columns, keys of config.yaml and paper.yml."""

import json
import re
from collections import Counter
from pathlib import Path

from documented import documented_columns
from evenflow.claims import judge
from evenflow.formats import FATES
from evenflow.metrics.catalogue import METRICS

ROOT = Path(__file__).parents[2]
GLOSSARY = (ROOT / "docs/reference/glossary.md").read_text(encoding="utf-8")
DATA_MODEL = (ROOT / "docs/reference/data-model.md").read_text(encoding="utf-8")
# patterns of names in the glossary
OF_FATES, OF_SIDES = {"lines_<fate>", "bytes_<fate>"}, {"simulation", "testbed"}


def keys(schema: dict) -> set[str]:
    """The keys that a schema names, those of what it holds too."""
    below = [*schema.get("properties", {}).values(), *schema.get("patternProperties", {}).values()]
    return set(schema.get("properties", {})).union(*map(keys, below))


def known() -> set[str]:
    columns = {name for table in documented_columns(DATA_MODEL).values() for name, _ in table}
    of_fates = {name.replace("<fate>", fate) for name in OF_FATES for fate in FATES}
    of_sides = {name for name in columns if name.partition("_")[0] in OF_SIDES}
    assert of_fates <= columns
    assert len({name.partition("_")[2] for name in of_sides}) == len(of_sides) / 2
    names = columns - of_fates - of_sides | OF_FATES | {f"{s}_<statistic>" for s in OF_SIDES}
    schemas = (ROOT / f"workflow/schemas/{name}.schema.json" for name in ("config", "paper"))
    of_schemas = [keys(json.loads(path.read_text(encoding="utf-8"))) for path in schemas]
    return names.union(METRICS, judge.SCHEMA, *of_schemas)


def test_the_glossary_has_every_name_once():
    terms = re.findall(r"^\| (.*?) \| ", GLOSSARY, re.MULTILINE)
    found = Counter(name for term in terms for name in re.findall("`([^`]+)`", term))
    assert [name for name, n in found.items() if n > 1] == []
    assert known() - set(found) == set(), "has no term"
    assert set(found) - known() == set(), "is no metric, column or key"
    words = Counter(re.sub(r" \(`.*", "", term) for term in terms)
    assert [word for word, n in words.items() if n > 1 and word not in ("term", "---")] == []
