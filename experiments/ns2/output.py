"""What ns-2 said: its messages, and the trailer of goodput.log."""

import re

ASKED = re.compile(r"^\S+ select_ca (?P<name>.*)$")
UNKNOWN = re.compile(r"^Error: do not find (?P<name>.*) as a congestion control algorithm$")
KNOWN = re.compile(r"^List of cc \(total \d+\) :(?P<names>.*)$")

# Agent/TCP/Linux sets its clock tick from ns-2's 0.01 s to this when an algorithm is installed.
INSTALLED_TICK_S = 0.001


def scan_algorithms(messages):
    """Which congestion controls ns-2 was asked for, and which it did not know.

    With a name that it does not know, `select_ca` prints an error, returns success, and the flow
    runs ns-2's own Reno. `messages` is the simulator's standard output.

    Returns (asked, unknown, known): names in the order of the flows, the names among them that
    ns-2 rejected, and the names it says it knows (empty where it rejected none).
    """
    asked, unknown, known = [], [], []
    for line in messages.splitlines():
        if match := ASKED.match(line):
            asked.append(match["name"])
        elif match := UNKNOWN.match(line):
            unknown.append(match["name"])
        elif match := KNOWN.match(line):
            known = match["names"].split()
    return asked, unknown, known


def read_trailer(text, expected=("1", "2")):
    """The final counters of a goodput.log as {"flows": {"1": {...}, "2": {...}}, "queue": {...}}.

    `expected` are the flows that the run has. Raises ValueError where the log was cut short.
    """
    flows, queue, ended = {}, {}, False
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["#", "flow"]:
            flows[words[2]] = read_pairs(words[3:])
        elif words[:2] == ["#", "queue"]:
            queue = read_pairs(words[2:])
        elif words == ["#", "end"]:
            ended = True
    if not (ended and set(flows) == set(expected) and queue):
        raise ValueError(
            "goodput.log has no complete trailer: the simulation did not reach its end"
        )
    return {"flows": flows, "queue": queue}


def read_pairs(words):
    """['drops', '3', 'tick_s', '0.01'] -> {'drops': 3, 'tick_s': 0.01}"""
    return {
        key: float(value) if "." in value else int(value)
        for key, value in zip(words[::2], words[1::2], strict=True)
    }


def check_algorithms(options, messages, trailer):
    """Names that flows were to run but did not, as {"2": "Bic"}, and the names that ns-2 knows.

    The messages are checked against a second witness, each flow's tick (see INSTALLED_TICK_S).

    Raises ValueError where the two disagree, or ns-2 was not asked for what `options` says: then
    this version of ns-2 speaks otherwise than the one that this module was written for (2.35).
    """
    asked, unknown, known = scan_algorithms(messages)
    wanted = [options["select_ca1"], options["select_ca2"]]
    if asked != wanted:
        raise ValueError(f"ns-2 reports select_ca for {asked}, not for {wanted}")
    fallback = {flow: name for flow, name in zip("12", wanted, strict=True) if name in unknown}
    for flow, counters in trailer["flows"].items():
        installed = counters["tick_s"] == INSTALLED_TICK_S
        if installed == (flow in fallback):
            raise ValueError(
                f"flow {flow}: ns-2 {'rejected' if flow in fallback else 'accepted'}"
                f" {wanted[int(flow) - 1]!r}, but its tick is {counters['tick_s']} s"
            )
    return fallback, known
