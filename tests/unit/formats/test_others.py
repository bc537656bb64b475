"""Which modules of log formats a job does without, and what shows that it still may."""

from pathlib import Path

import pytest
from evenflow import formats
from evenflow.formats import FORMATS, others
from evenflow.imports import imported_modules
from evenflow.runs.receipts import read_states

ROOT = Path(__file__).parents[3]
HERE = ROOT / "workflow/evenflow/formats"
SCRIPT = ROOT / "workflow/scripts/read_logs.py"
JSON = b'{\n\t"start":\t{\n\t\t"connected":\t[{'


@pytest.fixture(autouse=True)
def study(tmp_path, monkeypatch):
    """A study in a folder of its own, and a process that has asked for no format yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(FORMATS, "asked_for", set())
    monkeypatch.setattr(others, "saw_raw", lambda name, state: None)
    return tmp_path


def left_out() -> set[str]:
    inputs = [SCRIPT, *imported_modules(SCRIPT, HERE.parent)]
    return {Path(path).name for path in others.done_without(read_states(map(str, inputs)))}


def test_a_job_does_without_formats_that_it_only_looked_at():
    assert formats.detect_format(JSON, "x.json") == "iperf3-json"
    found = left_out()
    assert {"nuttcp.py", "iperf2.py", "iperf3.py", "ns2_trace.c"} <= found
    assert not {"__init__.py", "recognise.py", "tables.py", "logs.py"} & found


@pytest.mark.parametrize(
    ("asked_for", "needed"),
    [
        ("iperf2", {"iperf2.py", "iperf2_scan.py", "iperf2_lines.py", "reports.py"}),
        ("iperf3-json", {"iperf3_json.py", "iperf3_json_lines.py", "iperf3_objects.c"}),
        ("ns2-trace", {"ns2_trace.py", "ns2_trace_scan.py", "ns2_trace.c"}),
    ],
)
def test_of_a_format_its_scanner_and_what_both_import_are_needed(asked_for, needed):
    assert needed <= left_out()
    assert asked_for == FORMATS[asked_for].NAME
    assert not needed & left_out() and "nuttcp.py" in left_out()


def test_who_asks_for_a_scanner_needs_its_format():
    FORMATS.scanner("iperf2")
    assert not {"iperf2.py", "iperf2_scan.py"} & left_out()


def test_what_recognises_formats_is_kept_until_a_module_is_another(monkeypatch):
    assert not others.KNOWN.exists()
    left_out()
    kept = others.KNOWN.read_text()
    assert others.recognition() in kept
    monkeypatch.setattr(others, "_of_modules", lambda: "other texts")
    assert others.recognition() in kept  # found out anew, and the same
    assert left_out() == set()  # edited while the job was at work


@pytest.mark.parametrize("key", others.GOES_BY)
def test_what_recognises_formats_is_another_with_any_part_of_it(monkeypatch, key):
    before = others.recognition()
    monkeypatch.setattr(FORMATS.look_at("nuttcp"), key, "(another)", raising=False)
    assert others.recognition() != before


def test_code_that_confirms_a_format_is_part_of_it(monkeypatch):
    before = others.recognition()
    monkeypatch.setattr(FORMATS.look_at("nuttcp"), "confirm", lambda text: True, raising=False)
    assert others.recognition() != before


def test_nothing_is_left_out_where_a_format_cannot_be_loaded(monkeypatch):
    def broken(name):
        raise SyntaxError(name)

    monkeypatch.setattr(FORMATS, "look_at", broken)
    assert others.recognition() == "" and left_out() == set()


def test_of_a_job_that_reads_no_format_nothing_is_left_out(study):
    (study / "table.py").touch()
    assert others.done_without(read_states(["table.py"])) == set()
    assert not others.KNOWN.exists()
