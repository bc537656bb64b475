"""Patterns that name what is no log: few, all of it, and no log."""

from evenflow.ingest.described.patterns import path_pattern
from evenflow.ingest.ignoring import ignoring_patterns
from hypothesis import given
from hypothesis import strategies as st

SEGMENT = st.sampled_from(["a", "b", "run1", "x{y}", "s*r", "[z]", "p.q", "été"])
END = st.sampled_from(["", ".py", ".log", ".txt", ".PNG", ".{b}", "*"])
PATH = st.builds(
    lambda parts, end: "/".join(parts) + end, st.lists(SEGMENT, min_size=1, max_size=4), END
)


@given(st.sets(PATH, max_size=30), st.sets(PATH, max_size=8))
def test_all_ignored_paths_match_and_no_other(ignored, kept):
    ignored -= kept
    patterns = [path_pattern(p, globs=True) for p in ignoring_patterns(ignored, kept)]
    assert len(patterns) <= len(ignored)
    for path in ignored:
        assert any(pattern.fullmatch(path) for pattern in patterns)
    for path in kept:
        assert not any(pattern.fullmatch(path) for pattern in patterns)


def test_a_repository_is_a_few_lines():
    ignored = [f"src/m{i}/__init__.py" for i in range(900)] + [f"m{i}.py" for i in range(9)]
    ignored += [f"plots/{i}/{k}.txt" for i in range(30) for k in range(30)]
    ignored += [f"run{i}/notes.txt" for i in range(9)] + ["LIST"]
    kept = [f"run{i}/server.txt" for i in range(9)]
    assert ignoring_patterns(ignored, kept) == ["**/*.py", "plots/**", "**/notes.txt", "LIST"]


def test_kinds_of_files_that_logs_are_too_are_named_by_folder():
    assert ignoring_patterns(["a/x.log", "a/y.log"], ["b/x.log"]) == ["a/*.log"]
    assert ignoring_patterns(["a/x.log", "a/y.out"], ["b/x.log"]) == ["a/**"]
    assert ignoring_patterns(["a/x.log", "a/y.log"], ["a/b"]) == ["a/*.log"]
    assert ignoring_patterns(["a/x", "a/y"], ["a/z.log"]) == ["a/x", "a/y"]


def test_a_pattern_of_several_stars_takes_what_fits_between_them():
    pattern = path_pattern("a*-x-*-y-*.log", globs=True)
    assert pattern.fullmatch("a1-x-2-y-3.log")
    assert pattern.fullmatch("a-x-x--y-.log")
    assert not pattern.fullmatch("a1-x-2-3.log")
    assert not pattern.fullmatch("a1-x-2/-y-3.log")
