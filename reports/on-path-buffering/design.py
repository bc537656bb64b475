"""What the paper's data sets stand for."""

from evenflow.charts.theme import AQM_NAMES

# part -> what the original calls what it stands for; claims are tested on each
PLATFORMS = {"testbed": "testbed", "testbed_alternative": "testbed", "open": "testbed"}
# platform of the original -> parts that measure the same
MEASURES = {"testbed": ["testbed", "testbed_alternative"]}

ROUTERS = ("testbed", "testbed_alternative")
SETUPS = {
    "testbed": "Own queue",
    "testbed_alternative": "Shared limit",
    "open": "Never window-limited",
}
# queue disciplines of `testbed-aqm`, in the order of print
QUEUES = {aqm: AQM_NAMES[aqm] for aqm in ("droptail", "fq_codel", "cake", "pie")}
# claims on the shape of the surfaces of throughput: evidence for or against a model of the router
SHAPES = (
    "self-low-buffer",
    "regular-troughs",
    "self-shape",
    "self-alike",
    "self-buffer-low-rtt",
    "self-buffer-high-rtt",
    "half-the-time",
    "flat-nru",
)
