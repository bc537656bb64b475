-- flow: one row per flow of a run
-- inputs: parsed flow (settings in dataset.yml's units), parsed stream
-- side: the side whose report counts, the receiver's where both ends wrote one. A log that holds
-- all flows of a run (ns-2) is written at the sinks: receiver.
-- cross_traffic: not one of the flows that are compared; in no measure of fairness.
-- opposite: cross traffic that goes against these; in no sum over the bottleneck either.
SELECT
    flow.run_id,
    flow.flow_id,
    flow.cca,
    flow.cca_from,
    flow.rtt_ms / 1000 AS base_rtt_s,
    coalesce(flow.start_s, 0) AS start_s,
    flow.start_from = 'assumed' AS start_is_assumed,
    flow.start_from,
    flow.mss_bytes::INTEGER AS mss_bytes,
    coalesce(stream.side, 'receiver') AS side,
    stream.protocol,
    stream.traffic,
    coalesce(flow.cross_traffic, false) AS cross_traffic,
    coalesce(flow.opposite, false) AS opposite
FROM parsed_flow AS flow
LEFT JOIN parsed_stream AS stream
    ON stream.run_id = flow.run_id AND stream.flow_id = flow.flow_id AND stream.counts
ORDER BY flow.run_id, flow.flow_id
