"""config.yaml and dataset.yml: what is misspelt or of the wrong type is named with key and line."""

import json

import pytest
import yaml
from evenflow.errors import DataError
from evenflow.schema import read_yaml, validate
from raw_data import ROOT

SCHEMAS = ROOT / "workflow/schemas"
CONFIG = (ROOT / "workflow/defaults.yaml").read_text(encoding="utf-8")


def check(tmp_path, text, schema="config.schema.json", name="config.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    content, lines = read_yaml(path)
    validate(content, SCHEMAS / schema, path=path, lines=lines)


def problem_of(tmp_path, text, **kwargs) -> DataError:
    with pytest.raises(DataError) as error:
        check(tmp_path, text, **kwargs)
    return error.value


def line_of(text: str, word: str) -> int:
    return next(i for i, line in enumerate(text.split("\n"), 1) if word in line)


def test_the_configuration_that_is_committed_is_valid(tmp_path):
    check(tmp_path, CONFIG)


@pytest.mark.parametrize(
    ("right", "wrong", "nearest"),
    [
        ("warmup_s: 120", "warmup: 120", "warmup_s"),
        ("confidence: 0.95", "confidance: 0.95", "confidence"),
        ("steady_state:", "steadystate:", "steady_state"),
        ("comparisons:", "comparison:", "comparisons"),
    ],
)
def test_a_misspelt_key_of_the_configuration(tmp_path, right, wrong, nearest):
    text = CONFIG.replace(right, wrong, 1)
    error = problem_of(tmp_path, text)
    key = wrong.split(":")[0]
    assert f"'{key}'" in error.problem
    assert error.line == line_of(text, wrong)
    assert error.remedy == f"did you mean '{nearest}'?"
    assert str(error).startswith(f"{tmp_path / 'config.yaml'}:{error.line}: ")


@pytest.mark.parametrize(
    ("right", "wrong", "key", "said"),
    [
        ("warmup_s: 120", "warmup_s: 120 s", "steady_state.warmup_s", "not of type 'number'"),
        ("warmup_s: 120", "warmup_s: -1", "steady_state.warmup_s", "minimum of 0"),
        ("confidence: 0.95", "confidence: 95", "statistics.confidence", "maximum of 1"),
        ("weight_from: place", "weight_from: flow 2", "nru.weight_from", "not one of"),
        ("floor_segments: 1", "floor_segments: 0", "nru.floor_segments", "minimum of 0"),
        ("[80, 100,", "[80, x,", "steady_state.sensitivity_warmup_s.1", "not of type 'number'"),
    ],
)
def test_a_value_of_the_wrong_type_or_range(tmp_path, right, wrong, key, said):
    assert right in CONFIG
    text = CONFIG.replace(right, wrong, 1)
    error = problem_of(tmp_path, text)
    assert error.problem.startswith(f"{key}: ")
    assert said in error.problem
    assert error.line == line_of(text, wrong)
    assert "config.schema.json" in error.remedy


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("[80, 100,", "[80, 100, 80,", "steady_state.sensitivity_warmup_s: 80 is here twice"),
        ("[0.1, 1,", "[0.1, 1, 1.0,", "nru.sensitivity_floor_segments: 1.0 is here twice"),
        ("bin_s: [0.005,", "bin_s: [0.005, 0.005,", "burstiness.bin_s: 0.005 is here twice"),
    ],
)
def test_a_setting_that_is_listed_twice_would_count_every_run_twice(tmp_path, right, wrong, said):
    assert right in CONFIG
    text = CONFIG.replace(right, wrong, 1)
    error = problem_of(tmp_path, text)
    assert (error.problem, error.remedy) == (said, "keep one of the two")
    assert error.line == line_of(text, wrong)


def test_a_missing_key_is_named(tmp_path):
    error = problem_of(tmp_path, CONFIG.replace("  warmup_s: 120\n", "", 1))
    assert "steady_state" in error.problem
    assert "'warmup_s' is a required property" in error.problem


@pytest.mark.parametrize(
    ("text", "schema", "remedy"),
    [
        ("comparisons:\n  a b: {of: x, against: y}\n", "config", "lower-case letters and digits"),
        ("flows:\n  one: {cca: bic}\n", "dataset", "keys here are the numbers 1, 2, ..."),
    ],
)
def test_a_name_that_cannot_be_one_says_what_can(tmp_path, text, schema, remedy):
    whole = CONFIG.partition("comparisons:")[0] + text if schema == "config" else text
    error = problem_of(tmp_path, whole, schema=f"{schema}.schema.json")
    assert error.problem.startswith("unknown key") and error.line == line_of(
        whole, "a b:" if schema == "config" else "one:"
    )
    assert remedy in error.remedy


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("title: a\nplatfrom: ns2\n", "unknown key 'platfrom' in the top level", 2),
        ("defaults:\n  rtt: 20\n", "unknown key 'rtt' in defaults", 2),
        ("flows:\n  1: {cca: bic}\n  one: {cca: bic}\n", "unknown key 'one' in flows", 3),
        ("flows:\n  1: {rtt: 3}\n", "unknown key 'rtt' in flows.1", 2),
        ("files:\n  - path: a\n    fromat: iperf2\n", "unknown key 'fromat' in files.0", 3),
        ("platform: lab\n", "platform: 'lab' is not one of", 1),
        ("defaults: {rtt_ms: 25 ms}\n", "defaults.rtt_ms: '25 ms' is not of type 'number'", 1),
        ("defaults: {bottleneck_mbps: 0}\n", "defaults.bottleneck_mbps: 0 is less than", 1),
        ("on_error: ignore\n", "on_error: 'ignore' is not one of", 1),
        ("- a\n", "the top level: ['a'] is not of type 'object'", None),
    ],
)
def test_dataset_yml(tmp_path, text, problem, line):
    error = problem_of(tmp_path, text, schema="dataset.schema.json", name="dataset.yml")
    assert error.problem.startswith(problem)
    assert error.line == line
    assert len(error.remedy) > 10


