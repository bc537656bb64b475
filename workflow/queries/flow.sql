-- flow: one row per flow of a run
-- inputs: parsed flow (settings in dataset.yml's units), parsed file, parsed interval
-- side: the side whose report counts, the receiver's where both ends wrote one. A log that holds
-- all flows of a run (ns-2) is written at the sinks: receiver.
WITH sides AS (
    SELECT file.run_id, coalesce(file.flow_id, interval.flow_id) AS flow_id,
        bool_or(coalesce(file.side, 'receiver') = 'receiver') AS has_receiver
    FROM parsed_file AS file JOIN parsed_interval AS interval USING (file_id)
    GROUP BY ALL
)
SELECT
    flow.run_id,
    flow.flow_id,
    flow.cca,
    flow.rtt_ms / 1000 AS base_rtt_s,
    coalesce(flow.start_s, 0) AS start_s,
    flow.start_s IS NULL AS start_is_assumed,
    flow.mss_bytes::INTEGER AS mss_bytes,
    CASE WHEN sides.has_receiver THEN 'receiver' ELSE 'sender' END AS side
FROM parsed_flow AS flow LEFT JOIN sides USING (run_id, flow_id)
ORDER BY flow.run_id, flow.flow_id
