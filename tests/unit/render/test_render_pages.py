"""Generated pages: the index and the data sets' pages, and the two scripts that Snakemake calls."""

import base64
import contextlib
import gzip
import json
import re
import runpy
import shutil
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import polars as pl
import pytest
from evenflow.claims.judge import SCHEMA
from evenflow.render import (
    RenderError,
    escape_markdown,
    escape_prose,
    render_page,
    renderer_here,
    report_summary,
)
from evenflow.render.site import Place
from rendered_page import FIXTURE, THEME, Page, path_without_quarto
from snakemake.iocontainers import Namedlist

SCRIPTS = Path(__file__).parents[3] / "workflow/scripts"
HOSTILE = r"a_b*c* <i>|x| [y](z) @fig-n $1$ `q` #h ~s~ {{k}} 'q' \n"
SITE = {"docs": False, "repository": None}  # what a header leads to
PARAMS = {"theme": str(THEME), "datasets": ["logs"], "site": SITE, "about": {}}


def read(path: Path) -> Page:
    return Page(path.read_text(encoding="utf-8"))


def test_a_page_is_one_file_with_its_theme_and_title(tmp_path):
    output = tmp_path / "new/index.html"
    render_page("# Runs\n\nSome *text*.", f"Two & one {HOSTILE}", output, THEME)
    page = read(output)
    assert f"Two & one {HOSTILE} Runs Some" in page.text
    assert "Some text." in page.text
    assert page.scripts == 0
    assert [load for load in page.loads if not load.startswith("data:")] == []
    assert "--text-width" in page.css
    assert "Rendered by pandoc 3" in output.read_text()


def test_escaped_text_comes_out_of_a_table_as_it_went_in(tmp_path):
    table = f"| File | n |\n|:--|--:|\n| {escape_markdown(HOSTILE)} | 12 |"
    markdown = f"# Ledger\n\n{table}\n\n: Lines. {{#tbl-lines}}\n\nSee @tbl-lines."
    render_page(markdown, "T", tmp_path / "p.html", THEME)
    page = read(tmp_path / "p.html")
    assert HOSTILE in page.text
    assert ("Table\u00a01", "#tbl-lines") in page.links


def test_a_fold_of_a_page_can_be_opened(tmp_path):
    markdown = '::: {.fold title="a < b, 3 runs"}\nIn it.\n\n| A |\n|:--|\n| 1 |\n:::'
    render_page(markdown, "T", tmp_path / "p.html", THEME)
    html = (tmp_path / "p.html").read_text(encoding="utf-8")
    inside = html.split("<details>")[1].split("</details>")[0]
    assert inside.startswith("<summary>a &lt; b, 3 runs</summary>")
    assert "In it." in inside and "<table>" in inside


def test_a_page_with_a_reference_to_nothing_is_not_written(tmp_path):
    output = tmp_path / "p.html"
    with pytest.raises(RenderError, match=r"p\.html:3: @tbl-x refers to nothing"):
        render_page("one\n\ntwo @tbl-x", "T", output, THEME)
    assert not output.exists()


def test_the_same_page_has_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        render_page("# Runs\n\ntext", "T", tmp_path / f"{name}.html", THEME)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_the_summary_of_a_report_is_its_title_and_first_sentence():
    assert report_summary(FIXTURE) == {
        "title": "A fixture report: fairness of two flows",
        "finding": "This report exists to be rendered by the tests.",
    }


def test_a_description_is_taken_before_the_abstract(tmp_path):
    header = "---\ntitle: T\ndescription: A 'b' \"c\" *d* $e$. Two.\nabstract: Three.\n---\n"
    (tmp_path / "index.qmd").write_text(header)
    assert report_summary(tmp_path) == {"title": "T", "finding": "A ‘b’ “c” d e. Two."}


def test_the_first_finding_of_the_abstract_is_what_a_report_found(tmp_path):
    header = "---\ntitle: T\ndescription: Other.\nabstract: |\n  We look."
    mark = '{.finding claim="a" is="reproduced"}'
    figure = '![C](figures/a-b.svg){#fig-a fig-alt="Two lines: one rises. More words."}\n'
    finding = f"But [it *is* $x_1$ as @k2 has]{mark}, by 2.5 times. [B]{mark}."
    (tmp_path / "index.qmd").write_text(f"{header} {finding}\n---\n\n{figure}")
    found = report_summary(tmp_path, picture=Path("reports/x/figures/a-b.svg"))
    assert re.sub(r"\{[^}]*\}", "", found["finding"]) == "But [it *is* $x_1$ as has], by 2.5 times."
    assert found["alt"] == "Two lines: one rises."


