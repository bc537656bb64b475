-- sample: one row per report interval of a flow, the side that counts only
-- inputs: parsed interval, parsed file, parsed stream, flow
-- Clock: iperf counts from the start of its own flow; such times are shifted by the flow's start_s
-- to the run's clock here, before anything else. path and line lead back to the raw log.
SELECT
    flow.run_id,
    flow.flow_id,
    CASE file.clock WHEN 'flow' THEN flow.start_s ELSE 0 END + interval.t_start_s AS t_start_s,
    CASE file.clock WHEN 'flow' THEN flow.start_s ELSE 0 END + interval.t_end_s AS t_end_s,
    interval.bytes,
    interval.throughput_bps,
    coalesce(interval.cwnd_bytes, interval.cwnd_packets * flow.mss_bytes) AS cwnd_bytes,
    interval.rtt_s,
    interval.retransmits,
    interval.lost_packets,
    interval.packets,
    file.path,
    interval.line
FROM parsed_interval AS interval
JOIN parsed_file AS file USING (file_id)
JOIN parsed_stream AS stream USING (file_id, stream)
JOIN flow ON flow.run_id = stream.run_id AND flow.flow_id = stream.flow_id
WHERE stream.counts
ORDER BY flow.run_id, flow.flow_id, t_start_s, interval.line, file.path
