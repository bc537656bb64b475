"""The scorecard of high-speed-fairness on hand-made cells with known answers."""

import pytest
from evenflow.papers.claims import IN_PART, NOT_REPRODUCED, NOT_TESTABLE, REPRODUCED

from ..claims import CLAIMS, Cases, claim, scorecard
from ..metrics import HIGH_SPEED, design, pair_cells
from .test_high_speed_metrics import metrics_of

BY_KEY = {claim.key: claim for claim in CLAIMS}


def bdp20(rtt_ms):
    return rtt_ms * 22_500  # 20 % of 900 Mb/s x RTT, bytes


def cells_of(rows):
    return pair_cells({"simulation": metrics_of(*rows)})


def verdict(key, rows):
    """The verdict on however few cases there are."""
    test = BY_KEY[key].test
    if not isinstance(test, Cases):
        return test(cells_of(rows)).outcome
    return test.outcome(test.find(cells_of(rows)), least_cases=0)


def friendliness(rtt_ms, newreno):
    """NewReno's throughput beside each high-speed variant, of 800 Mb/s for both."""
    return [
        ("newreno", cca, rtt_ms, rtt_ms, bdp20(rtt_ms), mbps, 800 - mbps)
        for cca, mbps in newreno.items()
    ]


def equally(mbps):
    return dict.fromkeys(HIGH_SPEED, mbps)


def intra(rtt_ms, flow1):
    return [(c, c, rtt_ms, rtt_ms, bdp20(rtt_ms), m, 800 - m) for c, m in flow1.items()]


def rtt_view(flow1_of):
    """flow1_of(cca, rtt2) -> Mb/s of flow 1, at 162 ms; at 162 ms both the run is intra's."""
    return [
        (cca, cca, 162, rtt2, bdp20(162), flow1_of(cca, rtt2), 800 - flow1_of(cca, rtt2))
        for cca in HIGH_SPEED
        for rtt2 in (16, 82, 162, 324)
    ]


def inter(rtt_ms, strength):
    """Every pair of the five; each gets in proportion to its strength."""
    rows = []
    for i, a in enumerate(HIGH_SPEED):
        for b in HIGH_SPEED[i + 1 :]:
            mine = 800 * strength[a] / (strength[a] + strength[b])
            rows.append((a, b, rtt_ms, rtt_ms, bdp20(rtt_ms), mine, 800 - mine))
    return rows


def test_unfriendliness_grows_with_the_bdp_for_all_some_or_none():
    low = friendliness(16, equally(400))
    assert verdict("unfriendly", low + friendliness(324, equally(50))) == REPRODUCED
    one_fair = equally(50) | {"cubic": 400}
    assert verdict("unfriendly", low + friendliness(324, one_fair)) == IN_PART
    assert verdict("unfriendly", low + friendliness(324, equally(400))) == NOT_REPRODUCED
    # less fair, but it is the variant that gets less
    assert verdict("unfriendly", low + friendliness(324, equally(750))) == NOT_REPRODUCED
    assert verdict("unfriendly", low) == NOT_TESTABLE


def test_a_starved_newreno_is_the_most_unfriendly_case_and_counts():
    rows = friendliness(82, equally(200) | {"scalable": 0})
    assert verdict("friendly_scalable", rows) == REPRODUCED
    assert verdict(
        "unfriendly", friendliness(16, equally(400)) + friendliness(324, equally(0))
    ) == (REPRODUCED)


def test_the_friendliest_at_low_and_at_high_rtts():
    low = friendliness(16, equally(100) | {"cubic": 300, "htcp": 250})
    assert verdict("friendly_low", low) == REPRODUCED
    assert verdict("friendly_low", friendliness(82, equally(100))) == NOT_TESTABLE  # not 16 ms
    high = friendliness(82, equally(100) | {"highspeed": 300})
    assert verdict("friendly_highspeed", high) == REPRODUCED
    four = [row for row in high if row[1] != "bic"]  # a variant is missing: nobody is the first
    assert verdict("friendly_highspeed", four) == NOT_TESTABLE


def test_good_intra_fairness_needs_the_majority_of_cases():
    fair = equally(400)
    assert verdict("intra", intra(16, fair | {"bic": 700, "cubic": 700})) == REPRODUCED
    assert verdict("intra", intra(16, fair | dict.fromkeys(HIGH_SPEED[:3], 700))) == NOT_REPRODUCED
    assert verdict("intra_htcp", intra(16, equally(500) | {"htcp": 400})) == REPRODUCED
    assert verdict("intra_trend", intra(16, equally(600)) + intra(324, fair)) == REPRODUCED
    assert verdict("intra_trend", intra(16, fair) + intra(324, equally(600))) == NOT_REPRODUCED


