"""Shortcodes of index.qmd: what is replaced, and what stops the run."""

from pathlib import Path

import pytest
from evenflow.render import RenderError
from evenflow.render.source import read_source, read_variables


def report(directory: Path, text: str, variables: str = "", **tables: str) -> Path:
    (directory / "index.qmd").write_text(text, encoding="utf-8")
    if variables:
        (directory / "_variables.yml").write_text(variables, encoding="utf-8")
    for name, table in tables.items():
        (directory / f"{name}.md").write_text(table, encoding="utf-8")
    return directory


def test_variables_keep_their_digits_in_text_captions_and_attributes(tmp_path):
    text = '![min {{< var a.b >}}](x.svg){fig-alt="{{<var a.b>}} Mb/s"} and {{<  var  n  >}}'
    source = read_source(report(tmp_path, text, 'a:\n  b: "0.40"\nn: 27\n'))
    assert source.text == '![min 0.40](x.svg){fig-alt="0.40 Mb/s"} and 27'


def test_included_lines_keep_their_own_file_and_line_number(tmp_path):
    text = "one\n{{< include t.md >}}\nthree @fig-x"
    source = read_source(report(tmp_path, text, "v: '7'", t="| a |\n| {{< var v >}} |\n"))
    assert source.text.split("\n") == ["one", "| a |", "| 7 |", "three @fig-x"]
    assert source.origin[2] == (tmp_path / "t.md", 2)
    assert source.locate("@fig-x") == f"{tmp_path / 'index.qmd'}:3"


def test_a_label_is_not_located_at_a_longer_one(tmp_path):
    source = read_source(report(tmp_path, "@fig-x-a\n@fig-x"))
    assert source.locate("@fig-x").endswith("index.qmd:2")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n{{< var throughput.maen >}}", "index.qmd:2: unknown variable 'throughput.maen'"),
        ("{{< var throughput >}}", "index.qmd:1: unknown variable 'throughput'"),
        ("\n\n{{< include tables/no.md >}}", "index.qmd:3: include tables/no.md not found"),
        ("text {{< include t.md >}}", "index.qmd:1: an include must stand on a line of its own"),
        ("{{< include t.md >}}", "t.md:1: an include must stand on a line of its own"),
        ("{{< video x.mp4 >}}", "index.qmd:1: shortcode 'video' is not one that reports may use"),
        ("{{{< var n >}}}", "index.qmd:1: escaped shortcodes"),
        ("```{python}\n1\n```", "index.qmd:1: executable cell {python}"),
    ],
)
def test_what_cannot_be_replaced_is_named_with_file_and_line(tmp_path, text, said):
    variables = 'throughput:\n  mean: "31.50"\n'
    directory = report(tmp_path, text, variables, t="{{< include t.md >}}")
    with pytest.raises(RenderError) as error:
        read_source(directory)
    assert str(tmp_path / said.split(":")[0]) + said[said.index(":") :] in str(error.value)


def test_a_misspelt_variable_is_answered_with_the_nearest_name(tmp_path):
    with pytest.raises(RenderError, match=r"did you mean 'throughput\.mean'"):
        read_source(report(tmp_path, "{{< var throughput.maen >}}", "throughput: {mean: '1'}"))


def test_all_problems_of_a_file_are_named_at_once(tmp_path):
    with pytest.raises(RenderError) as error:
        read_source(report(tmp_path, "{{< var a >}}\n{{< var b >}}\n{{< include c.md >}}"))
    assert len(error.value.problems) == 3


@pytest.mark.parametrize(
    ("yaml", "said"),
    [
        ("a: 0.40", "a is of type float; write it as a quoted string"),
        ("a: {b: true}", "a.b is of type bool"),
        ("a:", "a is of type NoneType"),
        ("a: [1]", "a is of type list"),
        ('a: "1\\n2"', "a has several lines"),
        ("- a", "must be a mapping"),
        ("a: {", "not valid YAML"),
    ],
)
def test_a_variable_that_could_be_printed_wrongly_is_an_error(tmp_path, yaml, said):
    path = tmp_path / "_variables.yml"
    path.write_text(yaml)
    with pytest.raises(RenderError, match=str(path)) as error:
        read_variables(path)
    assert said in str(error.value)


def test_a_report_without_variables_needs_no_file(tmp_path):
    assert read_source(report(tmp_path, "plain")).text == "plain"


def test_a_directory_without_index_is_named(tmp_path):
    with pytest.raises(RenderError, match=r"index\.qmd: not found"):
        read_source(tmp_path)


# ---- conditional blocks -------------------------------------------------------------------------

BLOCKS = """one
::::: {.content-visible when-meta="own.a"}
two {{< var only.own >}}

::: {.callout-note}
three
:::
:::::
:::: {.content-visible unless-meta="own.a"}
four
::::
five @fig-x"""


@pytest.mark.parametrize(
    ("own", "shown"),
    [
        ("yes", ["one", "two 7", "", "::: {.callout-note}", "three", ":::", "five @fig-x"]),
        ("no", ["one", "four", "five @fig-x"]),
    ],
)
def test_a_conditional_block_is_shown_or_left_out_whole(tmp_path, own, shown):
    # what is left out need not resolve: without 'own' there is no 'only.own'
    more = "only: {own: '7'}\n" if own == "yes" else ""
    source = read_source(report(tmp_path, BLOCKS, f"own: {{a: '{own}'}}\n{more}"))
    assert source.text.split("\n") == shown
    assert source.locate("@fig-x").endswith("index.qmd:12")


def test_an_include_that_is_left_out_need_not_be_there(tmp_path):
    text = ':::: {.content-visible when-meta="own"}\n{{< include t.md >}}\n::::\nend'
    assert read_source(report(tmp_path, text, "own: 'no'")).text == "end"


def test_a_condition_in_what_is_left_out_need_not_be_decided(tmp_path):
    inner = '::::: {.content-visible when-meta="of.it"}\na\n:::::'
    text = f':::: {{.content-visible when-meta="own"}}\n{inner}\nb\n::::\nend'
    assert read_source(report(tmp_path, text, "own: 'no'")).text == "end"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (':::: {.content-visible when-meta="owm"}\na\n::::', r"qmd:1: .*did you mean 'own'"),
        (':::: {.content-visible when-meta="n"}\na\n::::', r"qmd:1: .*'n' is not a variable"),
        ('a\n:::: {.content-visible when-meta="own"}\na\n:::', r"qmd:2: .* never closed; .*::::"),
    ],
)
def test_a_condition_that_cannot_be_decided_stops_the_run(tmp_path, text, said):
    with pytest.raises(RenderError, match=said):
        read_source(report(tmp_path, text, "own: 'yes'\nn: 7"))
