"""docs/explanation/review-answers.md names what is there: headings, captions, and a commit."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/review-answers.md"
QUOTED = r"'((?:[^'\n]|(?<=\w)'(?=\w))+)'"
PLACE = re.compile(rf"\b(sections?|appendix|tables?|figures?) ((?:{QUOTED}(?:, | and )?)+)")
COMMIT = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8}\b|\bC\d\b")
OPEN = "no commit: open"


def same(text: str) -> str:
    """Return a text whose quotes, marks and first letters do not matter."""
    return " ".join(re.sub(r"\s*\{[^{}]*\}|[\[\]*]", "", text.replace("’", "'")).lower().split())


def places() -> tuple[set[str], str]:
    """Return the headings of all papers, and all their texts, captions among them."""
    texts = [path.read_text(encoding="utf-8") for path in ROOT.glob("reports/*/index.qmd")]
    headings = {same(h) for text in texts for h in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
    return headings | {h.removeprefix("appendix: ") for h in headings}, same(" ".join(texts))


def test_sections_and_captions_that_answers_name_are_in_the_papers():
    headings, texts = places()
    found, wrong = 0, []
    for n, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
        for place in PLACE.finditer(line):
            for name in re.findall(QUOTED, place[2]):
                found += 1
                of_text = place[1].startswith(("table", "figure"))
                if not (same(name) in texts if of_text else same(name) in headings):
                    wrong.append(f"line {n}: {place[1]} '{name}'")
    assert found > 20
    assert wrong == []


def test_each_answer_to_the_second_review_has_its_commit_or_says_that_it_is_open():
    second = PAGE.read_text(encoding="utf-8").split("## The second review: the inference rule")[1]
    headers, rows = 0, []
    for line in second.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and cells[-1] == "commit":
            headers += 1
        elif cells and not set(cells[-1]) <= set("-:"):
            rows.append((cells, headers))
    with_commit = [
        cells for cells, _ in rows if cells[0] not in ("paper", "OPB", "NVT", "HSF", "SYN", "HB")
    ]
    assert headers >= 5 and len(with_commit) > 50
    lacking = [c[0] for c in with_commit if not (COMMIT.search(c[-1]) or c[-1] == OPEN)]
    assert lacking == []
