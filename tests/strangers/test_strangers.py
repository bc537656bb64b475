"""Folders drawn by seed, each with its truth: no wrong number in silence, nothing lost.

README.md says what is drawn and what each fault is. A folder that fails is made again by the
command that the test prints.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import pytest
from evenflow.ingest.parse import parse_dataset

pytestmark = pytest.mark.usefixtures("one_database")

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
# of the fixed draws; .ci/run draws four, whole
SEEDS = range(1, 1 + int(os.environ.get("EVENFLOW_SEEDS", "1")))
COUNT = 100 if len(SEEDS) > 1 else 25  # folders of a seed
OF_A_DAY = 20
DISGUISED = 777  # seed of the folders that are disguised
NONE_OF = (
    "wrong join",
    "wrong pool",
    "wrong window",
    "wrong setting",
    "copy counted",
    "flow counted twice",
    "flows merged",
    "index over opposite",
    "index without common time",
    "lost unsaid",
    "lost though whole",
    "bad file unsaid",
    "not knowable, unsaid",
    "start not knowable, unsaid",
)
PARTED = 0.05  # of the runs that can be known, and have several logs, so many may be parted


def load(name: str):
    """Return a module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(f"strangers_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look their annotations up there
    spec.loader.exec_module(module)
    return module


def faults_of(
    place: Path, seed: int, count: int, more: str | None = None
) -> tuple[list[str], float]:
    """Return the faults of folders, a line each, and the share of runs that are parted.

    Args:
        place: where they are made.
        seed, count: of the folders.
        more: the module whose kinds they are drawn from; None for the generator's own.
    """
    generator, score = load("generator"), load("score")
    kinds = load(more).kinds(generator) if more else generator.KINDS
    for index in range(1, count + 1):
        generator.write_folder(seed, index, kinds, place)
    score.derive(ROOT, place, place / "derived")
    lines, n_split, n_several = [], 0, 0
    for name in score.folder_names(place):
        truth = json.loads((place / f"truth/{name}.json").read_text())
        n_several += sum(run["join_knowable"] for run in truth["runs"] if _n_logs(run, truth) > 1)
        index = int(name.rpartition("-")[2])
        again = f"generator.py --seed {seed} --first {index} --count 1 OUT"
        again += f" --kinds {more}.py --only-extra" * bool(more)
        for kind, text in score.judge(truth, place / "derived" / name):
            n_split += kind == "split"
            if kind in NONE_OF:
                lines.append(f"{name} ({truth['kind']}): {kind}: {text} [{again}]")
    return lines, n_split / max(n_several, 1)


def _n_logs(run: dict, truth: dict) -> int:
    """Return how many good logs a run has."""
    good = (file["tests"] for file in truth["files"] if file["status"] == "good")
    return sum(any(test["run"] == run["run"] for test in tests) for tests in good)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_wrong_in_silence(seed, tmp_path):
    faults, parted = faults_of(tmp_path, seed, COUNT)
    assert not faults, "\n".join(faults)
    assert parted <= PARTED


@pytest.mark.thorough
@pytest.mark.parametrize("more", ["more_kinds", "other_tools"])
def test_nothing_is_wrong_in_folders_of_two_tools_of_udp_and_of_nuttcp(more, tmp_path):
    faults, parted = faults_of(tmp_path, SEEDS[0], 15, more)
    assert not faults, "\n".join(faults)
    assert parted <= PARTED


@pytest.mark.thorough
@pytest.mark.skipif(len(SEEDS) == 1, reason="needs EVENFLOW_SEEDS=4: .ci/run draws it")
def test_the_seed_of_the_day(tmp_path):
    """Draw a few other folders every day; what is wrong with them is said and fails nothing."""
    faults, parted = faults_of(tmp_path, int(time.time() // 86400), OF_A_DAY)
    if faults or parted > PARTED:
        warnings.warn("\n".join([f"{parted:.1%} of runs are parted", *faults]), stacklevel=1)


def runs_of(folder: Path, names: dict[str, str]) -> list[tuple]:
    """Return the runs of a folder with their logs, named as they are without the disguise."""
    tables = parse_dataset(folder)
    path = dict(tables["file"].select("file_id", "path").rows())
    scenario = dict(tables["run"].select("run_id", "scenario_id").rows())
    tests = tables["stream"].drop_nulls("run_id").select("run_id", "file_id", "episode")
    logs = defaultdict(set)
    for run_id, file_id, episode in tests.rows():
        logs[run_id].add((names[path[file_id]], episode))
    pools = defaultdict(list)
    for run_id in logs:
        pools[scenario[run_id]].append(sorted(logs[run_id]))
    return sorted(sorted(runs) for runs in pools.values())


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The place of 20 folders drawn by a seed of their own, and the runs of each by its name."""
    place, generator = tmp_path_factory.mktemp("plain"), load("generator")
    for index in range(1, 21):
        generator.write_folder(DISGUISED, index, generator.KINDS, place)
    runs = {}
    for folder in (place / "raw").iterdir():
        paths = [path.relative_to(folder).as_posix() for path in folder.rglob("*")]
        runs[folder.name] = runs_of(folder, {path: path for path in paths})
    return place, runs


@pytest.mark.thorough
@pytest.mark.parametrize("name", load("disguise").DISGUISES)
def test_runs_and_repeats_do_not_depend_on_how_files_are_packed_or_named(name, plain, tmp_path):
    place, runs = plain
    moved = load("disguise").disguise(name, place, tmp_path)
    for folder, paths in moved.items():
        back = {there: path for path, there in paths.items()}
        assert runs_of(tmp_path / "raw" / folder, back) == runs[folder], folder
