-- tcp_state: one row per value of a sender's variable (congestion window, RTT, ...)
-- inputs: parsed state, parsed file, parsed stream, flow
-- variable names its unit: cwnd_bytes, cwnd_packets, ssthresh_bytes, rtt_s, rto_s, ...
SELECT
    flow.run_id,
    flow.flow_id,
    CASE file.clock WHEN 'flow' THEN flow.start_s ELSE 0 END + state.t_s AS t_s,
    state.variable,
    state.value,
    file.path,
    state.line
FROM parsed_state AS state
JOIN parsed_file AS file USING (file_id)
JOIN parsed_stream AS stream USING (file_id, stream)
JOIN flow ON flow.run_id = stream.run_id AND flow.flow_id = stream.flow_id
ORDER BY flow.run_id, flow.flow_id, state.variable, t_s, state.line, file.path
