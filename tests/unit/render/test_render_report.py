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
import yaml
from evenflow.render import RenderError, render_report, renderer_here
from evenflow.render.pandoc import (
    _take_label_from_caption,
    elements,
    parse_markdown,
    run_pandoc,
    text_of,
)
from evenflow.render.quarto import FORMATS
from evenflow.render.site import Site, of_paper
from rendered_page import FIXTURE, THEME, Page, install_fake_quarto, path_without_quarto, pdf_text

ROOT = Path(__file__).parents[3]
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


def test_the_pdf_says_on_its_first_page_of_which_version_it_is(report):
    place = of_paper("a-paper", ["set-b"], {"commit": "1a2b3c4d5e6f", "date": "2026-11-26",
                     "clean": True}, Site(repository="https://forge.example/r"))  # fmt: skip
    render_report(report, report / "index.html", report / "a.pdf", THEME, place=place)
    first = pdf_text(report / "a.pdf").split("Contents")[0]
    assert "1a2b3c4d5e6f" in first and "2026-11-26" in first and "set-b" in first


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
    # only the head on the second page says so
    assert text.count("(continued)") == 1
    assert re.search(r"Table \d+ \(continued\) +Scenario", text)


@pytest.mark.thorough
def test_no_long_table_begins_at_the_foot_of_a_page(tmp_path):
    """Not a heading, a caption and a row or two: the next page has room for all of these."""
    parts = ["---\ntitle: Long tables\n---\n"]
    for n in range(1, 25):  # which begin at all heights of a page
        parts.append("\n\n".join(["A line."] * (3 + n % 7)))
        rows = "\n".join(f"| row{n}of{i} | {i} |" for i in range(1, 46))
        table = f"| Row | Value |\n|---|--:|\n{rows}\n\n: Its rows. {{#tbl-t{n}}}"
        parts.append(f"# Section{n}x\n\n{table}")
    (tmp_path / "index.qmd").write_text("\n\n".join(parts), encoding="utf-8")
    shutil.copy(THEME / "_quarto.yml", tmp_path)
    (tmp_path / "refs.bib").touch()
    render_report(tmp_path, tmp_path / "index.html", tmp_path / "a.pdf", THEME)
    command = ["pdftotext", "-enc", "UTF-8", str(tmp_path / "a.pdf"), "-"]
    if not shutil.which(command[0]):
        pytest.skip("pdftotext, which tells pages apart, is not here")
    pages = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\f")
    begun = []
    for n in range(1, 25):
        (page,) = (each for each in pages if re.search(rf"\brow{n}of1\b", each))
        assert re.search(rf"\brow{n}of5\b", page), n
        assert f"Section{n}x" in page and f"Table {n}: Its rows." in page.replace(NB, " "), n
        begun.append(f"Section{n}x" in page.strip().split("\n")[0])
    assert any(begun) and not all(begun)  # at the top of a page, and below other things


def test_an_apostrophe_behind_a_digit_is_no_prime(report):
    qmd = report / "index.qmd"
    text = qmd.read_text(encoding="utf-8")
    qmd.write_text(f"{text}\nThis is flow 2's rate.\n", encoding="utf-8")
    render(report)
    assert "flow 2’s rate" in pdf_text(report.parent / "report.pdf")


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


def pdf_of(folder: Path, *parts: str) -> Path:
    """The PDF of a text in the theme."""
    shutil.copy(THEME / "typst-template.typ", folder)
    text = ['#import "typst-template.typ": *', "#show: evenflow-report", *parts]
    (folder / "made.typ").write_text("\n\n".join(text))
    typst.compile(folder / "made.typ", output=folder / "made.pdf")
    return folder / "made.pdf"


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs pdftotext")
def test_a_number_stays_with_its_unit_wherever_a_line_ends(tmp_path):
    said = "10 % of 2.5 Gb/s for 120 s, " * 20
    pdf = pdf_of(tmp_path, *("x" * n + " " + said for n in range(1, 30)))
    text = subprocess.run(["pdftotext", "-layout", pdf, "-"], capture_output=True, check=True)
    lines = [line.strip() for line in text.stdout.decode().splitlines()]
    assert len(lines) > 100
    assert [line for line in lines if re.match(r"(%|Gb/s|s)(?!\w)", line)] == []
    assert [line for line in lines if re.search(r"\D\d+$|b/$", line)] == []


