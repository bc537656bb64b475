"""What the paper's data sets stand for."""

# part -> what the original calls what it stands for
PLATFORMS = {"testbed": "testbed", "testbed_alternative": "testbed"}
# platform of the original -> parts that measure the same
MEASURES = {"testbed": ["testbed", "testbed_alternative"]}
