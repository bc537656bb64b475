"""Make data sets of the size of the whole grid out of the runs that there are, for the benchmark.

    full_grid.py SOURCE TARGET        data/raw of this repository -> a folder outside of it

Every cell, pairing and repeat of experiments/grid_testbed/grid.yaml gets the logs of a run of the
same pairing, of the nearest cell that has one. They are no measurements: dates, seeds and settings
are changed so that no two are alike and each says what its folder says; nothing of it is committed.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from datetime import date, timedelta
from itertools import product
from pathlib import Path

import yaml

REPEATS = {"testbed-router": 5, "ns2-dumbbell": 5, "testbed-netem-limit": 1}
CELL = re.compile(r"rtt(\d+)_opb(\d+)")


def nearest(source: Path, role: str, pair: list[str], rtt: int, buffer: int) -> tuple[Path, str]:
    """Return the runs of the nearest cell of a pairing, and the name that its flow 2 has there.

    A pairing that a data set has no run of borrows those of BIC.
    """
    first, second = pair
    folder, stand_in = source / role / f"{first}-{second}", second
    if not folder.is_dir():
        stand_in = "bic"
        folder = source / role / ("bic-bic" if first == second else f"{first}-bic")
    places = {
        cell: tuple(map(int, CELL.fullmatch(cell.name).groups()))
        for cell in sorted(folder.iterdir())
        if any(cell.glob("r*/run.json"))
    }
    cell = min(places, key=lambda c: (abs(places[c][0] - rtt), abs(places[c][1] - buffer)))
    return cell, stand_in


def copy_run(run: Path, target: Path, settings: dict, rename: tuple[str, str], n: int) -> None:
    """Write the logs of a run as those of another, the n-th."""
    target.mkdir(parents=True)
    day = (date(2000, 1, 1) + timedelta(days=n)).isoformat()
    for file in run.iterdir():
        packed = file.suffix == ".gz"
        data = gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
        text = data.decode().replace(*rename)
        if file.name == "run.json":
            record = json.loads(text)
            record["run"] |= settings | {"seed": n}
            text = json.dumps(record, indent=1, sort_keys=True)
        text = text.replace("on 2000-01-01", f"on {day}")  # iperf
        text = re.sub(r"^# seed \d+", f"# seed {n}", text, flags=re.MULTILINE)  # ns-2
        text = re.sub(r"^# rtt_ms \d+", f"# rtt_ms {settings['rtt_ms']}", text, flags=re.MULTILINE)
        out = gzip.compress(text.encode(), 6, mtime=0) if packed else text.encode()
        (target / file.name).write_bytes(out)


def make_dataset(source: Path, target: Path, grid: dict, repeats: int) -> int:
    """Fill the grid of a data set; return how many runs were written."""
    n = 0
    for role, pairs in grid["pairs"].items():
        for pair, rtt, buffer in product(pairs, grid["rtt_ms"], grid["buffer_pct"]):
            cell, stand_in = nearest(source, role, pair, rtt, buffer)
            runs = sorted(cell.glob("r*"))
            size = round(grid["rate_mbps"] * 1e6 / 8 * rtt / 1000 * buffer / 100)
            settings = {"rtt_ms": rtt, "buffer_pct": buffer, "buffer_bytes": size}
            for repeat in range(1, repeats + 1):
                folder = target / role / "-".join(pair) / f"rtt{rtt}_opb{buffer}" / f"r{repeat}"
                copy_run(
                    runs[repeat % len(runs)],
                    folder,
                    settings | {"repeat": repeat},
                    (stand_in, pair[1]),
                    n := n + 1,
                )
    (target / "dataset.yml").write_bytes((source / "dataset.yml").read_bytes())
    return n


def main(source: str, target: str) -> None:
    """Write every data set of REPEATS."""
    config = yaml.safe_load(Path("experiments/grid_testbed/grid.yaml").read_text(encoding="utf-8"))
    grid = config["experiments"]["testbed"]["grid"]
    for name, repeats in REPEATS.items():
        n = make_dataset(Path(source, name), Path(target, name), grid, repeats)
        print(f"{name}: {n} runs", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
