"""The layouts of tests/fixtures/layouts.yml, and folders made of them."""

import small_logs
import yaml
from raw_data import ROOT

LAYOUTS = yaml.safe_load((ROOT / "tests/fixtures/layouts.yml").read_text(encoding="utf-8"))
BY_NAME = {layout["layout"]: layout for layout in LAYOUTS}


def make(folder, layout: dict):
    """Write the logs of a layout."""
    paths = [path for pattern in layout["logs"] for path in small_logs.expanded(pattern)]
    for i, path in enumerate(paths):
        about = {"tool": layout.get("tool", "iperf2"), **layout.get("common", {})}
        for text, special in layout.get("but", {}).items():
            about |= special if text in path else {}
        write = getattr(small_logs, about.pop("tool"))
        about.setdefault("mbps", 8 + i / 100)  # no copies of one another
        if about.get("minute") == "each":
            about["minute"] = i
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(write(**about))
    return folder
