"""The lexer: its loop in C does what the regular expressions say, numbers are float's."""

import numpy as np
from evenflow.formats.lexing import lex
from evenflow.formats.line_shape import NUMBER, shape_of
from hypothesis import example, given
from hypothesis import strategies as st

# pieces that logs are made of, and what may go wrong with them
DIGITS = st.text("0123456789", min_size=1, max_size=30).map(str.encode)
SMALL = st.integers(0, 10**6).map(lambda n: str(n).encode())
FLOATS = st.floats(0, allow_nan=False, allow_infinity=False).map(lambda x: repr(x).encode())
MARKS = st.sampled_from(
    [b".", b"e", b"E", b"+", b"-", b"e-", b"E+", b" ", b"\t", b"\r", b"\n", b"\r\n", b"\x00"]
)
WORDS = st.sampled_from([b"[  3]", b" sec ", b" Bytes", b"bits/sec", b"=", b":", b"\xc3\xa9"])
BLOCKS = st.lists(st.one_of(DIGITS, SMALL, FLOATS, MARKS, WORDS, st.binary(max_size=4))).map(
    b"".join
)


def lines_of(block: bytes) -> list[bytes]:
    """Return the lines of a block, without the line feeds."""
    lines = block.split(b"\n")
    return lines if lines[-1] else lines[:-1]


@given(BLOCKS)
@example(b"")
@example(b"\n")
@example(b"\r\n\r\n")
@example(b"\r\r\n \r\n")
@example(b"no final line feed 1.5")
@example(b" 1.e5 1e+ 1e-x .5e3 1..2 1.2.3 1e5e6 1E+07\n")
@example(b"\xff\xfe\xf0\x00 7\n")
def test_shapes_are_those_of_the_regular_expressions(block):
    lines = lex(block)
    assert [lines.shapes[i] for i in lines.shape] == [shape_of(line) for line in lines_of(block)]


@given(BLOCKS)
@example(b"007 0.5 1.50 1.5e-05 1E3 1e22 1e23 1e-22 1e-23 1e400 1e-400 4.9e-324\n")
@example(b"9007199254740991 9007199254740992 9007199254740993 9007199254740993.0\n")
@example(b"123456789012345678 1234567890123456789 18446744073709551616 " + b"9" * 400 + b"\n")
@example(b"0.1000000000000000055511151231257827 0.30000000000000004 3.14159265358979323846\n")
@example(b"10.e5 10. 10.x 1e 1e+ 1ex\n")
def test_numbers_are_those_of_float(block):
    lines = lex(block)
    expected = [[float(n) for n in NUMBER.findall(line)] for line in lines_of(block)]
    assert np.diff(lines.first).tolist() == [len(numbers) for numbers in expected]
    for nth in range(max(map(len, expected), default=0)):
        found = lines.numbers(np.full(len(lines.shapes), nth))
        wanted = [n[nth] if nth < len(n) else np.nan for n in expected]
        np.testing.assert_array_equal(found, wanted)


@given(BLOCKS)
def test_lines_lie_where_they_begin(block):
    lines = lex(block)
    texts = [block[s : s + n] for s, n in zip(lines.start, lines.length, strict=True)]
    assert texts == [line.removesuffix(b"\r") for line in lines_of(block)]


@given(st.lists(st.binary(max_size=12).filter(lambda line: b"\n" not in line), unique=True))
def test_as_many_shapes_as_lines_do_no_harm(junk):
    block = b"".join(line + b"\n" for line in junk * 2)
    lines = lex(block)
    assert [lines.shapes[i] for i in lines.shape] == [shape_of(line) for line in junk * 2]


def test_a_shape_of_many_lines_is_found_once():
    block = b"".join(b"[ %d] %d.5 sec %d\n" % (i % 10, i, i * i) for i in range(5000))
    lines = lex(block)
    assert lines.shapes == ["[ 0] 0 sec 0"]
    assert lines.numbers(np.array([2])).tolist() == [float(i * i) for i in range(5000)]
    assert np.isnan(lines.numbers(np.array([-1]))).all()
