"""The wheel brings the scanners of logs compiled, for the machine that it is made on, or another:

    EVENFLOW_WHEEL=manylinux_2_17_aarch64 python -m hatchling build -t wheel      (`make wheels`)

Where no compiler for C is, the wheel is one for any machine, and they are compiled when they are
first needed.
"""

import os
import sysconfig
import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FORMATS = "workflow/evenflow/formats"
# of a wheel's platform: that of the library (`file_name`), and the target for ziglang's compiler
PLATFORMS = {
    "manylinux_2_17_x86_64": ("linux", "x86_64", "x86_64-linux-gnu.2.17"),
    "manylinux_2_17_aarch64": ("linux", "aarch64", "aarch64-linux-gnu.2.17"),
    "macosx_11_0_x86_64": ("darwin", "x86_64", "x86_64-macos.11.0"),
    "macosx_11_0_arm64": ("darwin", "arm64", "aarch64-macos.11.0"),
}


class CustomBuildHook(BuildHookInterface):
    """Compiles the scanners into the wheel."""

    def initialize(self, version: str, build_data: dict) -> None:
        """Compile, and say what the wheel is for; an editable one compiles when first used."""
        if version == "editable":
            return
        spec = spec_from_file_location("building", Path(self.root, FORMATS, "building.py"))
        building = module_from_spec(spec)
        spec.loader.exec_module(building)
        wanted = os.environ.get("EVENFLOW_WHEEL")
        system, machine, target = PLATFORMS[wanted] if wanted else ("", "", "")
        self.scratch = tempfile.TemporaryDirectory(prefix="evenflow-")
        library = Path(self.scratch.name) / building.file_name(system, machine)
        try:
            building.compile_library(library, ["-target", target] if target else [])
        except building.NoCompiler:
            if wanted:
                raise
            return
        for path in (library, building.digest_file(library)):
            place = f"evenflow/formats/__compiled__/{path.name}"
            build_data["force_include"][str(path)] = place
        here = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{wanted or here}"

    def finalize(self, version: str, build_data: dict, artifact_path: str) -> None:
        """Take away what is in the wheel now."""
        if hasattr(self, "scratch"):
            self.scratch.cleanup()
