"""Large data sets are read in parts: the tables are the same in however many."""

import json
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import in_chunks
import polars as pl
import pytest
from evenflow.errors import DataError
from evenflow.files import Limits
from evenflow.ingest.chunks import chunk_folders, common_levels, count_chunks, levels_of_chunks
from evenflow.ingest.parse import parse_chunk, parse_dataset, settle_chunks
from evenflow.ingest.shares import read_shares, write_share
from iperf_logs import left_running
from raw_data import TINY

N = (2, 7)


@pytest.mark.parametrize(
    "dataset", ["tiny-ns2", pytest.param("tiny-testbed", marks=pytest.mark.thorough)]
)
def test_tables_are_the_same_in_any_number_of_parts(tmp_path, dataset):
    whole = in_chunks.make_tables(TINY / dataset, tmp_path / "1", 1)
    assert len(whole) >= 16
    for n in N:
        parted = in_chunks.make_tables(TINY / dataset, tmp_path / str(n), n)
        assert [name for name in whole if parted.get(name) != whole[name]] == []
        assert parted.keys() == whole.keys()


@pytest.mark.thorough
def test_what_is_left_out_is_the_same_in_parts(tmp_path):
    folder = shutil.copytree(TINY / "tiny-testbed", tmp_path / "tiny")
    description = folder / "dataset.yml"
    description.write_text(description.read_text() + "on_error: quarantine\n")
    logs = sorted(folder.rglob("flow1.server.log.gz"))
    logs[0].write_bytes(logs[0].read_bytes()[:60])  # its run is left out
    logs[5].unlink()  # and one without the flow's log
    (folder / "notes.txt").write_text("no pattern matches it\n")
    whole = in_chunks.make_tables(folder, tmp_path / "1", 1)
    parted = in_chunks.make_tables(folder, tmp_path / "3", 3)
    assert [name for name in whole if parted.get(name) != whole[name]] == []
    reasons = pl.read_parquet(whole["ledger.parquet"])["reason"].drop_nulls().to_list()
    assert any("its run is left out" in reason for reason in reasons)


def with_table(tmp_path, rows):
    """Return a copy of tiny-testbed that has a table of runs."""
    folder = shutil.copytree(TINY / "tiny-testbed", tmp_path / "tiny")
    description = folder / "dataset.yml"
    description.write_text(description.read_text() + "runs: about/runs.csv\n")
    (folder / "about").mkdir()
    (folder / "about/runs.csv").write_text("\n".join(rows) + "\n")
    return folder


@pytest.mark.thorough
def test_a_table_of_runs_says_the_same_of_parts(tmp_path):
    runs = [p.parent for p in sorted((TINY / "tiny-testbed").rglob("run.json"))]
    runs = [run.relative_to(TINY / "tiny-testbed").as_posix() for run in runs]
    rows = [f"{run},{'day' if i % 3 else 'night'}" for i, run in enumerate(runs)]
    folder = with_table(tmp_path, ["run,time", *rows])
    whole = in_chunks.make_tables(folder, tmp_path / "1", 1)
    parted = in_chunks.make_tables(folder, tmp_path / "3", 3)
    assert [name for name in whole if parted.get(name) != whole[name]] == []
    factors = pl.read_parquet(parted["run.parquet"])["factors"].to_list()
    assert sum("night" in text for text in factors) == len(range(0, len(runs), 3))


def test_a_table_of_runs_that_changes_has_all_parts_read_again(tmp_path):
    folder = with_table(tmp_path, ["run,time", "x,day"])
    before = [path.read_text() for path in in_chunks.write_states(folder, tmp_path / "s", 3)]
    (folder / "about/runs.csv").write_text("run,time\nx,night\n")
    after = [path.read_text() for path in in_chunks.write_states(folder, tmp_path / "s", 3)]
    assert not set(before) & set(after)
    share = shares_of(folder, tmp_path, [json.loads(state)["folders"] for state in after])
    with pytest.raises(DataError, match="no files of the run 'x'"):
        settle_chunks(folder, share)


def test_a_table_of_files_has_a_data_set_read_as_one(tmp_path):
    folder = with_table(tmp_path, ["path,run", "x/flow1.log,x"])
    assert levels_of_chunks(folder) == []
    (folder / "about/runs.csv").write_bytes(b"run,\xff\n")
    assert levels_of_chunks(folder) == []


def test_a_run_more_is_of_one_part(tmp_path):
    folder, places = shutil.copytree(TINY / "tiny-ns2", tmp_path / "tiny"), tmp_path / "states"
    before = [path.read_text() for path in in_chunks.write_states(folder, places, 7)]
    run = min(path.parent for path in folder.rglob("run.json"))
    shutil.copytree(run, run.with_name("r17"))
    after = [path.read_text() for path in in_chunks.write_states(folder, places, 7)]
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
    description = folder / "dataset.yml"
    description.write_text(description.read_text() + "\n")
    last = [path.read_text() for path in in_chunks.write_states(folder, places, 7)]
    assert not set(last) & set(after)  # it says what all files are