@pytest.mark.skipif(not shutil.which("pdftotext"), reason="needs pdftotext")
def test_a_wide_figure_reaches_into_both_margins_alike(tmp_path):
    ends = "".join(f'<text x="{x}" y="9" font-size="9">|</text>' for x in (0, 734))
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="737" height="12">{ends}</svg>'
    (tmp_path / "wide.svg").write_text(svg)
    pdf = pdf_of(tmp_path, '#figure(box(image("wide.svg")), kind: image, supplement: none)')
    boxes = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, check=True)
    words = re.findall(r'xMin="([\d.]+)".*?>\|<', boxes.stdout.decode())
    left, right = sorted(float(x) for x in words)
    assert 50 < left < 55 and right - left == pytest.approx(734 / 737 * 491.5, abs=1)


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


# Writes the file named after --output, with the text that it was given inside.
WRITE_OUTPUT = (
    'while [ "$1" != --output ]; do shift; done\n'
    '{ cat index.qmd; ls ../_theme _quarto.yml; } > "$2"'
)


def test_a_fake_quarto_on_the_path_is_called_for_both_formats(report, monkeypatch):
    log = install_fake_quarto(report.parent / "bin", monkeypatch, WRITE_OUTPUT)
    assert render(report) == "Quarto 1.9.37"
    footer = "-M rendered-by:Rendered by Quarto 1.9.37"
    assert log.read_text().splitlines() == [
        f"render index.qmd --to html --output index.html {footer}",
        f"render index.qmd --to typst-smart --output report.pdf {footer}",
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
    name = render(report)
    assert name.endswith("built-in path); Quarto 1.9.37 is installed but failed")
    assert re.search(said, capsys.readouterr().err)
    html = (report.parent / "index.html").read_text(encoding="utf-8")
    assert f"Rendered by {name}" in html.replace("’", "'")
    assert (report.parent / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(
    ("version", "used"),
    [("1.6.40", False), ("1.8.27", False), ("1.9.1", True), ("1.10.3", True), ("2.0.0", True)],
)
def test_a_quarto_that_needs_the_network_for_callouts_is_not_used(
    report, monkeypatch, capsys, version, used
):
    log = install_fake_quarto(report.parent / "bin", monkeypatch, WRITE_OUTPUT, version)
    name = render(report)
    assert name == renderer_here()  # what the rules take for their parameter
    assert log.exists() == used
    if used:
        assert name == f"Quarto {version}"
    else:
        note = f"Quarto {version} is installed but older than 1.9"
        assert name.endswith(f"built-in path); {note}")
        assert f"warning: {note}; rendering without it" in capsys.readouterr().err
        assert note in (report.parent / "index.html").read_text(encoding="utf-8")
        assert (report.parent / "report.pdf").read_bytes().startswith(b"%PDF")


def test_a_quarto_that_cannot_even_say_its_version_is_not_used(report, monkeypatch):
    install_fake_quarto(report.parent / "bin", monkeypatch, "")
    (report.parent / "bin/quarto").write_text("#!/bin/sh\nexit 127\n")
    name = render(report)
    assert name.endswith("; Quarto is installed but `quarto --version` fails")
    assert name == renderer_here()


def test_another_renderer_has_another_name(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", path_without_quarto())
    names = [renderer_here()]
    for version in ("1.9.37", "1.10.0", "1.6.40"):
        install_fake_quarto(tmp_path / version, monkeypatch, "", version)
        names.append(renderer_here())
    assert len(set(names)) == 4
    assert names[0].startswith("pandoc 3.") and "Quarto" not in names[0]


# The environment that Quarto gets, into the output; colours and cursor moves into its messages.
SAY_ENVIRONMENT = WRITE_OUTPUT + (
    '\nenv >> "$2"'
    "\nprintf '\\033[0G\\033[2KOutput created\\n\\033[33mWARNING: one\\033[39m\\n' >&2"
)


def test_quarto_gets_a_fixed_date_and_no_colours(report, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    install_fake_quarto(report.parent / "bin", monkeypatch, SAY_ENVIRONMENT)
    render(report)
    for output in ("index.html", "report.pdf"):
        lines = (report.parent / output).read_text().splitlines()
        assert "SOURCE_DATE_EPOCH=0" in lines  # as the built-in path: builtin.FIXED_TIME_S
        assert "NO_COLOR=1" in lines
        assert not any(line.startswith("FORCE_COLOR") for line in lines)
        assert f"PATH={os.environ['PATH']}" in lines  # the rest is inherited


def test_warnings_of_quarto_are_shown_without_the_codes_of_a_terminal(report, monkeypatch, capsys):
    install_fake_quarto(report.parent / "bin", monkeypatch, SAY_ENVIRONMENT)
    render(report)
    assert capsys.readouterr().err.splitlines() == [
        "warning: quarto render --to html: WARNING: one",
        "warning: quarto render --to typst-smart: WARNING: one",
    ]
    failing = "printf '\\033[?25l\\033[91mERROR: no\\033[39m such\\n' >&2; exit 1"
    install_fake_quarto(report.parent / "failing", monkeypatch, failing)
    render(report)
    said = capsys.readouterr().err
    assert "failed with 1: ERROR: no such\n" in said
    assert "\x1b" not in said


def test_tables_of_quarto_get_the_box_that_scrolls(report, monkeypatch):
    tables = "<table class='a'><tr><td>1</td></tr></table> <table><tr><td>2</td></tr></table>"
    body = f'while [ "$1" != --output ]; do shift; done; echo "{tables}" > "$2"'
    install_fake_quarto(report.parent / "bin", monkeypatch, body)
    render(report)
    box = '<div class="table-scroll" tabindex="0"><table'
    html = (report.parent / "index.html").read_text()
    assert html.count(box) == html.count("<table") == html.count("</table></div>") == 2


def test_column_widths_are_left_to_the_browser_and_kept_in_the_pdf():
    project = yaml.safe_load((THEME / "_quarto.yml").read_text(encoding="utf-8"))
    # a key of the format wins over one of the project
    assert project["format"]["typst-smart"]["tbl-colwidths"] is True
    assert project["format"]["html"]["tbl-colwidths"] is False
    assert "tbl-colwidths" not in project


def test_citations_do_not_depend_on_the_default_style_of_pandoc(rendered, tmp_path, monkeypatch):
    # pandoc takes its default style from here, as another version has another
    style = tmp_path / "pandoc/default.csl"
    style.parent.mkdir()
    style.write_text(
        '<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">'
        "<info><title>t</title><id>t</id><updated>2026-11-23T00:00:00+00:00</updated></info>"
        '<citation><layout><text value="cited"/></layout></citation>'
        '<bibliography><layout><text value="listed"/></layout></bibliography></style>'
    )
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", path_without_quarto())
    render_report(FIXTURE, tmp_path / "index.html", tmp_path / "fixture.pdf", THEME)
    assert (tmp_path / "index.html").read_bytes() == rendered[0].read_bytes()
    assert (tmp_path / "fixture.pdf").read_bytes() == rendered[1].read_bytes()


def cite(folder: Path, entries: str, text: str) -> list[str]:
    """The paragraphs of a text and its list of references, in the theme's style."""
    (folder / "refs.bib").write_text(entries)
    options = ["--citeproc", f"--csl={THEME / 'citations.csl'}", "--bibliography=refs.bib"]
    return run_pandoc([*options, "--to=plain", "--wrap=none"], text, folder).strip().split("\n\n")


BIBLIOGRAPHIES = sorted((Path(__file__).parents[3] / "reports").glob("*/refs.bib"))


@pytest.mark.parametrize("bib", BIBLIOGRAPHIES, ids=lambda bib: bib.parent.name)
def test_no_list_of_references_shows_braces_of_its_source(tmp_path, bib):
    listed = "\n".join(cite(tmp_path, bib.read_text(), "---\nnocite: '@*'\n---\n"))
    assert not re.findall(r".*[{}].*", listed)


JOURNAL = "title={fair links}, journal={J}, volume=3"


# type of the entry, its fields, and what the list of references says after author and year
@pytest.mark.parametrize(
    ("kind", "fields", "said"),
    [
        ("article", f"{JOURNAL}, number=4, pages={{101--108}}", "“Fair Links.” J 3 (4): 101–8."),
        ("article", f"{JOURNAL}, doi={{10.1/x}}", "“Fair Links.” J 3. https://doi.org/10.1/x."),
        ("inproceedings", "title={Is it {TCP}?}, booktitle={P}", "“Is It TCP?” P."),
        ("inproceedings", "title={fair}, booktitle={P}, pages={1--9}", "“Fair.” P, 1–9."),
        (
            "incollection",
            "title={fair}, booktitle={B}, editor={E, F}",
            "“Fair.” In B, edited by F E.",
        ),
        (
            "techreport",
            "title={fair links}, institution={I}, number={TR-1}",
            "Fair Links. TR-1. I.",
        ),
        (
            "techreport",
            "title={fair}, institution={I}, number=1, type={Note}",
            "Fair. Note No. 1. I.",
        ),
        ("phdthesis", "title={fair links}, school={S}", "“Fair Links.” PhD thesis, S."),
        ("book", "title={fair links}, publisher={P}, edition=2", "Fair Links, 2nd ed. P."),
        (
            "online",
            "title={fair}, url={u}, urldate={2026-01-02}",
            "“Fair.” Accessed January 2, 2026. u.",
        ),
    ],
)
def test_the_style_of_references_sets_what_papers_cite(tmp_path, kind, fields, said):
    paragraphs = cite(tmp_path, f"@{kind}{{x, author={{Doe, Jo}}, year=2001, {fields}}}", "[@x]")
    assert paragraphs == ["(Doe 2001)", f"Doe, Jo. 2001. {said}"]


@pytest.mark.parametrize(
    ("authors", "cited", "listed"),
    [
        ("A, B", "(A 2001)", "A, B. 2001."),
        ("A, B and C, D", "(A and C 2001)", "A, B, and D C. 2001."),
        ("A, B and C, D and E, F", "(A et al. 2001)", "A, B, D C, and F E. 2001."),
        ("A, B and " * 6 + "C, D", "(A et al. 2001)", "A, B, B A, B A, et al. 2001."),
    ],
)
def test_the_style_of_references_shortens_lists_of_authors(tmp_path, authors, cited, listed):
    entry = f"@book{{x, author={{{authors}}}, year=2001, title={{Fair}}}}"
    assert cite(tmp_path, entry, "[@x]") == [cited, f"{listed} Fair."]


def test_the_style_of_references_tells_works_and_places_in_them_apart(tmp_path):
    entry = "@book{%s, author={Doe, Jo}, year=2001, title={%s}}"
    entries = entry % ("y", "Yes") + entry % ("x", "Xen") + "@misc{z, author={Roe, R.}, title={Z}}"
    text, *listed = cite(tmp_path, entries, "[@y, p. 3] [@x, sec. 4] @z")
    assert text == "(Doe 2001b, 3) (Doe 2001a, sec. 4) Roe (n.d.)"
    assert listed == ["Doe, Jo. 2001a. Xen.", "Doe, Jo. 2001b. Yes.", "Roe, R. n.d. Z."]


@pytest.mark.skipif(shutil.which("quarto") is None, reason="Quarto is not on the PATH")
def test_the_real_quarto_prints_the_same_text(rendered, tmp_path):
    name = render_report(FIXTURE, tmp_path / "index.html", tmp_path / "q.pdf", THEME)
    assert name.startswith("Quarto ")
    quarto = Page((tmp_path / "index.html").read_text(encoding="utf-8"))
    built_in = Page(rendered[0].read_text(encoding="utf-8"))
    assert quarto.text.replace(" ", "") == built_in.text.replace(" ", "")
    assert sorted(set(quarto.links)) == sorted(set(built_in.links))
    assert [load for load in quarto.loads if not load.startswith("data:")] == []


@pytest.mark.skipif(shutil.which("quarto") is None, reason="Quarto is not on the PATH")
def test_an_apostrophe_behind_a_digit_is_no_prime_in_the_pdf_of_the_real_quarto(report):
    text = (report / "index.qmd").read_text(encoding="utf-8")
    (report / "index.qmd").write_text(f"{text}\nThis is flow 2's rate.\n", encoding="utf-8")
    assert render(report).startswith("Quarto ")
    assert "flow 2’s rate" in pdf_text(report.parent / "report.pdf")


def test_quarto_is_asked_for_the_formats_whose_options_the_project_has():
    project = yaml.safe_load((THEME / "_quarto.yml").read_text(encoding="utf-8"))
    assert (*project["format"],) == FORMATS == ("html", "typst-smart")
