"""What the paper's data sets stand for."""

# part -> what the original calls what it stands for; claims are tested on each
PLATFORMS = {"testbed": "testbed", "testbed_alternative": "testbed", "open": "testbed"}
# platform of the original -> parts that measure the same
MEASURES = {"testbed": ["testbed", "testbed_alternative"]}
