"""The library knows no paper and no data set; the order of its rooms is checked by `make lint`."""

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "workflow/evenflow"


def test_no_paper_and_no_data_set_is_named_in_what_all_papers_share():
    root = PACKAGE.parents[1]
    places = ["evenflow", "rules", "scripts", "queries", "schemas", "theme"]
    kinds = (".py", ".yml", ".smk", ".sql", ".json")
    shared = [path for place in places for path in (root / "workflow" / place).rglob("*.*")]
    shared = [path for path in shared if path.suffix in kinds] + [root / "workflow/Snakefile"]
    names = {path.parent.name for path in root.glob("reports/*/paper.yml")}
    names |= {path.parent.name for path in root.glob("data/raw/*/dataset.yml")}
    names = {spelt for name in names for spelt in (name, name.replace("-", "_"))}
    named = {
        f"{path.relative_to(root)}: {name}"
        for path in shared
        for name in names
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", path.read_text(encoding="utf-8"))
    }
    assert named == set()
