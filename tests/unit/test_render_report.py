"""A report that uses every allowed construct, rendered for real to HTML and PDF.

The fixture's figures are charts drawn by Altair and vl-convert, as those of the reports are.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import typst
from evenflow.render import RenderError, render_report
from evenflow.render.pandoc import _take_label_from_caption, elements, parse_markdown, text_of
from rendered_page import FIXTURE, THEME, Page, path_without_quarto

ROOT = Path(__file__).parents[2]
NB = "\u00a0"


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    """The fixture rendered by the built-in path: (HTML file, PDF file)."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path_without_quarto())
        render_report(FIXTURE, folder / "index.html", folder / "fixture.pdf", THEME)
    return folder / "index.html", folder / "fixture.pdf"


@pytest.fixture(scope="module")
def page(rendered):
    return Page(rendered[0].read_text(encoding="utf-8"))


def pdf_text(pdf: Path) -> str:
    """The text of a PDF with its spaces collapsed, by whichever reader is there."""
    if shutil.which("pdftotext"):
        command = ["pdftotext", "-enc", "UTF-8", str(pdf), "-"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    else:
        pypdf = pytest.importorskip("pypdf", reason="neither pdftotext nor pypdf is here")
        text = "\n".join(page.extract_text() for page in pypdf.PdfReader(pdf).pages)
    return " ".join(text.split())


# ---- the document that a reader meets


@pytest.mark.parametrize(
    ("text", "target"),
    [
        (f"Figure{NB}1", "#fig-throughput"),
        (f"Figure{NB}2", "#fig-panels"),
        (f"Figure{NB}2 (a)", "#fig-panels-newreno"),
        (f"Figure{NB}2 (b)", "#fig-panels-bic"),
        (f"Figures{NB}2", "#fig-panels"),
        (f"Table{NB}1", "#tbl-cells"),
        ("1", "#tbl-cells"),
        (f"Table{NB}2", "#tbl-wide"),
        (f"Equation{NB}1", "#eq-jain"),
        (f"Equation{NB}2", "#eq-nru"),
        (f"Section{NB}1.1", "#sec-index"),
    ],
)
def test_a_reference_shows_the_number_of_what_it_links_to(page, text, target):
    assert (text, target) in page.links


def test_every_link_within_the_page_has_its_target(page):
    inner = [target for _, target in page.links if target.startswith("#")]
    assert inner
    assert {target[1:] for target in inner} <= set(page.ids)


def test_no_identifier_is_used_twice(page):
    assert len(page.ids) == len(set(page.ids))


def test_captions_carry_their_numbers_in_order(page):
    starts = [" ".join(caption.split())[:10].strip() for caption in page.captions]
    assert starts == [
        "Figure 1:",
        "(a) NewRen",
        "(b) BIC (m",
        "Figure 2:",
        "Table 1: C",
        "Table 2: A",
    ]


def test_variables_are_printed_digit_by_digit_everywhere(page):
    assert "It measured 31.50 Mb/s over 27 runs" in page.text  # abstract
    assert "A fixture report: fairness of two flows" in page.text  # title
    assert "(min 8.10, mean 31.50 Mb/s)" in page.captions[0]
    assert "its mean is 31.50 Mb/s." in page.alts[0]
    assert "31.50 Mb/s in it" in page.text  # footnote
    assert re.search(r"BIC 100 27 0\.87", page.text)  # cell of an included table


def test_headings_are_numbered_unless_they_say_otherwise(page):
    assert "1 Introduction" in page.text
    assert "1.1 Jain’s index" in page.text
    assert "2 Results" in page.text
    assert "3 Limits" not in page.text


def test_numbered_equations_show_their_number_and_others_none(page, rendered):
    assert page.text.count("(1)") == 1
    assert page.text.count("(2)") == 1
    assert "(3)" not in page.text
    assert rendered[0].read_text().count("<math") == 7


def test_citations_and_references_are_set(page):
    assert "(Jain et al. 1984, 3)" in page.text
    assert "as Bhatti and Bateman (2009) did not" in page.text
    assert "“Effects of On-Path Buffering on TCP Fairness.”" in page.text


def test_code_blocks_keep_their_text(page, rendered):
    assert "snakemake --cores all # a code block with a language" in page.text
    assert "snakemake --cores all # a code block with a language" in pdf_text(rendered[1])


def test_the_label_of_a_table_is_found_where_pandoc_leaves_it_in_the_caption():
    document = parse_markdown("| a |\n|---|\n| b |\n\n: Old *pandoc* {#tbl-x}\n")
    table = next(elements(document["blocks"], "Table"))
    assert table["c"][0][0] == "tbl-x"
    table["c"][0][0] = ""
    table["c"][1][1][0]["c"] += [{"t": "Space"}, {"t": "Str", "c": "{#tbl-x}"}]
    _take_label_from_caption(table)
    assert table["c"][0][0] == "tbl-x"
    assert text_of(table["c"][1]) == "Old pandoc"


def test_callouts_have_their_titles(page):
    assert "Note The mean was 31.50 Mb/s." in page.text
    assert "Not the authors’ data These data were made by a fixture." in page.text


@pytest.mark.parametrize("mark", ["{{<", "?@", "?var", "{#", ":::", "@fig", "@tbl", "@eq", "???"])
def test_no_mark_of_the_source_is_left(page, rendered, mark):
    assert mark not in page.text
    assert mark not in pdf_text(rendered[1])


def test_the_html_loads_nothing_and_runs_nothing(page):
    assert page.scripts == 0
    assert len([load for load in page.loads if load.startswith("data:image/svg")]) == 3
    assert [load for load in page.loads if not load.startswith("data:")] == []
    assert "@import" not in page.css
    assert re.findall(r"url\((?!\s*[\"']?data:)", page.css) == []
    assert "--text-width" in page.css  # the theme itself is inside


def test_the_footer_names_the_renderer(rendered):
    html = rendered[0].read_text(encoding="utf-8")
    footer = html[html.rindex("<footer>") :]
    assert re.search(r"Rendered by pandoc 3\.\d.* and typst 0\.\d.*built-in path", footer)
    assert "built-in path" in pdf_text(rendered[1])


def test_the_pdf_says_the_same_as_the_html(rendered):
    text = pdf_text(rendered[1])
    for words in (
        "A fixture report: fairness of two flows",
        "is defined by Equation 1 in Section 1.1; the results are in Figure 1 and Table 1",
        "Figure 2 (a), differs from Figure 2 (b)",
        "Figure 1: Throughput of flow 2 (min 8.10, mean 31.50 Mb/s)",
        "(b) BIC (mean 1.55 dB)",
        "Table 1: Cells of the grid, 27 runs.",
        "1.1 Jain’s index",
        "Jain, Raj, Dah-Ming Chiu, and William Hawe. 1984.",
    ):
        assert words in text


def test_the_text_of_charts_is_text_in_the_pdf(rendered):
    text = pdf_text(rendered[1])
    for words in ("On-path buffering (% of BDP)", "Throughput (Mb/s)", "flow-NRU (dB)"):
        assert words in text


def test_a_long_table_goes_on_with_its_header_over_the_page(rendered):
    text = pdf_text(rendered[1])
    assert all(f"opb{row}" in text for row in range(1, 61))
    assert text.count("Scenario") == 2


@pytest.mark.parametrize("kind", ["image", '"quarto-float-fig"'])  # as pandoc and as Quarto say it
def test_text_goes_on_where_a_figure_does_not_fit_on_the_page(tmp_path, kind):
    shutil.copy(THEME / "typst-template.typ", tmp_path)
    options = f"kind: {kind}, supplement: none, caption: [Tall]"
    tall = f"figure(rect(height: 15cm), {options})"
    panels = f"figure(grid(columns: 2, {tall}, {tall}), {options})"
    for figure in (tall, panels):
        page = "#context [#metadata(here().page()) <after>]"
        parts = ['#import "typst-template.typ": *', "#show: evenflow-report", "#v(15cm) Before"]
        parts += [f"#{figure}", f"After {page} #lorem(300)"]
        (tmp_path / "tall.typ").write_text("\n\n".join(parts))
        found = typst.query(tmp_path / "tall.typ", "<after>", field="value", one=True)
        assert json.loads(found) == 1


@pytest.mark.skipif(not shutil.which("pdffonts"), reason="needs pdffonts")
def test_every_font_is_embedded_in_the_pdf(rendered):
    table = subprocess.run(["pdffonts", rendered[1]], capture_output=True, text=True, check=True)
    fonts = table.stdout.splitlines()[2:]
    assert fonts
    # The last columns: embedded, subset, Unicode map, object number and generation.
    assert all(re.search(r"\s+yes\s+(yes|no)\s+(yes|no)\s+\d+\s+\d+$", font) for font in fonts)


def test_the_same_input_gives_the_same_bytes(rendered, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", path_without_quarto())
    copy = shutil.copytree(FIXTURE, tmp_path / "elsewhere")
    render_report(copy, tmp_path / "a.html", tmp_path / "fixture.pdf", THEME)
    assert (tmp_path / "a.html").read_bytes() == rendered[0].read_bytes()
    assert (tmp_path / "fixture.pdf").read_bytes() == rendered[1].read_bytes()


# ---- what stops the run


@pytest.fixture
def report(tmp_path, monkeypatch):
    """A copy of the fixture, and outputs of an earlier run that must survive an error."""
    monkeypatch.setenv("PATH", path_without_quarto())
    directory = shutil.copytree(FIXTURE, tmp_path / "report")
    (tmp_path / "index.html").write_text("earlier")
    (tmp_path / "report.pdf").write_text("earlier")
    return directory


def render(directory: Path) -> str:
    folder = directory.parent
    return render_report(directory, folder / "index.html", folder / "report.pdf", THEME)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {path}"
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("index.qmd", "{{< var nru.bic_db >}}", "{{< var nru.bic >}}", r"index\.qmd:53: unknown"),
        ("index.qmd", "tables/cells.md", "tables/cell.md", r"index\.qmd:58: include tables/cell"),
        ("index.qmd", "@fig-throughput\n", "@fig-thruput\n", r"index\.qmd:15: @fig-thruput refers"),
        ("index.qmd", "@eq-nru", "@eq-nrv", r"index\.qmd:55: @eq-nrv refers to nothing"),
        ("index.qmd", "in @sec-index", "in @sec-idx", r"index\.qmd:15: @sec-idx refers to nothing"),
        ("index.qmd", "and @tbl-cells", "and @tbl-cell", r"index\.qmd:16: @tbl-cell refers"),
        ("index.qmd", "@jain1984, p", "@jain1985, p", r"index\.qmd:15: citation @jain1985 has no"),
        ("tables/cells.md", "@jain1984", "@jain1985", r"cells\.md:5: citation @jain1985 has no"),
        ("index.qmd", "as @bhatti2009 did", "as @bh did", r"index\.qmd:10: citation @bh has no"),
        ("index.qmd", "as @bhatti2009 did", "as @fig-panels did", r"index\.qmd:10: .* metadata"),
        ("index.qmd", "in @sec-index", "in @Sec-index", r"index\.qmd:15: citation @Sec-index"),
        ("index.qmd", "@fig-throughput; @", "@jain1984; @", "both citations and cross-references"),
        ("index.qmd", "{#fig-throughput ", "{#fig-panels ", "label 'fig-panels' is defined twice"),
        ("index.qmd", "{#fig-throughput ", "{", "has no label"),
        ("index.qmd", "runs. {#tbl-cells}", "runs.", "has no label"),
        ("index.qmd", "figures/bic.svg", "figures/bi.svg", r"index\.qmd:53: image figures/bi\.svg"),
        ("index.qmd", "figures/bic.svg", "https://a.b/c.svg", r"index\.qmd:53: .* on the network"),
        ("index.qmd", ' fig-alt="Line of flow-NRU of BIC."', "", r"qmd:53: .* has no fig-alt"),
        ("index.qmd", "Nothing here", "<b>Nothing</b> here", "raw html '<b>'"),
        ("index.qmd", "# Introduction {", "## Introduction {", "must be of level 1"),
        ("index.qmd", "::: {.callout-note}", "::: {.callout-note collapse=true}", "'collapse'"),
        ("index.qmd", "::: {.callout-note}", "::: {.panel-tabset}", "not in the subset"),
        ("index.qmd", "::: {.callout-note}", "::: {.fold}", "not in the subset"),
        ("index.qmd", "layout-ncol=2", "layout-nrow=2", r"index\.qmd:49: attribute 'layout-nrow'"),
        ("index.qmd", "Flow-NRU of flow 2, with flow 1 NewReno. By @eq-nru.", "", "no caption"),
        ("index.qmd", "$$ {#eq-jain}", "$$\n\n{#eq-jain}", "attached to nothing"),
        ("index.qmd", "with a dash.]", "$$x$$ {#eq-x}]", r"index\.qmd:18: eq-x .* footnote"),
        ("index.qmd", r"\overline{r_n}", r"\overlin{r_n}", "pandoc.*TeX math"),
        ("_quarto.yml", "toc-depth: 2", "toc-depth: 3", r"_quarto\.yml: key toc-depth differs"),
        ("refs.bib", "@inproceedings{bhatti2009,", "@inproceedings{bhatti2009", r"refs\.bib"),
    ],
)
def test_an_error_names_the_place_and_leaves_earlier_outputs(report, file, old, new, said):
    edit(report / file, old, new)
    with pytest.raises(RenderError) as error:
        render(report)
    assert re.search(said, str(error.value)), str(error.value)
    assert (report.parent / "index.html").read_text() == "earlier"
    assert (report.parent / "report.pdf").read_text() == "earlier"
    assert sorted(path.name for path in report.parent.iterdir()) == [
        "index.html",
        "report",
        "report.pdf",
    ]


