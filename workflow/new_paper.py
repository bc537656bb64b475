"""Start a new report from workflow/template: `make paper NAME=my-paper DATA=my-logs`.

Writes reports/<name>/, its rules and scripts, and a line in config/config.yaml. Never overwrites.
"""

import argparse
import re
import shutil
import sys
from pathlib import Path

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def targets(root: Path, name: str) -> dict[str, Path]:
    """Return where each file of the template goes."""
    stem, scripts = name.replace("-", "_"), root / "workflow/scripts"
    return {
        "index.qmd": root / "reports" / name / "index.qmd",
        "refs.bib": root / "reports" / name / "refs.bib",
        "rules.smk": root / "workflow/rules/papers" / f"{stem}.smk",
        "write_variables.py": scripts / f"write_{stem}_variables.py",
        "write_table.py": scripts / f"write_{stem}_table.py",
        "draw_throughput.py": scripts / "figures" / f"draw_{stem}_throughput.py",
    }


def fault(root: Path, name: str, data: str) -> str | None:
    """Return why a report of this name and data set cannot be started, with the remedy."""
    datasets = sorted(path.name for path in (root / "data/raw").iterdir() if path.is_dir())
    there = [path for path in targets(root, name).values() if path.exists()]
    if not NAME.fullmatch(name):
        return f"'{name}' is no name for a report. Remedy: lower-case words joined by -"
    if data not in datasets:
        return f"data/raw/{data}: no such data set. Remedy: DATA= one of {', '.join(datasets)}"
    if there:
        return f"{there[0]} is there already. Remedy: another name, or remove the old report"
    return None


def start(root: Path, name: str, data: str) -> list[Path]:
    """Write the files of a new report; return them."""
    template = root / "workflow/template"
    title = name.replace("-", " ").capitalize()
    words = {"PAPER_NAME": name, "PAPER_STEM": name.replace("-", "_"), "PAPER_TITLE": title}
    written = []
    for source, target in targets(root, name).items():
        text = (template / source).read_text(encoding="utf-8")
        for word, value in words.items():
            text = text.replace(word, value)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    project = root / "reports" / name / "_quarto.yml"
    shutil.copy(root / "reports/_theme/_quarto.yml", project)
    config = root / "config/config.yaml"
    text = config.read_text(encoding="utf-8")
    entry = f"\\g<0>\n  {name}:\n    data: {data}"
    config.write_text(re.sub(r"(?m)^papers:.*$", entry, text, count=1), encoding="utf-8")
    return [*written, project, config]


def main() -> None:
    """Read the command line; start the report."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name", help="of the report: lower-case words joined by -")
    parser.add_argument("data", help="the data set that it is made of, a folder of data/raw")
    given, root = parser.parse_args(), Path.cwd()
    problem = fault(root, given.name, given.data)
    if problem:
        sys.exit(f"error: {problem}")
    for path in start(root, given.name, given.data):
        print(path.relative_to(root))
    print(f"make it: make; read it: reports/_site/{given.name}/index.html; edit it: see")
    print("docs/writing-a-report.md")


if __name__ == "__main__":
    main()