def proportional(cca, rtt2):
    """Flow 1 / flow 2 = RTT 2 / RTT 1; H-TCP and CUBIC somewhat fairer."""
    ratio = rtt2 / 162
    if cca in ("htcp", "cubic"):
        ratio = ratio**0.5
    if cca == "scalable":
        ratio = ratio**2
    if cca in ("bic", "highspeed"):
        ratio = ratio**1.5
    return 800 * ratio / (1 + ratio)


def test_rtt_fairness_as_the_paper_describes_it():
    rows = rtt_view(proportional)
    for key in ("proportional", "rtt_fair", "rtt_above", "rtt_favour", "rtt_scalable", "rtt_equal"):
        assert verdict(key, rows) == REPRODUCED, key


def test_rtt_fairness_the_other_way_round():
    rows = rtt_view(lambda cca, rtt2: 800 - proportional(cca, rtt2))  # long RTTs are favoured
    assert verdict("proportional", rows) == NOT_REPRODUCED
    assert verdict("rtt_favour", rows) == NOT_REPRODUCED
    assert verdict("rtt_above", rows) == REPRODUCED
    starved = rtt_view(lambda cca, rtt2: 0 if rtt2 < 162 else 400)
    assert verdict("rtt_favour", starved) == REPRODUCED


def test_ranks_of_aggressiveness_need_all_ten_pairs():
    strength = {"bic": 3, "cubic": 2, "htcp": 4, "highspeed": 1, "scalable": 9}
    rows = inter(82, strength)
    for key in ("inter_scalable", "inter_htcp", "inter_highspeed"):
        assert verdict(key, rows) == REPRODUCED
        assert verdict(key, rows[:-1]) == NOT_TESTABLE
    other = inter(16, strength | {"highspeed": 20})
    assert verdict("inter_scalable", rows + other) == IN_PART
    assert verdict("inter_htcp", other) == NOT_REPRODUCED


def test_limited_slow_start_is_not_testable_whatever_the_runs():
    assert verdict("slow_start", inter(82, equally(1))) == NOT_TESTABLE
    found = BY_KEY["slow_start"].test(cells_of(inter(82, equally(1))))
    assert "limited slow start" in found.evidence


def test_the_evidence_counts_cases_and_names_those_that_fail():
    rows = intra(16, equally(600) | {"htcp": 400}) + intra(82, equally(600) | {"bic": 400})
    three = rows + intra(324, equally(500) | {"htcp": 400})
    said, evidence = BY_KEY["intra_htcp"].test(cells_of(three))
    assert said == IN_PART
    assert evidence.startswith("2 of 3 cases (n = 1 each; the whole design has 10)")
    assert "not: 82 ms, 20 % of BDP" in evidence


def test_a_verdict_needs_a_quarter_of_the_cases_of_the_whole_design():
    """Ten cases: five RTTs and two queues; with two there is none, with three there is one."""
    two = intra(16, equally(500) | {"htcp": 400}) + intra(82, equally(500) | {"htcp": 400})
    said, evidence = BY_KEY["intra_htcp"].test(cells_of(two))
    assert said == NOT_TESTABLE
    words = "10 of the view's 60 cells have runs, enough for 2 of the 10 cases; it holds in 2"
    assert evidence == words
    three = two + intra(324, equally(500) | {"htcp": 400})
    assert BY_KEY["intra_htcp"].test(cells_of(three)).outcome == REPRODUCED
    assert BY_KEY["intra_htcp"].test(cells_of(two).clear()).outcome == NOT_TESTABLE


def test_the_whole_design_has_the_cases_that_the_papers_axes_give():
    assert len(design()) == 50 + 60 + 48 + 100
    found = {key: c.test.n_possible for key, c in BY_KEY.items() if isinstance(c.test, Cases)}
    assert found["intra"] == 5 * 5 * 2  # variants, RTTs, queues
    assert found["friendly_low"] == 2  # queues
    assert found["unfriendly"] == 5 * 2  # variants, queues
    assert found["rtt_above"] == 2 * 3 * 2  # variants, RTTs below flow 1's, queues
    assert set(BY_KEY) - set(found) == {"slow_start"}


@pytest.mark.parametrize("rows", [[], intra(16, equally(400))])
def test_the_scorecard_has_a_row_for_every_sentence_however_few_the_runs(rows):
    cells = cells_of(rows) if rows else cells_of(intra(16, equally(400))).clear()
    table = scorecard(claim(cells, ["simulation"], "x"), ["simulation"])
    assert all(each.sentence in table for each in CLAIMS)
    assert table.count(NOT_TESTABLE) >= len(CLAIMS) - 4


def test_every_claim_has_a_key_and_a_criterion_of_its_own():
    assert len(BY_KEY) == len(CLAIMS)
    assert all(claim.criterion and claim.figure.startswith("fig-") for claim in CLAIMS)