def test_a_finding_with_a_number_is_told_before_one_without(tmp_path):
    mark = '{.finding claim="a" is="reproduced"}'
    both = f"[They differ]{mark}. [It is [2.5]{{.evidence of='n'}} times]{mark}. [So]{mark}."
    (tmp_path / "index.qmd").write_text(f"---\ntitle: T\nabstract: |\n  We look. {both}\n---\n")
    assert "times" in report_summary(tmp_path)["finding"]
    assert "differ" not in report_summary(tmp_path)["finding"]


def test_a_picture_that_the_text_does_not_show_says_what_it_is(tmp_path):
    (tmp_path / "index.qmd").write_text("---\ntitle: T\nabstract: One.\n---\n")
    card = tmp_path / "card.svg"
    card.write_text("<svg><desc>Buffers matter. 3 values.</desc></svg>")
    assert report_summary(tmp_path, picture=card)["alt"] == "Buffers matter. 3 values."


def test_a_report_without_title_is_named(tmp_path):
    (tmp_path / "index.qmd").write_text("# Only a heading\n")
    with pytest.raises(RenderError, match=r"index\.qmd: key 'title' is missing"):
        report_summary(tmp_path)


def test_escaped_text_has_no_markup_left():
    assert escape_markdown("a_b|c") == r"a\_b\|c"


def test_code_in_prose_stays_code_and_nothing_else_is_markup(tmp_path):
    assert escape_prose("a_b `c_d | e` f|g") == r"a\_b `c_d | e` f\|g"
    assert escape_prose("one ` alone") == r"one \` alone"


def run_script(name: str, **snakemake) -> None:
    """Run a script as Snakemake does: as main, with the object `snakemake` in its namespace.

    Next to its log, as it keeps a record of what it made below the working directory. It does not
    end this process, as it would that of its job. What a paper's record has is not asked for here.
    """
    files = {key: Namedlist(fromdict=vars(snakemake.pop(key))) for key in ("input", "output")}
    wildcards = SimpleNamespace(paper="fixture")
    job = SimpleNamespace(rule=name.removesuffix(".py"), wildcards=wildcards, **files, **snakemake)
    given = {"snakemake": job}
    here = contextlib.chdir(Path(snakemake["log"][0]).parent)
    patched = ("evenflow.runs.scripting.end_job", "evenflow.papers.provenance.write_provenance")
    with here, mock.patch(patched[0]), mock.patch(patched[1]):
        runpy.run_path(str(SCRIPTS / name), init_globals=given, run_name="__main__")


def outputs_of_report(folder: Path) -> SimpleNamespace:
    files = {"html": "index.html", "pdf": "r.pdf", "lost": "lost.txt"}
    files |= {"tex": "r.tex", "bib": "r.bib"}
    return SimpleNamespace(**{key: folder / name for key, name in files.items()})


