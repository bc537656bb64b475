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


@st.composite
def broken(draw, contents: list[bytes]) -> bytes:
    """Draw a log made of pieces of `contents`, a few bytes or numbers of which are others."""
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
    fate, rejected = tables["fate"], tables["rejected"].filter(of_lines)
    for i, content in enumerate(contents):
        of_file = fate.filter(file_id=i)
        assert of_file["bytes"].sum() == len(content)
        assert of_file["lines"].sum() == count_lines(content)
        n_rejected = of_file.filter(fate="rejected")["lines"].sum()
        assert n_rejected == len(rejected.filter(file_id=i)["line"].unique())
    keys = ["file_id", "stream"]
    assert tables["stream"].select(keys).is_unique().all()
    for name in ("interval", "summary", "state"):
        assert tables[name].join(tables["stream"], on=keys, how="anti").is_empty()
    interval = tables["interval"]
    assert (interval["t_end_s"] > interval["t_start_s"]).all()
    assert (interval["bytes"].drop_nulls() >= 0).all()
    return tables


def parse_broken(format_name: str, text: bytes, path: Path | None = None) -> None:
    """Parse a log that may be broken: an error must be DataError."""
    with suppress(DataError):
        assert_accounted(format_name, [text], [path])
