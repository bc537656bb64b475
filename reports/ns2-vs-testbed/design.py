"""What the paper's data sets stand for."""

# part -> what the original calls what it stands for
PLATFORMS = {
    "testbed": "testbed",
    "testbed_alternative": "testbed",
    "open": "testbed",
    "simulation": "ns2",
}
# platform of the original -> parts that measure the same
MEASURES = {"testbed": ["testbed", "testbed_alternative"], "ns2": ["simulation"]}
SIMULATION = "simulation"
OPEN = "open"  # the testbed without window limits
LONG, LONG_OPEN = "long", "long_open"  # runs of these two that last half an hour
HALF_HOUR = "half an hour"  # these two set beside each other
TESTBEDS = ("testbed", "testbed_alternative")  # parts that the simulation is compared with
ORDER = (SIMULATION, *TESTBEDS)  # of columns: as the original has them
# subject of a claim -> its name in print
SETUPS = {
    "testbed": "Own queue",
    "testbed_alternative": "Shared limit",
    "open": "Never window-limited",
    "simulation": "ns-2",
}
OVER_HALF_AN_HOUR = "Never window-limited, half an hour"  # HALF_HOUR in print
# claims on the shape of the surfaces: evidence for or against a model of the router
SHAPES = (
    "disagree-low-corner",
    "buffer-both-ways",
    "falls-with-rtt",
    "fair-at-large-buffer",
    "worst-corner",
    "second-worst",
    "alike",
)
