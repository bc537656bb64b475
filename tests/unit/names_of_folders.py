"""Names that a folder of data/raw may have, of many kinds; some can be no data set.

A name is text, or bytes where no text says it. `tests/unit/ingest/test_names_of_folders.py` and
`tests/workflow/test_folder_names.py` read them.
"""

import string

from evenflow.ingest.described.folders import MAX_NAME_BYTES, RESERVED

LETTERS = "aéßøŁğαβжџաբאשعنहखગਖଖఖಖขລམက한日本ㄅⵣᏣᐊ𐌰𝒜"  # of 22 scripts
EMOJI = "🚀💩😀🧪🐢🇨✅①⓿♻🂡🀄🎛"
JOINED = ["e\u0301", "❤\ufe0f", "क्षि", "ﬁ", "ẞ", "İi", "ǅ", "\u1112\u1161\u11ab", "\u2126", "ﷺ"]
DIRECTIONS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c"
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u2028\u2029\u180e\ue000\ufffe\U000e0041"
SPACES = "\u00a0\u2003\u3000"
# words of ours, of Snakemake, of YAML, of SQL, of shells, of other systems
WORDS = """
    all index.html index run cell sample parsed parts tables figures datasets raw derived checked
    parts-of dataset paper comparison wildcards input output None null ~ true no 0 1e5 0x10 1_000
    5. -1 - -- --cores -rf a.. a. con NUL aux com1 lpt1 Papers VEGA.JS Comparisons a.sha256
    a.parquet a.yml a.yaml a.md a.html a.svg a.css a.js select drop from where http: https:a s3:
    file: mailto:a javascript:a data: ~root $HOME %PATH% C: a:b constructor __proto__ toString
""".split()  # noqa: SIM905
PLACES = ("{}name", "na{}me", "name{}")


def _repeated(times: int) -> list[str]:
    return [f"run-{text * times}" for text in ("0", "ab", "a.b", "x-y_", "é", "🚀")]


GOOD: list[str] = [
    *WORDS,
    *(f"logs {letter}" for letter in LETTERS + EMOJI),
    *(f"logs {text}" for text in JOINED),
    *_repeated(19),
    *(f"run-{'0123456789' * n}-{n}" for n in (1, 10, 19)),
    *(
        place.format(mark)
        for mark in string.punctuation
        for place in PLACES
        if mark not in "/{}<>" and not place.format(mark).startswith(".")  # hidden
    ),
    " name",
    "name ",
    "na  me",
    "README of 2026",
    *((MAX_NAME_BYTES // 3 * "ab-")[: MAX_NAME_BYTES - 3] + end for end in ("end", "\u20ac")),
]
BAD: list[str | bytes] = [
    *RESERVED,
    *_repeated(20),
    *_repeated(21),
    "x" * 150,
    "0" * 20,
    *(f"na{chr(code)}me" for code in (*range(1, 32), 127, *range(0x80, 0xA0))),
    *(f"na{mark}me" for mark in DIRECTIONS + INVISIBLE + SPACES),
    *(place.format(mark) for mark in ("{", "}", "<", ">", "{dataset}", "<b>") for place in PLACES),
    *(bytes([*b"na", byte, *b"me"]) for byte in (0x80, 0xA0, 0xC3, 0xE9, 0xF5, 0xFF)),
    "x" * (MAX_NAME_BYTES + 1),
    "é" * (MAX_NAME_BYTES // 2 + 1),
    "ab-" * 85,
]
