"""Settings of all tests, and which of them `make test` leaves to `make test-all`."""

import os
import time
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# what starts whole workflows, kills them, or looks at a built site: left to `make test-all` but for
# the tests that are marked `quick`. All else is in `make test` unless it is marked `thorough`
THOROUGH = ("tests/ci", "tests/faults", "tests/workflow")
# of the cases of a test, or of each test of a file, one in so many is in `make test`: each starts
# a process, analyses a folder twice, or judges a whole paper
SAMPLED = {
    "experiments/ns2/tests/test_lanes.py": 5,
    "reports/high-speed-fairness/tests/test_high_speed_claims.py::"
    "test_a_claim_is_reproduced_in_a_world_as_the_original_says": 4,
    "reports/ns2-vs-testbed/tests/test_ns2_vs_testbed_claims.py": 6,
    "reports/on-path-buffering/tests/test_on_path_buffering_claims.py": 10,
    "tests/unit/formats/test_compiled.py::test_nothing_is_loaded_from_where_others_can_write": 3,
    "tests/unit/ingest/test_pooling.py::test_the_proposed_lines_give_the_same_scenarios": 4,
    "tests/unit/ingest/test_together.py::test_the_lines_that_are_offered_say_the_same": 3,
    "tests/unit/ingest/test_traces.py": 3,
    "tests/unit/metrics/test_means.py::"
    "test_what_is_offered_for_a_strangers_folder_changes_no_mean": 4,
    "tests/unit/test_hostile.py": 24,
    "tests/unit/test_hostile_files.py::"
    "test_a_compression_bomb_is_named_with_the_limit_and_costs_only_itself": 3,
    "tests/unit/render/test_render_report.py::"
    "test_a_quarto_that_needs_the_network_for_callouts_is_not_used": 3,
    "tests/unit/render/test_render_report.py::"
    "test_an_error_names_the_place_and_leaves_earlier_outputs": 3,
    "tests/unit/test_pasted_lines.py": 12,
}
# of the cases of these, each of which makes a project again, one in so many is in `make test-all`;
# all are in .ci/run, if it has the time for more than one seed of folders
SAMPLED_BY_ALL = {
    "tests/ci/test_paper_folders.py::test_without_other_papers_everything_else_stands": 2,
    "tests/faults/test_nothing_stale.py::"
    "test_without_what_is_remembered_one_make_gives_the_same_and_sets_nothing_aside": 2,
}
IS_CI = int(os.environ.get("EVENFLOW_SEEDS", "1")) > 1
# of files of tests, those that take longest begin first: the workers end together
FIRST = (
    "tests/strangers/test_strangers.py",
    "tests/faults/test_strangers.py",
    "tests/ci/test_paper_folders.py",
    "tests/workflow/test_make.py",
    "tests/faults/test_faults.py",
    "tests/faults/test_nothing_stale.py",
    "tests/workflow/test_workflow.py",
    "tests/unit/formats/test_format_iperf3.py",
    "tests/unit/test_hostile.py",
    "tests/unit/render/test_render_report.py",
    "tests/unit/test_pasted_lines.py",
    # of those that only .ci/run has
    "tests/ci/test_slurm.py",
    "tests/faults/test_executor.py",
    "tests/ci/test_wheel.py",
    "tests/ci/test_archiving.py",
    "tests/ci/test_setup.py",
)

# workers side by side have a processor each; the tables are the same with any number of threads
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# a make that a test starts says what a user's says, and not that it is the make of `make test`
for name in ("MAKELEVEL", "MAKEFLAGS", "MFLAGS"):
    os.environ.pop(name, None)


@pytest.hookimpl(optionalhook=True)  # of xdist, which `make mutants` leaves out
def pytest_xdist_auto_num_workers(config):
    """As many workers as cores; one more for tests that mostly wait for what they start."""
    return (os.cpu_count() or 1) + (config.option.markexpr == "thorough")


# seconds since 1970 after which no case begins: .ci/run's, which has a limit, on a slow machine
UNTIL = float(os.environ.get("EVENFLOW_UNTIL", "inf"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup():
    if time.time() > UNTIL:
        pytest.skip("left out: the time that EVENFLOW_UNTIL gives is over")


def pytest_ignore_collect(collection_path, config):
    """Leave out files of which nothing is chosen: each worker would import them all the same."""
    chosen = config.option.markexpr
    if collection_path.suffix != ".py" or chosen not in ("thorough", "not thorough"):
        return None
    path = collection_path.relative_to(ROOT).as_posix()
    text = collection_path.read_text(encoding="utf-8")
    if path.startswith(THOROUGH):
        has_some = chosen == "thorough" or "mark.quick" in text
    else:
        sampled = any(of.split("::")[0] == path for of in SAMPLED)
        has_some = chosen == "not thorough" or "mark.thorough" in text or sampled
    return None if has_some else True  # None: pytest decides


def pytest_collection_modifyitems(config, items):
    """Order files, leave out and mark as above; `make test` says `-m "not thorough"`."""
    cases = Counter()
    left_to_ci = []
    ranks = {ROOT / path: rank for rank, path in enumerate(FIRST)}
    items.sort(key=lambda item: ranks.get(item.path, len(FIRST)))
    for item in items:
        quick, thorough = (item.get_closest_marker(name) for name in ("quick", "thorough"))
        if quick and thorough:
            raise pytest.UsageError(f"{item.nodeid}: marked as quick and as thorough")
        path = item.path.relative_to(ROOT).as_posix()
        test = (path, item.originalname)
        one_in = SAMPLED.get("::".join(test)) or SAMPLED.get(path, 1)
        left_out = path.startswith(THOROUGH) or cases[test] % one_in
        if not IS_CI and cases[test] % SAMPLED_BY_ALL.get("::".join(test), 1):
            left_to_ci.append(item)
        cases[test] += 1
        if left_out and not quick:
            item.add_marker("thorough")
    if left_to_ci and config.option.markexpr == "thorough":
        config.hook.pytest_deselected(items=left_to_ci)
        items[:] = [item for item in items if item not in left_to_ci]


@pytest.fixture(scope="module")
def one_database():
    """Open DuckDB once for all folders that tests of a module analyse: 40 ms of processor time."""
    from evenflow.tables import connected

    with connected():
        yield


@pytest.fixture(scope="module")
def browser():
    import chromium  # of tests/ci: few tests need it

    if None in (chromium.PROGRAM, chromium.DRIVER):
        pytest.skip(chromium.MISSING)
    with chromium.browser() as tab:
        yield tab
