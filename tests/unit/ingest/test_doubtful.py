"""Words of names that may be a setting or an ordinary word: `red/` beside `blue/`."""

import pytest
from evenflow.ingest.naming.doubtful import doubtful_words
from evenflow.ingest.parse import parse_dataset
from raw_data import make_dataset
from small_logs import iperf3_json


def tables_of(tmp_path, names: list[str]) -> dict:
    logs = {name: iperf3_json(cca=None, minute=n, mbps=n) for n, name in enumerate(names, start=1)}
    return parse_dataset(make_dataset(tmp_path / "words", logs, ""))


@pytest.mark.parametrize(
    ("paths", "doubted"),
    [
        (["run1/red.json", "run1/blue.json"], {"red"}),
        (["red_team/1.txt", "blue_team/1.txt"], {"red"}),
        (["pie/1.txt", "donut/1.txt"], {"pie"}),
        (["cake/1.txt"], {"cake"}),
        (["red/1.txt", "pie/1.txt", "donut/1.txt"], {"red", "pie"}),
        (["highspeed/1.txt", "lowspeed/1.txt"], {"highspeed"}),
        (["high-speed_link/1.txt"], {"high-speed"}),
        # something says so
        (["red/1.txt", "droptail/1.txt"], set()),
        (["red-cubic-1.txt", "fifo-bbr-1.txt"], set()),
        (["fq_codel/1.txt", "pie/1.txt", "mine/1.txt"], set()),
        (["red/1.txt", "pie/1.txt"], set()),
        (["aqm_red/1.txt"], set()),
        (["qdisc-pie-1.txt"], set()),
        (["red_ecn/1.txt"], set()),
        (["highspeed/1.txt", "cubic/1.txt"], set()),
    ],
)
def test_ordinary_words_are_settings_where_something_says_so(paths, doubted):
    found = doubtful_words(paths)
    assert {path[w.start : w.end] for path, words in found.items() for w in words} == doubted


@pytest.mark.parametrize(
    ("words", "key", "table"),
    [(("red", "blue"), "aqm", "run"), (("highspeed", "lowspeed"), "cca", "flow")],
)
def test_what_is_not_taken_is_asked_with_the_lines_that_settle_it(tmp_path, words, key, table):
    names = [f"{word}/run{n}.json" for word in words for n in (1, 2)]
    tables = tables_of(tmp_path, names)
    assert words[0] not in tables[table][key].to_list()
    (row,) = tables["assumption"].filter(what=key, certainty="a guess").rows(named=True)
    assert row["value"] == f"'{words[0]}' in names, not taken as {key}"
    assert f"#     run,{key}" in row["yaml"] and f"#     {names[0]},{words[0]}" in row["yaml"]