@pytest.mark.parametrize(
    ("number", "read_as"),
    [
        ("040", "32"),
        ("0x28", "40"),
        ("0b11", "3"),
        ("1:30", "90"),
        ("1:30.5", "90.5"),
        ("1_5", "15"),
        ("0_5", "5"),
        ("1_5.5", "15.5"),
    ],
)
def test_a_number_that_yaml_reads_otherwise_than_it_looks_is_refused(tmp_path, number, read_as):
    text = f"title: a\ndefaults:\n  rtt_ms: {number}\n"
    error = problem_of(tmp_path, text, schema="dataset.schema.json", name="dataset.yml")
    assert error.problem == f"defaults.rtt_ms: YAML reads {number} as {read_as}"
    assert error.line == 3
    assert "digits alone" in error.remedy


@pytest.mark.parametrize("number", ["0", "40", "0.5", ".5", "-0.5", "1e-3", "1_000", "20_000_000"])
def test_a_number_that_yaml_reads_as_it_looks_is_read(tmp_path, number):
    path = tmp_path / "a.yml"
    path.write_text(f"a: {number}\nb: '040'\n", encoding="utf-8")
    content, _ = read_yaml(path)
    assert float(content["a"]) == float(number.replace("_", ""))
    assert content["b"] == "040"


def test_a_date_in_dataset_yml_is_no_crash(tmp_path):
    text = "source: 2008-11-01\n"  # YAML reads a date
    check(tmp_path, text, schema="dataset.schema.json", name="dataset.yml")


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("a: 1\nb: [1, 2\nc: 3\n", "not valid YAML", 3),
        ("a: 1\nb:\n\t- 2\n", "not valid YAML", 3),
        ("a: {b: 1,\n    b: 2}\n", "the key 'b' is here twice", 2),
    ],
)
def test_what_is_no_yaml_is_named_with_its_line(tmp_path, text, said, line):
    error = problem_of(tmp_path, text)
    assert said in error.problem
    assert error.line == line
    assert error.remedy


def test_a_file_in_another_encoding_is_named(tmp_path):
    path = tmp_path / "dataset.yml"
    path.write_bytes("title: Zürich\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"dataset\.yml: not text in UTF-8.*save the file as UTF-8"):
        read_yaml(path)


@pytest.mark.parametrize("name", ["config.schema.json", "dataset.schema.json"])
def test_every_key_is_described_and_no_other_key_is_allowed(name):
    def walk(schema, where):
        if "properties" in schema or "patternProperties" in schema:
            assert schema.get("additionalProperties") is False, where
        for key, value in {**schema.get("properties", {}), **schema.get("$defs", {})}.items():
            assert value.get("description"), f"{where}.{key} has no description"
            walk(value, f"{where}.{key}")
        if isinstance(schema.get("items"), dict):
            walk(schema["items"], f"{where}[]")

    walk(json.loads((SCHEMAS / name).read_text(encoding="utf-8")), name)


def test_settings_named_in_the_schema_are_those_of_the_code():
    from evenflow.ingest.described.known_settings import FLOW_KEYS, NUMBERS, WORDS

    defs = json.loads((SCHEMAS / "dataset.schema.json").read_text(encoding="utf-8"))["$defs"]
    assert set(defs["flow_settings"]["properties"]) == set(FLOW_KEYS)
    free = {"router_model", "host_profile"}  # factors of our own testbed, described all the same
    assert set(defs["settings"]["properties"]) - free == {*NUMBERS, *WORDS} - {"flow"}


def test_config_and_end_to_end_config_use_the_same_keys():
    def keys(tree, prefix=()):
        for key, value in tree.items():
            yield (*prefix, key)
            if isinstance(value, dict):
                yield from keys(value, (*prefix, key))

    overlay = yaml.safe_load((ROOT / "tests/workflow/config.yaml").read_text(encoding="utf-8"))
    # absent in config.yaml, which takes every folder and compares none
    chosen = {key for key in keys(overlay) if key[0] in ("datasets", "comparisons")}
    assert set(keys(overlay)) - chosen <= set(keys(yaml.safe_load(CONFIG)))
