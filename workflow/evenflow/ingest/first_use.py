"""Compile the scanners of logs, so that the first data set need not wait: `make` does it in set-up.

What they are compiled to is kept (`compiled`), and is made again where one of them was changed.
"""

from __future__ import annotations

import json
from pathlib import Path

from ..formats import Log, iperf2, iperf3_json, ns2_trace, parse_logs

# a log of one sample for each scanner: of lines of text, of iperf3's JSON, of traces of ns-2
_SECOND = {"socket": 5, "start": 0, "end": 1, "seconds": 1, "bytes": 1000, "bits_per_second": 8000}
_ENDS = {"local_host": "10.0.0.1", "local_port": 1, "remote_host": "10.0.0.2", "remote_port": 2}
_DOCUMENT = {
    "start": {"connected": [{"socket": 5, **_ENDS}]},
    "intervals": [{"streams": [_SECOND], "sum": _SECOND}],
    "end": {"streams": [{"sender": _SECOND, "receiver": _SECOND}]},
}
SAMPLES = {
    iperf2.NAME: b"[  3]  0.0- 1.0 sec  1.00 MBytes  8.39 Mbits/sec\n",
    iperf3_json.NAME: json.dumps(_DOCUMENT, indent=1).encode(),
    ns2_trace.NAME: b"+ 0.1 0 1 tcp 40 ------- 0 0.0 3.0 0 0\n",
}


def compile_scanners() -> None:
    """Read a log with each scanner."""
    for name, content in SAMPLES.items():
        parse_logs(name, [Log(0, content, Path(name))])


if __name__ == "__main__":
    compile_scanners()
