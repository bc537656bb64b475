"""The yardstick for iperf3 JSON: load the files that LIST names with orjson, one by one."""

import sys
from pathlib import Path

import orjson

for path in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    orjson.loads(Path(path).read_bytes())
