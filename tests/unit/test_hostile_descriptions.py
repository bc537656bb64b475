"""A dataset.yml, runs.csv or JSON log that cannot be right is a named error, and costs little."""

import json
import time

import pytest
from evenflow.errors import DataError
from evenflow.ingest.parse import parse_dataset
from raw_data import LOGS, ROOT, make_dataset, parse

LOG = (LOGS / "iperf2/plain.server.log").read_bytes()
ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(9 * [f'*{old}'])}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)  # 9^9 values

YAML = {  # dataset.yml, and what is said of it
    "aliases": (ALIASES, "more than 100,000"),
    "an alias of itself": ("title: &a [*a]\n", r"dataset\.yml:1: an alias refers to a part"),
    "a mapping of itself": ("&a {title: x, defaults: *a}\n", "an alias refers to"),
    "a merge of itself": ("&a\n<<: *a\ntitle: x\n", "an alias refers to"),
    "depth": ("title: " + "[" * 5000 + "]" * 5000, "nested too deep"),
    "size": ("title: '" + "x" * 2**20 + "'\n", "more than 1,048,576 bytes"),
    "nan": (
        "title: x\ndefaults: {rtt_ms: .nan}\n",
        r"yml:2: defaults\.rtt_ms: nan is not a finite number",
    ),
    "inf": (
        "steady_state: {warmup_s: .inf}\n",
        r"steady_state\.warmup_s: inf is not a finite number",
    ),
    "65 bits": ("defaults: {seed: 9223372036854775808}\n", r"defaults\.seed: .* more than 64 bits"),
    "hexadecimal": (f"defaults: {{seed: 0x{'f' * 6000}}}\n", "more than 64 bits"),
    "digits": (f"defaults: {{seed: {'9' * 6000}}}\n", "cannot be what it looks like"),
    "repeat": ("defaults: {repeat: 2147483648}\n", "greater than the maximum"),
    "flow": ("flows: {4294967297: {cca: bic}}\n", "unknown key '4294967297'"),
    "date": ("title: 2026-99-99\n", "cannot be what it looks like"),
    "truth": ("title: !!bool maybe\n", "cannot be what it looks like"),
    "timestamp": ("title: !!timestamp never\n", "cannot be what it looks like"),
    "program": ("title: !!python/object/apply:os.system [ls]\n", "not valid YAML"),
    "escape": ('title: "\\e[2Jx"\n', "title: the text has a control character"),
    "half a character": ('title: "\\ud800"\n', "title: the text has a control character"),
    "raw escape": ("title: x\nsource: \x1b[2Jx\n", r"yml:2: a control character"),
}


@pytest.mark.parametrize("name", YAML)
def test_a_dataset_yml_that_cannot_be_right_is_named(name, tmp_path):
    text, said = YAML[name]
    folder = make_dataset(tmp_path / "raw", {"a.log": LOG}, text)
    begun = time.monotonic()
    with pytest.raises(DataError, match=said):
        parse_dataset(folder)
    assert time.monotonic() - begun < 10


def test_aliases_that_say_little_are_yaml_as_ever(tmp_path):
    text = "flows:\n  1: &each {cca: bic}\n  2: *each\n"
    folder = make_dataset(tmp_path / "raw", {"r1/flow1.log": LOG, "r1/flow2.log": LOG}, text)
    assert parse_dataset(folder)["flow"]["cca"].to_list() == ["bic", "bic"]


TABLES = {
    "flow": ("path,run,flow\na.log,r,99999999999\n", "too large a number"),
    "repeat": ("path,repeat\na.log,1e30\n", "too large a number"),
    "nan": ("path,rtt_ms\na.log,nan\n", "not a number from 0 up"),
    "NUL": ("path,cca\na.log,b\0c\n", r"runs\.csv:2: a control character"),
    "escape": ("path,cca\na.log,\x1b[31mb\n", r"runs\.csv:2: a control character"),
    "field": ("path,cca\na.log," + "x" * 200_000 + "\n", "not a table of CSV"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_runs_csv_that_cannot_be_right_is_named(name, tmp_path):
    text, said = TABLES[name]
    folder = make_dataset(tmp_path / "raw", {"a.log": LOG}, "runs: runs.csv\n")
    (folder / "runs.csv").write_text(text)
    with pytest.raises(DataError, match=said):
        parse_dataset(folder)


def test_a_runs_csv_in_another_encoding_is_named(tmp_path):
    folder = make_dataset(tmp_path / "raw", {"a.log": LOG}, "runs: runs.csv\n")
    (folder / "runs.csv").write_bytes("path,cca\na.log,cafè\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"runs\.csv: not text in UTF-8"):
        parse_dataset(folder)


@pytest.mark.parametrize("digits", [12, 25, 200])
@pytest.mark.parametrize("name", ["run{}.log", "flow{}.log", "rtt{}ms_run1.log", "seed{}.log"])
def test_numbers_in_names_may_have_any_length(name, digits, tmp_path):
    logs = {"a.log": LOG, name.format("9" * digits): LOG + b"\n"}
    folder = tmp_path / "raw"
    folder.mkdir()
    for path, log in logs.items():
        (folder / path).write_bytes(log)
    assert len(parse_dataset(folder)["file"]) == 2


# ---- JSON ---------------------------------------------------------------------------------------

DOCUMENT = json.loads(
    (ROOT / "tests/fixtures/formats/iperf3-json/3.12/bidir-crlf.client.json").read_bytes()
)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, value) for key in ("start", "end", "bytes") for value in (True, "12", None)),
        ("bytes", False),
        ("bytes", 1.5),
        ("bytes", -1),
        ("bytes", 2**63),
        ("bytes", 10**30),
        ("end", 10**30),
        ("end", 1e300),
    ],
)
def test_an_interval_without_times_and_bytes_is_rejected(key, value):
    document = json.loads(json.dumps(DOCUMENT))
    document["intervals"][1]["streams"][0][key] = value
    sound = parse("iperf3-json", json.dumps(DOCUMENT, indent=1).encode())
    tables = parse("iperf3-json", json.dumps(document, indent=1).encode())
    assert len(tables["interval"]) == len(sound["interval"]) - 1
    assert tables["rejected"]["reason"].unique().to_list() == [
        "the interval has no start, end or bytes"
    ]


@pytest.mark.parametrize("key", ["retransmits", "rtt", "snd_cwnd", "bits_per_second"])
def test_true_is_no_number(key):
    document = json.loads(json.dumps(DOCUMENT))
    without = json.loads(json.dumps(DOCUMENT))
    document["intervals"][1]["streams"][0][key] = True
    without["intervals"][1]["streams"][0].pop(key, None)
    tables, expected = (
        parse("iperf3-json", json.dumps(log, indent=1).encode())["interval"].drop("line")
        for log in (document, without)
    )
    assert tables.equals(expected)
