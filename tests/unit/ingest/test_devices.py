"""Traces of ns-3 of single devices: the files of one prefix are one simulation."""

import re

import pytest
from evenflow.errors import DataError
from evenflow.ingest.parse import parse_dataset
from monitored import totals
from raw_data import ROOT, content, make_dataset

FOLDER = ROOT / "tests/fixtures/formats/ns3-ascii"
SINK = content(FOLDER / "device-3-1.tr.gz")
TOTALS = totals(content(FOLDER / "all.tr.gz"))
ROUTER = content(FOLDER / "device-2-3.tr.gz")


def of_port(port: int) -> bytes:
    """Return the lines of the sink's trace of the flow to a port."""
    lines = SINK.splitlines(keepends=True)
    return b"".join(x for x in lines if re.search(rb" %d > | > %d " % (port, port), x))


ROWS = b"path,run,flow\nd-3-1.tr,r1,1\nd-4-2.tr,r1,2\n"
FIRST, SECOND = of_port(5000), of_port(5001)


@pytest.mark.parametrize(
    ("logs", "runs"),
    [
        (
            {"dumbbell-3-1.tr": FIRST, "dumbbell-4-1.tr": SECOND, "dumbbell-2-3.tr": ROUTER},
            {"dumbbell-*-*.tr": 2},
        ),
        ({"d-3-1.tr": SINK, "d-2-3.tr": ROUTER}, {"d-*-*.tr": 2}),
        (  # two simulations
            {
                "a/d-3-1.tr": FIRST,
                "a/d-4-1.tr": SECOND,
                "b/d-3-1.tr": FIRST + b"\n",
                "b/d-4-1.tr": SECOND + b"\n",
                "b/d-2-3.tr": ROUTER,
            },
            {"a": 2, "b": 2},
        ),
        (  # with the totals of the same one
            {"d-3-1.tr": FIRST, "d-4-1.tr": SECOND, "flow.xml": TOTALS},
            {"d-*-*.tr": 2},
        ),
        # one flow is received in both: two simulations, or two names of one
        ({"d-3-1.tr": FIRST, "d-3-2.tr": FIRST[: FIRST.rindex(b"\nr ") + 1]}, None),
    ],
)
def test_traces_of_devices_with_one_prefix_are_one_run(logs, runs, tmp_path):
    folder = make_dataset(tmp_path / "raw", logs, "")
    tables = parse_dataset(folder)
    n_flows = dict(tables["flow"].group_by("run_id").len().rows())
    if runs is None:
        assert set(n_flows.values()) == {1}
        assert "{host}" not in "".join(tables["assumption"]["yaml"])
        return
    assert n_flows == runs
    (lines,) = tables["assumption"].filter(what="files")["yaml"]
    assert "-{host}-{variable}.tr" in lines and "{number}" not in lines
    (folder / "dataset.yml").write_text(lines)  # the lines that are offered say the same
    described = parse_dataset(folder)
    assert sorted(described["flow"].group_by("run_id").len()["len"]) == sorted(runs.values())
    assert described["run"].height == len(runs)


def test_the_page_says_that_they_are_of_one_simulation(tmp_path):
    logs = {"dumbbell-3-1.tr": FIRST, "dumbbell-4-1.tr": SECOND}
    tables = parse_dataset(make_dataset(tmp_path / "raw", logs, ""))
    (value,) = tables["assumption"].filter(what="runs")["value"]
    assert value == "1, the traces of single devices with one prefix are of one simulation"


def test_a_factor_that_differs_within_a_run_is_refused_with_the_placeholders_to_write(tmp_path):
    logs = {"d-3-1.tr": FIRST, "d-4-2.tr": SECOND, "runs.csv": ROWS}
    yml = "files: [{path: 'd-{place}-{number}.tr'}]\nruns: runs.csv\n"
    with pytest.raises(DataError, match="number is 1 by one source and 2 by another") as error:
        parse_dataset(make_dataset(tmp_path / "raw", logs, yml))
    assert "write {host} or {variable} in its place" in str(error.value)
    again = make_dataset(tmp_path / "again", logs, yml.replace("{number}", "{variable}"))
    assert parse_dataset(again)["flow"]["flow_id"].to_list() == [1, 2]
