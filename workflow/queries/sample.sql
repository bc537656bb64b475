-- sample: one row per report interval of a flow, the side that counts only
-- inputs: parsed interval, parsed file, flow
-- Clock: iperf counts from the start of its own flow; such times are shifted by the flow's start_s
-- to the run's clock here, before anything else. path and line lead back to the raw log.
SELECT
    flow.run_id,
    flow.flow_id,
    CASE file.clock WHEN 'flow' THEN flow.start_s ELSE 0 END + interval.t_start_s AS t_start_s,
    CASE file.clock WHEN 'flow' THEN flow.start_s ELSE 0 END + interval.t_end_s AS t_end_s,
    interval.bytes,
    interval.throughput_bps,
    interval.cwnd_packets * flow.mss_bytes AS cwnd_bytes,
    interval.rtt_s,
    interval.retransmits,
    file.path,
    interval.line
FROM parsed_interval AS interval
JOIN parsed_file AS file USING (file_id)
JOIN flow
    ON flow.run_id = file.run_id AND flow.flow_id = coalesce(file.flow_id, interval.flow_id)
WHERE coalesce(file.side, 'receiver') = flow.side
ORDER BY flow.run_id, flow.flow_id, t_start_s, interval.line
