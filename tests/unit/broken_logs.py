"""Logs as they arrive from others: cut, damaged, mixed; and what must hold whatever comes."""

from contextlib import suppress
from pathlib import Path

import polars as pl
from evenflow.errors import DataError
from evenflow.formats import Log
from evenflow.formats.shapes import count_lines
from evenflow.formats.tables import BELOW_ZERO, parse_logs
from hypothesis import strategies as st

NUMBERS = [b"0", b"-1", b"-0", b"4294967295", b"1e999", b"nan", b"99999999999999999999", b"0,5"]
JUNK = [b"", b"\n", b"\r\n", b"\x00", b"\xff\xfe", b" ", b",", b"-", b"<", b'"', b"e", b"."]


AT_ONCE = 5  # logs that are drawn together: most of the time of a batch is the same for one log


def several(log: st.SearchStrategy[bytes]) -> st.SearchStrategy[list[bytes]]:
    """Return what draws logs to be read at once."""
    return st.lists(log, min_size=AT_ONCE, max_size=AT_ONCE)


def broken(contents: list[bytes]) -> st.SearchStrategy[list[bytes]]:
    """Return what draws logs made of pieces of `contents`, a few bytes of which are others."""
    return several(broken_log(contents))


@st.composite
def broken_log(draw, contents: list[bytes]) -> bytes:
    """Draw one of them."""
    pieces = []
    for content in draw(st.lists(st.sampled_from(contents), min_size=1, max_size=3)):
        begin, end = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        pieces.append(content[begin:end] if draw(st.booleans()) else content)
    text = b"".join(pieces)
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(text)))
        length = draw(st.integers(0, 6))
        new = draw(st.sampled_from(NUMBERS + JUNK) | st.binary(max_size=4))
        text = text[:at] + new + text[at + length :]
    if draw(st.booleans()):
        lines = text.split(b"\n")
        draw(st.randoms(use_true_random=False)).shuffle(lines)
        text = b"\n".join(lines)
    return text


def assert_accounted(format_name: str, contents: list[bytes], paths: list[Path] | None = None):
    """Parse logs, check that every line and byte has a fate, and return the tables."""
    paths = paths or [None] * len(contents)
    logs = [Log(i, *log) for i, log in enumerate(zip(contents, paths, strict=True))]
    tables = parse_logs(format_name, logs)
    # a number below zero is named by itself: by its fate its line is still a sample
    of_lines = ~pl.col("reason").str.ends_with(BELOW_ZERO)
    rejected = tables["rejected"].filter(of_lines).group_by("file_id")
    n_rejected = dict(rejected.agg(pl.col("line").n_unique()).rows())
    of_rejected = pl.col("lines").filter(fate="rejected").sum().alias("rejected")
    fates = tables["fate"].group_by("file_id").agg(pl.sum("lines", "bytes"), of_rejected)
    found = {i: counts for i, *counts in fates.rows()}
    for i, content in enumerate(contents):
        wanted = [count_lines(content), len(content), n_rejected.get(i, 0)]
        assert found.get(i, [0, 0, 0]) == wanted
    keys = ["file_id", "stream"]
    assert tables["stream"].select(keys).is_unique().all()
    for name in ("interval", "summary", "state"):
        assert tables[name].join(tables["stream"], on=keys, how="anti").is_empty()
    interval = tables["interval"]
    assert (interval["t_end_s"] > interval["t_start_s"]).all()
    assert (interval["bytes"].drop_nulls() >= 0).all()
    return tables


def parse_broken(format_name: str, texts: list[bytes], path: Path | None = None) -> None:
    """Parse logs that may be broken, at once: an error must be DataError, and is of one of them."""
    try:
        assert_accounted(format_name, texts, [path] * len(texts))
    except DataError:
        for text in texts:
            with suppress(DataError):
                assert_accounted(format_name, [text], [path])
