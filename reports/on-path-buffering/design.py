"""What the paper's data sets stand for."""

# part -> what the original calls what it stands for; claims are tested on each
PLATFORMS = {"testbed": "testbed", "testbed_alternative": "testbed", "open": "testbed"}
# platform of the original -> parts that measure the same
MEASURES = {"testbed": ["testbed", "testbed_alternative"]}

ROUTERS = ("testbed", "testbed_alternative")
# finding of the text -> the outcomes that it rests on: (subject, claim, case) -> outcome
FINDINGS = {
    "low_buffer": {
        ("testbed", "self-low-buffer", "BIC"): "contradicted",
        ("testbed", "self-low-buffer", "Compound"): "contradicted",
        **{
            ("testbed_alternative", "self-low-buffer", name): "reproduced"
            for name in ("NewReno", "BIC", "CUBIC", "Compound")
        },
        **{(router, "flow-1-first", "BIC"): "contradicted" for router in ROUTERS},
        **{(router, "flow-1-first", "CUBIC"): "contradicted" for router in ROUTERS},
    },
    "bic_takes": {
        (router, claim, "BIC"): "reproduced"
        for router in ROUTERS
        for claim in ("more-than-alike", "newreno-pays", "unfair-system")
    },
    "low_rtt": {
        (router, "low-rtt-less", name): "contradicted"
        for router in ROUTERS
        for name in ("BIC", "Compound")
    },
}
