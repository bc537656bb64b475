"""What the paper's data sets stand for."""

# part -> what the original calls what it stands for
PLATFORMS = {"testbed": "testbed", "testbed_alternative": "testbed", "simulation": "ns2"}
# platform of the original -> parts that measure the same
MEASURES = {"testbed": ["testbed", "testbed_alternative"], "ns2": ["simulation"]}
SIMULATION = "simulation"
TESTBEDS = ("testbed", "testbed_alternative")  # parts that the simulation is compared with
ORDER = (SIMULATION, *TESTBEDS)  # of columns: as the original has them