def test_the_script_render_report_writes_both_files(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", path_without_quarto())
    (tmp_path / "vega.js").write_text("// Vega")
    output = outputs_of_report(tmp_path)
    run_script(
        "render_report.py",
        input=SimpleNamespace(
            qmd=str(FIXTURE / "index.qmd"), vega=str(tmp_path / "vega.js"), claims=[]
        ),
        params=Namedlist(fromdict=PARAMS),
        output=output,
        log=[tmp_path / "log"],
    )
    assert "A fixture report" in read(output.html).text
    assert output.pdf.read_bytes().startswith(b"%PDF-")
    entry = output.bib.read_text(encoding="utf-8")
    assert "  author = {{" in entry and "fairness of two flows}}" in entry
    assert output.tex.read_text(encoding="utf-8").count(r"\newcommand{\report") > 3
    assert f"were rendered by {renderer_here()}\n" in capsys.readouterr().out


def test_the_script_render_report_ends_without_traceback(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", path_without_quarto())
    (tmp_path / "index.qmd").write_text("{{< var n >}}")
    with pytest.raises(SystemExit, match=r"error: .*index\.qmd:1: unknown variable 'n'"):
        run_script(
            "render_report.py",
            input=SimpleNamespace(
                qmd=str(tmp_path / "index.qmd"), vega=str(tmp_path / "vega.js"), claims=[]
            ),
            params=Namedlist(fromdict=PARAMS),
            output=outputs_of_report(tmp_path),
            log=[tmp_path / "log"],
        )
    assert "unknown variable 'n'" in (tmp_path / "log").read_text()
    assert not (tmp_path / "index.html").exists()


CLAIM = pl.DataFrame(
    [
        {
            "paper": "report",
            "claim": "x",
            "subject": where,
            "case": "",
            "sentence": "Buffers *matter*",
            "place": "1",
            "outcome": outcome,
            "quantifier": "all",
        }
        for where, outcome in (("Here", "reproduced"), ("There", "contradicted"))
    ],
    schema=SCHEMA,
)


def run_index(folder: Path) -> Page:
    """Run the script for a report with claims, its page, and a data set; return the index."""
    yml = folder / "router" / "dataset.yml"
    yml.parent.mkdir()
    yml.write_text("title: Two flows\nsource: a *test*\n")
    report = folder / "report"
    shutil.copytree(FIXTURE, report)
    CLAIM.write_parquet(folder / "claim.parquet")
    page = folder / "site/report/index.html"
    render_page(
        "# Runs {#sec-runs}\n\nA starved \\</script\\> flow & more.", "A paper", page, THEME
    )
    output = SimpleNamespace(html=folder / "site/index.html", search=folder / "site/search.html")
    run = folder / "tables/router/run.parquet"
    run.parent.mkdir(parents=True)
    pl.DataFrame({"run_id": ["a/r2", "a/r1"]}).write_parquet(run)
    gone = folder / "site/gone/index.html"
    inputs = {
        "qmd": [str(report / "index.qmd")],
        "pages": [str(page), str(gone)],
        "run": [str(run)],
    }
    run_script(
        "render_index.py",
        input=SimpleNamespace(**inputs),
        params=SimpleNamespace(
            about={
                "theme": str(THEME),
                "reports": [str(report)],
                "datasets": [str(yml.parent)],
                "refused": {},
                "claims": {"report": str(folder / "claim.parquet")},
                "comparisons": {},
                "pictures": {},
                "originals": {
                    "report": {"authors": ["A", "B"], "title": "T_1", "year": 2004, "doi": "10.1/x"}
                },
                "derived": str(folder),
                "site": SITE,
                "confidence": 0.95,
            }
        ),
        output=output,
        log=[folder / "log"],
    )
    return read(output.html)


def test_the_script_render_index_links_where_the_outputs_are(tmp_path):
    page = run_index(tmp_path)
    assert ("A fixture report: fairness of two flows", "report/index.html") in page.links
    assert ("as PDF", "report/report.pdf") in page.links
    assert ("Two flows", "datasets/router/index.html") in page.links
    assert "A *test*." in page.text
    assert ("A and B, T_1, 2004", "https://doi.org/10.1/x") in page.links


def test_the_index_shows_results(tmp_path):
    page = run_index(tmp_path)
    title = "A fixture report: fairness of two flows"
    assert (title, "report/index.html#tbl-claims") in page.links
    assert 'aria-label="1 reproduced, 1 contradicted"' in (tmp_path / "site/index.html").read_text()
    assert "Buffers matter reproduced (1), contradicted (1)" in page.text


def test_the_search_holds_every_section_and_every_run_and_ends_no_script(tmp_path):
    run_index(tmp_path)
    html = (tmp_path / "site/search.html").read_text(encoding="utf-8")
    entries, runs = (
        json.loads(
            gzip.decompress(base64.b64decode(re.search(rf'id="search-{of}">(.*?)<', html)[1]))
        )
        for of in ("entries", "runs")
    )
    section = ["paper", "report", "Runs", "report/index.html#sec-runs"]
    assert entries == [[*section, "A starved </script> flow & more."]]
    assert runs == {"router": ["a/r1", "a/r2"]}


def test_the_title_alone_is_of_the_first_level_and_sections_lead_to_themselves(tmp_path):
    page = tmp_path / "page.html"
    text = "# One {#sec-one}\n\n## Two {#two}\n\n|a|\n|-|\n|1|\n\n: A table {#tbl-t}\n"
    render_page(text, "The title", page, THEME, place=Place(0))
    html = page.read_text(encoding="utf-8")
    assert re.findall(r"<h1\b[^>]*>([^<]*)", html) == ["The title"]
    assert re.findall(r'<h(\d)\b[^>]*\bid="([^"]*)"', html) == [("2", "sec-one"), ("3", "two")]
    to = re.findall(r'<a class="permalink" href="#([^"]*)" aria-label="([^"]*)"></a>', html)
    table = ("tbl-t", "Link to this table")
    section = "Link to this section"
    assert sorted(to) == [("sec-one", section), table, ("two", section)]
