"""Check that the recorded rows of a paper's numbers exist and give what is printed.

It evaluates the serialised expression on the rows of the Parquet file and prints the value by its
own code: nothing of `evenflow.evidence.say` has a say in it.
"""

import json
import re
from itertools import pairwise
from pathlib import Path

import polars as pl
import yaml

NOTHING = "–"
POWERS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def places(pairs: list[int]) -> list[int]:
    return [i for a, b in zip(pairs[::2], pairs[1::2], strict=True) for i in range(a, b + 1)]


def printed(value, digits=0, unit=1.0, style="") -> str:
    """A value as the texts have it: true minus signs, no negative zero."""
    if value is None:
        return NOTHING
    if isinstance(value, float):
        value /= unit
    if style == "listed":
        return listed(value)
    if style == "g":
        return f"{value:g}"
    if style == ",":
        return f"{value:,.{digits}f}"
    if style == "compact" and abs(value) >= 99.95:
        return f"{value:,.0f}" if value < 1e6 else power(value, 1)
    if style == "power":
        return power(value, digits)
    if not isinstance(value, float):
        return str(value)
    text = f"{value:.{digits}f}"
    text = text.replace("-", "−") if float(text) else text.replace("-", "")
    return f"+{text}" if style == "+" and value > 0 else text


def power(value: float, digits: int) -> str:
    mantissa, exponent = f"{value:.{digits}e}".split("e")
    raised = str(int(exponent)).translate({v: k for k, v in POWERS.items()})
    return f"10{raised}" if mantissa == "1" else f"{mantissa}·10{raised}"


def listed(values: list) -> str:
    found = sorted({round(value, 3) for value in values})
    steps = {round(b - a, 3) for a, b in pairwise(found)}
    if len(found) > 3 and len(steps) == 1:
        return f"{found[0]:g} to {found[-1]:g} by {steps.pop():g}"
    return ", ".join(f"{value:g}" for value in found) or NOTHING


def table_of(name: str, paper) -> pl.DataFrame:
    """A table by its name in origins."""
    derived = Path(paper.derived)
    if Path(name).is_absolute() or Path(name).suffix == ".parquet":
        return pl.read_parquet(name)
    of_data = derived / f"{name}.parquet"
    return pl.read_parquet(
        of_data if "/" in name else derived / f"papers/{paper.name}/{name}.parquet"
    )


def value_of(value: dict, paper) -> tuple[object, int]:
    """What the recorded expression gives on the recorded rows, and how many rows these are."""
    expression = (
        pl.Expr.deserialize(value["expression"].encode(), format="json")
        if "expression" in value
        else pl.col(value["columns"][0])
    )
    tables = [(table_of(name, paper), places(rows)) for name, rows in value["tables"].items()]
    for table, rows in tables:
        assert all(row < len(table) for row in rows)
    table, rows = next((t, r) for t, r in tables if set(value["columns"]) <= set(t.columns))
    found = table[rows].select(expression.alias("v"))["v"].to_list()
    assert found or value["value"] is None
    assert all(repr(other) == repr(found[0]) for other in found)
    return (found[0] if found else None), len(rows)


def check_numbers(paper, *, whole: bool = False) -> list[str]:
    """Check all numbers of a made paper; return their names.

    whole: the data are all there: each number has a row.
    """
    folder = Path(paper.folder)
    origins = json.loads((folder / "_origins.json").read_text(encoding="utf-8"))
    texts = flat(yaml.safe_load((folder / "_variables.yml").read_text(encoding="utf-8")))
    named = set(re.findall(r"{{< var ([\w.]+) >}}", (folder / "index.qmd").read_text("utf-8")))
    assert set(origins) == named & set(texts)
    assert not whole or named <= set(texts), named - set(texts)
    for name, origin in origins.items():
        assert origin["text"] == texts[name]
        values = origin["values"]
        assert origin["template"].format(*(value["text"] for value in values)) == texts[name]
        known = re.sub(r"`[^`]*`|\b[Ff]low \d\b", "", origin["template"])
        assert not re.search(r"\d", known), (name, origin["template"])
        for value in (*values, *origin.get("behind", [])):
            if "setting" in value:
                continue
            found, n_rows = value_of(value, paper)
            text = printed(
                found, value.get("digits", 0), value.get("unit", 1), value.get("style", "")
            )
            assert text == value["text"], (name, text, value["text"])
            assert n_rows or not whole, f"{name}: no row"
        assert not whole or values or origin.get("behind"), f"{name}: nothing is behind it"
    return list(origins)


def flat(tree: dict, above: str = "") -> dict[str, str]:
    found = {}
    for key, value in tree.items():
        name = f"{above}.{key}".strip(".")
        found |= flat(value, name) if isinstance(value, dict) else {name: str(value)}
    return found
