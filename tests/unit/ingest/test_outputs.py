"""Two outputs of one simulation of ns-3: FlowMonitor's totals beside a trace count once."""

import gzip

import pytest
from evenflow.checks.files import copied_logs
from evenflow.ingest.parse import parse_dataset
from monitored import totals
from raw_data import ROOT, build_tables, content, make_dataset

FORMATS = ROOT / "tests/fixtures/formats"
ALL = content(FORMATS / "ns3-ascii/all.tr.gz")
VARIANTS = {
    path.name: path.read_bytes()
    for path in sorted((FORMATS / "ns3-tcp-variants/two-flows").iterdir())
    if path.suffix in (".data", ".flowmonitor")
}
MONITOR = "TcpVariantsComparison.flowmonitor"


TOTALS = totals(ALL)
OTHER_PORTS = TOTALS.replace(b'destinationPort="5001"', b'destinationPort="5009"')
OTHER = ALL.replace(b"> 5001 ", b"> 5003 ").replace(b"5001 > ", b"5003 > ")


@pytest.mark.parametrize(
    ("logs", "gone"),
    [
        ({"all.tr": ALL, "flow.xml": TOTALS}, {"flow.xml": "all.tr"}),
        (  # each by its name
            {"run1.tr": ALL, "run1.xml": TOTALS, "run2.tr": OTHER, "run2.xml": totals(OTHER)},
            {"run1.xml": "run1.tr", "run2.xml": "run2.tr"},
        ),
        ({"a/all.tr": ALL, "b/flow.xml": TOTALS}, {}),  # of two folders
        (  # a folder for each kind of output
            {"traces/1/run.tr": ALL, "totals/1/run.xml": TOTALS, "traces/2/run.tr": OTHER},
            {"totals/1/run.xml": "traces/1/run.tr"},
        ),
        ({"traces/a.tr": ALL, "totals/b.xml": TOTALS}, {}),
        ({"all.tr": ALL, "flow.xml": OTHER_PORTS}, {}),
        ({"all.tr": ALL, "flow.xml": totals(ALL, more=1.2)}, {}),
        # which of two
        ({"x.tr": ALL, "y.tr": ALL + b"\n# end\n", "flow.xml": TOTALS}, None),
        (VARIANTS, {MONITOR: "TcpVariantsComparison-flow0-next-rx.data"}),
    ],
)
def test_totals_beside_a_trace_of_the_same_flows_are_not_read(logs, gone, tmp_path):
    tables = parse_dataset(make_dataset(tmp_path / "raw", logs, ""))
    file = tables["file"]
    aside = dict(file.filter(format="copy").select("path", "problem").rows())
    if gone is None:
        assert "flow.xml" not in aside
        return
    assert aside.keys() == gone.keys()
    for path, trace in gone.items():
        assert f"totals of the simulation that {trace} is of" in aside[path]
    assert len(tables["run"]) == len(logs) - len(gone) if logs is not VARIANTS else 1


def test_the_page_names_the_output_that_is_not_read_and_offers_to_ignore_it(tmp_path):
    folder = make_dataset(tmp_path / "raw", {"all.tr": ALL, "flow.xml": TOTALS}, "")
    ledger = build_tables(folder, tmp_path / "derived")["ledger"]
    (found,) = copied_logs(ledger).iter_rows(named=True)
    assert found["message"].startswith("not read: totals of the simulation that all.tr is of")
    assert found["remedy"].endswith("give each a folder of its own and another name")
    (lines,) = parse_dataset(folder)["assumption"].filter(what="files")["yaml"]
    assert '{path: "flow.xml", format: ignore}' in lines
    (folder / "dataset.yml").write_text(lines)
    assert parse_dataset(folder)["run"].height == 1


def test_totals_alone_are_read(tmp_path):
    logs = {"flow.xml.gz": gzip.compress(TOTALS, mtime=0)}
    tables = parse_dataset(make_dataset(tmp_path / "raw", logs, ""))
    assert tables["flow"].height == 2