@pytest.mark.parametrize("file", ["refs.bib", "_quarto.yml", "index.qmd"])
def test_a_missing_file_is_named(report, file):
    (report / file).unlink()
    with pytest.raises(RenderError, match=re.escape(file)):
        render(report)


def test_a_broken_figure_is_an_error_of_typst(report):
    (report / "figures/bic.svg").write_text("<svg")
    with pytest.raises(RenderError, match=r"bic\.svg"):
        render(report)
    assert (report.parent / "index.html").read_text() == "earlier"


def test_all_unresolved_names_are_reported_at_once(report):
    edit(report / "index.qmd", "in @sec-index", "in @sec-idx")
    edit(report / "index.qmd", "@jain1984, p", "@jain1985, p")
    with pytest.raises(RenderError) as error:
        render(report)
    assert len(error.value.problems) == 2


def test_the_report_directory_is_left_as_it_was(report):
    before = {path: path.read_bytes() for path in report.rglob("*") if path.is_file()}
    render(report)
    assert {path: path.read_bytes() for path in report.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("project", sorted((ROOT / "reports").glob("*/_quarto.yml")))
def test_every_report_has_the_project_file_of_the_theme(project):
    assert project.read_text() == (THEME / "_quarto.yml").read_text()


# ---- Quarto


def install_fake_quarto(folder: Path, monkeypatch, body: str) -> Path:
    """Put an executable named quarto on the PATH that records how it is called.

    It is not Quarto and shows nothing about what Quarto makes of a report.
    """
    folder.mkdir()
    log = folder / "calls"
    script = folder / "quarto"
    script.write_text(
        f'#!/bin/sh\nif [ "$1" = --version ]; then echo 1.6.40; exit; fi\n'
        f'echo "$*" >> {log}; for o; do :; done\n{body}\n'
    )
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{path_without_quarto()}")
    return log


# Writes the file named after --output, with the text that it was given inside.
WRITE_OUTPUT = (
    'while [ "$1" != --output ]; do shift; done\n'
    '{ cat index.qmd; ls ../_theme _quarto.yml; } > "$2"'
)


def test_a_fake_quarto_on_the_path_is_called_for_both_formats(report, monkeypatch):
    log = install_fake_quarto(report.parent / "bin", monkeypatch, WRITE_OUTPUT)
    assert render(report) == "quarto"
    footer = "-M rendered-by:Rendered by Quarto 1.6.40"
    assert log.read_text().splitlines() == [
        f"render index.qmd --to html --output index.html {footer}",
        f"render index.qmd --to typst --output report.pdf {footer}",
    ]
    for output in ("index.html", "report.pdf"):
        text = (report.parent / output).read_text()
        assert "mean 31.50 Mb/s), by @bhatti2009" in text  # its text has no shortcodes any more
        assert "{{<" not in text
        assert "typst-show.typ" in text  # the theme lies where _quarto.yml looks for it


def test_a_fake_quarto_is_not_even_called_for_a_report_with_errors(report, monkeypatch):
    log = install_fake_quarto(report.parent / "bin", monkeypatch, WRITE_OUTPUT)
    edit(report / "index.qmd", "in @sec-index", "in @sec-idx")
    with pytest.raises(RenderError, match="@sec-idx refers to nothing"):
        render(report)
    assert not log.exists()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("echo 'ERROR: no such format' >&2; exit 3", "failed with 3: ERROR: no such format"),
        ("exit 0", r"made no index\.html"),
        (WRITE_OUTPUT + "\necho '<strong>?@fig-x</strong>' >> \"$2\"", r"unresolved marks"),
    ],
)
def test_a_fake_quarto_that_fails_is_named_and_replaced(report, monkeypatch, capsys, body, said):
    install_fake_quarto(report.parent / "bin", monkeypatch, body)
    assert render(report) == "pandoc and typst (Quarto is here but failed)"
    assert re.search(said, capsys.readouterr().err)
    html = (report.parent / "index.html").read_text(encoding="utf-8")
    assert "built-in path); Quarto is installed but failed" in html
    assert (report.parent / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.skipif(shutil.which("quarto") is None, reason="Quarto is not on the PATH")
def test_the_real_quarto_prints_the_same_text(rendered, tmp_path):
    assert render_report(FIXTURE, tmp_path / "index.html", tmp_path / "q.pdf", THEME) == "quarto"
    quarto = Page((tmp_path / "index.html").read_text(encoding="utf-8"))
    built_in = Page(rendered[0].read_text(encoding="utf-8"))
    assert quarto.text.replace(" ", "") == built_in.text.replace(" ", "")
    assert sorted(set(quarto.links)) == sorted(set(built_in.links))
    assert [load for load in quarto.loads if not load.startswith("data:")] == []
