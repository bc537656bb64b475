"""The log of a sender's TCP_INFO, verbatim from the guest's tool."""

import pytest
from evenflow.formats import detect_format
from raw_data import fates, parse

LOG = b"""\
# evenflow-tcp-info/1
1.000 bic cwnd 1294 ssthresh 2147483647 srtt_us 17411 rttvar_us 3 retransmits 0
2.000 bic cwnd 1293 ssthresh 1151 srtt_us 17385 rttvar_us 2 retransmits 2061
# end
"""


def test_every_value_leads_back_to_its_line_and_times_are_seconds():
    assert detect_format(LOG, "flow1.tcp_info.log") == "tcp-info"
    tables = parse("tcp-info", LOG)
    assert fates(tables) == {"header": 2, "sample": 2}
    rows = {
        (r[0], r[1]): r[2:]
        for r in tables["state"].select("t_s", "variable", "value", "line").rows()
    }
    assert rows[1.0, "cwnd_packets"] == (1294.0, 2)
    assert rows[2.0, "ssthresh_packets"] == (1151.0, 3)
    assert rows[1.0, "srtt_s"] == (pytest.approx(0.017411), 2)
    assert rows[2.0, "retransmits"] == (2061.0, 3)
    assert (1.0, "ssthresh_packets") not in rows  # none before the first loss


def test_the_sampled_congestion_control_is_that_of_the_stream():
    (stream,) = parse("tcp-info", LOG)["stream"].select("cca", "side", "line").rows()
    assert stream == ("bic", "sender", 2)


@pytest.mark.parametrize(
    ("log", "line", "reason"),
    [
        (LOG[: LOG.index(b"# end")], 3, "it was truncated"),
        (LOG.replace(b"rttvar_us 2 ", b""), 3, "not a line of the sender's state"),
    ],
)
def test_a_cut_log_or_line_is_rejected_and_named(log, line, reason):
    ((found, why),) = parse("tcp-info", log)["rejected"].select("line", "reason").rows()
    assert found == line and reason in why