def test_how_many_parts():
    assert count_chunks(9_999, 10_000, 2_400) == 1
    assert count_chunks(10_000, 10_000, 2_400) == 5
    assert count_chunks(40_000, 10_000, 2_400, before=5) == 5  # as long as parts are not too large
    assert count_chunks(50_000, 10_000, 2_400, before=5) == 21
    assert count_chunks(9_000, 10_000, 2_400, before=5) == 1


@pytest.mark.parametrize(
    ("templates", "levels"),
    [
        (["{role}/{cca}/r{repeat}/flow{flow}.log"], [0, 2]),  # {cca} may be that of the flow
        (["{role}/{ccas}/r{repeat}/flow{flow}.log", "{role}/{ccas}/r{repeat}/q.log"], [0, 1, 2]),
        (["{host}/{cca1}-{cca2}/r{repeat}.log"], [1]),
        (["{a}/flow{flow}/r{repeat}.log", "{a}/{b}/r{repeat}.log"], [0]),
        (["{a}/logs/flow{flow}.log"], [0]),  # the run is named by what is above its last {}
        (["r{repeat}_flow{flow}.log"], []),
        ([], []),
    ],
)
def test_levels_of_folders_that_the_files_of_a_run_share(templates, levels):
    assert common_levels(templates) == levels


def test_every_folder_is_of_one_part_whatever_the_others_are():
    folders = [f"{role}/r{i}" for role in ("x", "y") for i in range(50)]
    parts = chunk_folders(folders, [0, 1], 4)
    assert sorted(name for names in parts.values() for name in names) == sorted(folders)
    assert min(map(len, parts.values())) > 10
    few = chunk_folders(folders[::7], [0, 1], 4)
    assert all(set(few[k]) <= set(parts[k]) for k in range(4))
    assert len([k for k, names in chunk_folders(folders, [0], 4).items() if names]) <= 2


def test_a_data_set_that_nothing_tells_the_runs_of_is_one_part(tmp_path):
    assert levels_of_chunks(tmp_path) == []
    for text in ("title: x\n", "files: [{path: '{a}/x.log'}]\nruns: runs.csv\n", "files: 3", "]"):
        (tmp_path / "dataset.yml").write_text(text)
        assert levels_of_chunks(tmp_path) == []
    (tmp_path / "dataset.yml").write_text("files: [{path: '**', format: ignore}]\n")
    assert levels_of_chunks(tmp_path) == []
    (tmp_path / "dataset.yml").write_text("files: [{path: '{a}/x.log'}]\n")
    assert levels_of_chunks(tmp_path) == [0]
    # what is ignored is of no run
    ignored = "files: [{path: 'x/**', format: ignore}, {path: '{a}/x.log', format: iperf2}]\n"
    (tmp_path / "dataset.yml").write_text(ignored)
    assert levels_of_chunks(tmp_path) == [0]


def test_a_table_of_runs_that_is_outside_or_not_there_has_a_data_set_read_as_one(tmp_path):
    text = "files: [{path: '{a}/x.log'}]\nruns: "
    (tmp_path / "dataset.yml").write_text(f"{text}runs.csv\n")
    for table, levels in (("run,seed\n", [0]), ("path,run\n", []), ("", [0])):
        (tmp_path / "runs.csv").write_text(table)
        assert levels_of_chunks(tmp_path) == levels
    (tmp_path / "dataset.yml").write_text(f"{text}../runs.csv\n")
    assert levels_of_chunks(tmp_path) == []


LOG = "Client connecting to 10.0.0.2, TCP port 5001\n" + "\n".join(
    f"[  3] {i}.0-{i + 1}.0 sec  1.00 MBytes  8.39 Mbits/sec" for i in range(40)
)


def shares_of(folder, tmp_path, parts, limits=None):
    """Return what was kept of a data set that is read in parts of these folders."""
    paths = []
    for k, inside in enumerate(parts):
        paths.append(tmp_path / f"{k}.pickle")
        write_share(parse_chunk(folder, inside=inside)[1], paths[-1])
    return read_shares(folder, paths, limits or Limits())


def test_a_part_keeps_a_file_of_every_run_pattern_and_format(tmp_path):
    share = parse_chunk(TINY / "tiny-testbed")[1]
    every = list(share.entries)
    write_share(share, tmp_path / "share")
    kept = read_shares(TINY / "tiny-testbed", [tmp_path / "share"]).entries
    for said in ("run_id", "template", "format"):
        assert {getattr(e, said) for e in kept} == {getattr(e, said) for e in every}
    assert len(kept) < len(every) / 3


