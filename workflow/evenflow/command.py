"""The command `evenflow`: a thin layer on Snakemake, which says the command that it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from .errors import DataError
from .places import DOCS, is_study, refuse_no_study

# Snakemake's own words of these: all but errors. They say by themselves what they do
SCREEN = ("--logger", "evenflow")  # the words of users, not of Snakemake
RULES = {  # command: its rule, and what it does
    "verify": ("verify", "check the raw logs, make everything again elsewhere, and compare"),
    "expected": ("write_expected", "keep the papers' current numbers in results/expected/"),
    "archive": ("write_archive", "write one file to deposit, dist/evenflow.zip"),
}


def main() -> None:
    """Read the command line and do what it says."""
    given = parser().parse_args()
    try:
        code = given.does(given)
        sys.stdout.flush()
        sys.exit(code)
    except DataError as error:
        sys.exit(f"error: {error}")
    except BrokenPipeError:  # who read it has ended, as `head` does: nobody wants the rest
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:  # before or after Snakemake ran
        print("Interrupted.", file=sys.stderr)
        sys.exit(130)


def parser() -> argparse.ArgumentParser:
    """Return the words of the command line; `does` is what is to be called with them."""
    whole = argparse.ArgumentParser(
        prog="evenflow",
        description="From logs of TCP flows to pages and papers",
        epilog="Run all commands except report, init and doctor in the folder of a study.\n"
        f"Documentation: {DOCS / 'README.md'}",
        formatter_class=argparse.RawDescriptionHelpFormatter,  # else a path is broken at a hyphen
    )
    whole.add_argument("--version", action="version", version=f"evenflow {own_version()}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, does: Callable[[argparse.Namespace], int], words: str):
        one = commands.add_parser(name, help=words, description=words)
        one.set_defaults(does=does)
        return one

    one = add("report", _report, "make the page of a folder of logs")
    one.add_argument("folder", type=_path, help="the logs, which are only read")
    one.add_argument(
        "-o", "--out", type=_path, help="keeps page and tables (default: evenflow-FOLDER)"
    )
    one.add_argument("--open", action="store_true", help="open the page in a browser")
    one = add("init", _init, "start a repository of your own, for your logs and papers")
    one.add_argument("folder", type=_path, help="must be new or empty")
    one = add("make", _make, "make every page and paper, or what is named")
    one.add_argument("target", nargs="*", help="a file, as reports/_site/datasets/X/index.html")
    one = add("paper", _paper, "start a paper from a template")
    one.add_argument("name", help="of the paper: lower-case words joined by -")
    one.add_argument("--data", required=True, help="the data set that it is made of")
    one = add("manifest", _manifest, "list the raw logs that are new, in results/manifest/")
    one.add_argument("--accept", action="store_true", help="list those that changed as well")
    for name, (_, words) in RULES.items():
        add(name, _rule, words)
    one = add("trace", _trace, "print the rows, runs and lines of logs behind a number of a paper")
    one.add_argument("number", help="the paper and the number: 'my-paper 0.30'")
    one = add("publish", _publish, "make the pages and copy them into a folder, for a web server")
    one.add_argument("folder", help="which may hold other files: these are kept")
    add("doctor", _doctor, "say what this machine lacks")
    add("clean", _clean, "remove what evenflow made, and nothing else")
    return whole


def _path(word: str) -> Path:
    """Return the path that a word is; an empty one, of a variable that is not set, is none."""
    if not word:
        raise argparse.ArgumentTypeError("it is empty: name a folder")
    return Path(word)


def own_version() -> str:
    """Return the version of the installed package; of a checkout, which has none, say so."""
    try:
        return version("evenflow")
    except PackageNotFoundError:
        return "of a checkout"


# each imports what it needs: `evenflow report` with nothing to do takes a fifth of a second


def _report(given: argparse.Namespace) -> int:
    from .commands.report import report

    return report(given.folder, given.out, given.open)


def _init(given: argparse.Namespace) -> int:
    from .commands.init import init

    return init(given.folder)


def _make(given: argparse.Namespace) -> int:
    from .commands.start import make

    return make(*SCREEN, *(["--", *given.target] if given.target else []))


def _manifest(given: argparse.Namespace) -> int:
    from .commands.start import make

    accept = ["--config", "accept_changed=True"] if given.accept else []
    return make(*SCREEN, *accept, "--", "write_manifest")


def _rule(given: argparse.Namespace) -> int:
    from .commands.start import make

    return make(*SCREEN, "--", RULES[given.command][0])


def _paper(given: argparse.Namespace) -> int:
    from .commands.paper import paper

    refuse_no_study()
    return paper(given.name, given.data)


def _trace(given: argparse.Namespace) -> int:
    from .commands.trace import trace

    refuse_no_study()
    return trace(given.number)


def _publish(given: argparse.Namespace) -> int:
    from .commands.start import make
    from .runs.publish import main as publish

    refuse_no_study(made=True)
    if not is_study():  # what `evenflow report` made
        return publish([given.folder])
    return publish([given.folder], lambda: make(*SCREEN))


def _doctor(given: argparse.Namespace) -> int:
    from .commands.doctor import doctor

    return doctor()


def _clean(given: argparse.Namespace) -> int:
    from .runs.clean import main as clean

    refuse_no_study(made=True)
    return clean()


if __name__ == "__main__":
    main()
