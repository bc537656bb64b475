"""Dates of logs and their zones: what they say of which logs ran together."""

import json

import pytest
from evenflow.formats.zones import in_utc, offset_s
from evenflow.ingest.parse import parse_dataset

PORTS = iter(range(40000, 40200))


def dated(date: str, seconds: int = 10) -> bytes:
    """A server's log of a connection that began at a date; each server is a host of its own."""
    port = next(PORTS)
    ends = f"local 10.0.0.{port - 39990} port 5001 connected with 10.0.0.2 port {port}"
    head = f"[  1] {ends} on {date}\n"
    rows = [
        f"[  1] {t}.0000-{t + 1}.0000 sec  1.25 MBytes  10.5 Mbits/sec\n" for t in range(seconds)
    ]
    return ("Server listening on TCP port 5001\n" + head + "".join(rows)).encode()


def parsed(folder, *dates: str):
    """Parse a folder of logs whose names say nothing."""
    for name, date in zip(("rain", "wind", "snow"), dates, strict=False):
        path = folder / f"{name}.log"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(dated(date))
    return parse_dataset(folder)


@pytest.mark.parametrize(
    ("zone", "hours"),
    [("UTC", 0), ("CEST", 2), ("EST", -5), ("-03", -3), ("+0530", 5.5), ("+05:45", 5.75),
     ("IST", None), ("CST", None), ("BST", None), ("XYZ", None), ("+99", None), ("", None),
     (None, None)],
)  # fmt: skip
def test_offsets_of_zones(zone, hours):
    assert offset_s(zone) == (None if hours is None else hours * 3600)
    assert in_utc(7200.0, zone) == (
        (7200.0, zone or "") if hours is None else (7200.0 - hours * 3600, None)
    )


@pytest.mark.parametrize(
    ("dates", "runs"),
    [
        (["2026-11-20 12:00:01 (UTC)", "2026-11-20 12:00:02 (UTC)"], 1),
        (["2026-07-20 12:00:01 (CEST)", "2026-07-20 12:00:02 (UTC)"], 2),
        (["2026-07-20 12:00:01 (CEST)", "2026-07-20 10:00:02 (UTC)"], 1),
        (["2026-07-20 12:00:01 (+0530)", "2026-07-20 06:30:02 (GMT)"], 1),
        (["2026-07-20 12:00:01 (IST)", "2026-07-20 12:00:02 (IST)"], 1),
        (["2026-07-20 12:00:01 (IST)", "2026-07-20 12:00:02 (UTC)"], 2),
        (["2026-07-20 12:00:01 (IST)", "2026-07-20 12:00:02 (CST)"], 2),
        (["2026-07-20 12:00:01", "2026-07-20 12:00:02"], 1),
        (["2026-07-20 12:00:01", "2026-07-20 12:00:02 (UTC)"], 2),
    ],
)
def test_logs_run_together_by_their_dates_and_zones(dates, runs, tmp_path):
    tables = parsed(tmp_path / "raw", *dates)
    assert len(tables["run"]) == runs
    starts = sorted(tables["flow"]["start_s"])
    assert starts[-1] <= 1.0
    said = tables["assumption"].filter(what="dates")
    doubtful = any(offset_s(date[20:].strip("()") or None) is None for date in dates)
    assert len(said) == doubtful
    if doubtful:
        assert ("not compared" in said["value"][0]) == (runs == 2)


def test_flows_start_by_the_dates_of_their_zones(tmp_path):
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "run1_flow1.log").write_bytes(dated("2026-07-20 12:00:00.500 (CEST)", 40))
    (folder / "run1_flow2.log").write_bytes(dated("2026-07-20 10:00:15.700 (UTC)", 30))
    assert parse_dataset(folder)["flow"]["start_s"].to_list() == pytest.approx([0, 15.2])
    (folder / "run1_flow2.log").write_bytes(dated("2026-07-20 12:00:15.700 (IST)", 30))
    tables = parse_dataset(folder)
    assert tables["flow"]["start_from"].to_list() == ["assumed", "assumed"]
    assert len(tables["run"]) == 1  # by their names
    assert "not compared" in json.dumps(tables["assumption"].filter(what="dates").rows())