def test_folders_that_have_to_be_read_otherwise_than_others_are_refused(tmp_path):
    folder = tmp_path / "mixed"
    for name in ("a/f1_cubic.log", "a/f2_bbr.log", "b/f1_cubic.log", "b/f1_bbr.log"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(LOG)
    path = '"{x}/f{flow}_{cca}.log"'
    (folder / "dataset.yml").write_text(f"files: [{{path: {path}}}]\n")
    with pytest.raises(DataError) as refused:
        shares_of(folder, tmp_path, [["a"], ["b"]])
    assert path.strip('"') in str(refused.value) and "from_files" in refused.value.remedy
    whole = parse_dataset(folder)["run"]
    (folder / "b/f1_bbr.log").rename(folder / "b/f2_bbr.log")
    share = shares_of(folder, tmp_path, [["a"], ["b"]])
    assert len(settle_chunks(folder, share)["run"]) == 2 != len(whole)


def test_several_tests_of_a_log_are_runs_of_its_part(tmp_path):
    """Settled from parts they are what they are settled from the whole."""
    folder = tmp_path / "running"
    for i, name in enumerate(("a", "b"), start=1):
        (folder / name).mkdir(parents=True)
        (folder / name / "server.log").write_bytes(left_running(i, [[11], [12]]))
    (folder / "dataset.yml").write_text('files: [{path: "{place}/server.log"}]\n')
    share = shares_of(folder, tmp_path, [["a"], ["b"]])
    logs = {run: [entry.path for entry in logs] for run, logs in share.files.items()}
    assert len(logs) == 4
    assert logs == {run: [f"{run.partition('#')[0]}/server.log"] for run in logs}
    settled, whole = settle_chunks(folder, share), parse_dataset(folder)
    assert settled["run"].sort("run_id").equals(whole["run"].sort("run_id"))
    assert settled["assumption"].equals(whole["assumption"])


def test_a_run_that_is_parted_is_refused(tmp_path):
    folder = tmp_path / "split"
    for flow in (1, 2):
        (folder / f"{flow}").mkdir(parents=True)
        (folder / f"{flow}/r1.log").write_text(LOG)
    (folder / "dataset.yml").write_text('files: [{path: "{flow}/r{repeat}.log"}]\n')
    with pytest.raises(DataError, match="read separately"):
        shares_of(folder, tmp_path, [["1"], ["2"]])


def test_what_all_parts_together_must_have_is_refused_at_the_end(tmp_path):
    folder = shutil.copytree(TINY / "tiny-ns2", tmp_path / "tiny")
    description = folder / "dataset.yml"
    parts = [json.loads(p.read_text())["folders"]
             for p in in_chunks.write_states(folder, tmp_path / "states", 3)]  # fmt: skip
    with pytest.raises(DataError, match="dataset_bytes"):
        shares_of(folder, tmp_path, parts, Limits(dataset_bytes=10_000))
    description.write_text(description.read_text() + "pool_over: [moon]\n")
    share = shares_of(folder, tmp_path, parts)  # no part knows that no other has it
    with pytest.raises(DataError, match="'moon' is not a factor"):
        settle_chunks(folder, share)


def test_a_described_data_set_without_a_run_says_how_many_files_it_has(tmp_path):
    folder = tmp_path / "none"
    for name in ("a/notes.txt", "b/notes.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("nothing")
    files = '[{path: "{x}/*.txt", format: ignore}, {path: "{x}/{y}.log"}]'
    (folder / "dataset.yml").write_text(f"files: {files}\n".replace("{x}/*.txt", "**/*.txt"))
    share = shares_of(folder, tmp_path, [["."], ["a"], ["b"]])
    with pytest.raises(DataError, match="none of its 3 files"):
        settle_chunks(folder, share)


class Trap:
    """Makes a file when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("damage", ["a trap", "a trap in a share", "cut", "empty", "noise"])
def test_a_share_of_somebody_else_is_refused_and_runs_nothing(tmp_path, damage):
    share = parse_chunk(TINY / "tiny-testbed")[1]
    path, mark = tmp_path / "share.pickle", tmp_path / "sprung"
    write_share(share, path)
    whole = path.read_bytes()
    assert len(read_shares(TINY / "tiny-testbed", [path]).runs) == len(share.runs)
    trapped = replace(share, names=[Trap(mark)], entries=[], files={})
    made = {"a trap": pickle.dumps(Trap(mark)), "a trap in a share": pickle.dumps(trapped),
            "cut": whole[:-40], "empty": b"", "noise": b"noise"}  # fmt: skip
    path.write_bytes(made[damage])
    with pytest.raises(DataError, match=r"share.pickle: not what evenflow wrote .*Remedy: delete"):
        read_shares(TINY / "tiny-testbed", [path])
    assert not mark.exists()
