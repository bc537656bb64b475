"""Numbers know the rows that they were printed from, and what comes from none is refused."""

import polars as pl
import pytest
from evenflow.evidence.runs import by_row, runs_in, side_of, split
from evenflow.evidence.say import (
    NoOrigin,
    checked,
    count,
    given,
    phrase,
    places,
    ranges,
    say,
    span,
    table_name,
    tagged,
)

TABLE = tagged(
    pl.DataFrame({"cca": ["bic", "bic", "cubic"], "jfi": [0.5, 0.7, 0.9], "n": [1, 2, 3]}), "cell"
)
BIC = TABLE.filter(cca="bic")


def rows_of(said) -> list:
    return [value["tables"]["cell"] for value in said.values]


def test_a_number_has_the_rows_that_are_left_after_filter_sort_and_join():
    said = say(BIC.sort("jfi", descending=True), pl.col("jfi").mean(), digits=2)
    assert (said, rows_of(said)) == ("0.60", [[0, 1]])
    joined = TABLE.join(pl.DataFrame({"cca": ["cubic"], "rank": [7]}), on="cca")
    assert rows_of(say(joined, "{cca} {rank}")) == [[2], [2]]
    assert rows_of(count(TABLE, pl.col("jfi") > 0.8)) == [[0, 1, 2]]  # all that was asked


def test_a_row_of_tables_put_below_each_other_is_of_its_own_table():
    both = pl.concat([TABLE, tagged(pl.DataFrame({"jfi": [0.1]}), "other")], how="diagonal")
    assert [each["tables"] for each in say(both.filter(pl.col("jfi") < 0.5), "jfi").values] == [
        {"other": [0]}
    ]
    assert say(both, pl.col("jfi").min()).values[0]["tables"] == {"cell": [0, 1, 2], "other": [0]}
    assert count(both.head(0)).values[0]["tables"] == {"cell": [], "other": []}


@pytest.mark.parametrize(
    ("value", "extreme", "at"),
    [
        (pl.col("jfi").max(), "largest", [2]),
        (100 * pl.col("jfi").min().round(1), "smallest", [0]),
        (-pl.col("jfi").filter(pl.col("n") < 3).max(), "largest", [1]),
        ((pl.col("jfi") > 0.6).cast(pl.Int8).max(), "largest", [1, 2]),  # both have it
        (pl.col("jfi").max() - pl.col("jfi").min(), None, None),  # of two rows
        (pl.col("jfi").max().mean(), None, None),
        (pl.col("jfi").drop_nulls().max(), "largest", [2]),
        (pl.col("jfi").mean(), None, None),
        (pl.len(), None, None),
    ],
)
def test_an_extreme_knows_the_rows_that_have_it(value, extreme, at):
    [found] = say(TABLE, value).values
    assert found.get("extreme") == extreme and found.get("at") == (at and {"cell": at})
    assert found["tables"] == {"cell": [0, 1, 2]}


def test_rows_that_do_not_agree_are_refused():
    with pytest.raises(NoOrigin, match="several values in 2 rows"):
        say(BIC, "jfi")
    assert span(BIC, "jfi", digits=1) == "0.5 to 0.7"
    one = span(TABLE.tail(1), "n")
    assert (one, len(one.values), len(one.behind)) == ("3", 1, 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("3", "comes from no row"),
        (phrase("in 3 of {} cells", count(BIC)), "digit between its holes"),
        (say(BIC.group_by("cca").agg(pl.col("jfi").mean()), "jfi"), "have no tag"),
    ],
)
def test_a_number_without_rows_is_an_error_that_names_it(text, problem):
    with pytest.raises(NoOrigin, match=f"a.name.*{problem}"):
        checked("a.name", text)


def test_words_and_settings_have_what_is_behind_them():
    words = phrase("never rises", behind=[count(BIC)])
    assert checked("a", words)["behind"][0]["tables"] == {"cell": [0, 1]}
    assert checked("b", given("fdr", "5", 0.05))["values"][0]["value"] == 0.05
    assert checked("c", phrase("flow 1 has {}", count(BIC)))["text"] == "flow 1 has 2"
    assert checked("d", say(BIC.clear(), pl.col("jfi").mean()))["text"] == "–"  # no number


def test_places_are_kept_as_ranges():
    assert ranges([0, 1, 2, 5, 7, 8]) == [0, 2, 5, 5, 7, 8]
    assert places(ranges([0, 1, 2, 5, 7, 8])) == [0, 1, 2, 5, 7, 8]
    assert table_name("data/derived/papers/p/claim.parquet") == "claim"
    assert table_name("data/derived/lab/run.parquet") == "lab/run"
    assert table_name("reports/p/published.csv") == "reports/p/published.csv"


def test_lists_of_runs_are_split_off_and_found_again_by_column():
    lists = {"runs": [["b", "a"], []], "runs_null": [["c"], None], "runs_p,of": [["d"], ["e"]]}
    table = pl.DataFrame(
        {"x": [1, 2]} | lists, schema_overrides=dict.fromkeys(lists, pl.List(pl.String))
    )
    plain, long = split(table)
    assert plain.columns == ["x"]
    assert long.rows() == [
        (0, "", "a"), (0, "", "b"), (0, "null", "c"), (0, "p,of", "d"), (1, "p,of", "e"),
    ]  # fmt: skip
    known = by_row(long)
    assert runs_in(known, [0, 1]) == ["a", "b"]
    assert runs_in(known, [0], ["null_low", "x"]) == ["a", "b", "c"]
    assert runs_in(known, [1], ["p_value_bh"]) == ["e"]
    assert side_of("of", ["null", "p,of"]) == "p,of" and side_of("often", ["p,of"]) == ""
