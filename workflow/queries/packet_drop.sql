-- packet_drop: one row per packet dropped at the bottleneck (clock of the run)
-- inputs: parsed drop, parsed file, parsed stream
-- flow_id: of the connection that the log holds; else as the log numbers it, which may be a flow
-- that the table `flow` does not have (background traffic)
SELECT file.run_id, packet.t_s, coalesce(stream.flow_id, packet.flow_id) AS flow_id,
    packet.packet_bytes, packet.sequence, file.path, packet.line
FROM parsed_drop AS packet
JOIN parsed_file AS file USING (file_id)
LEFT JOIN parsed_stream AS stream
    ON stream.file_id = packet.file_id AND stream.stream = packet.stream
WHERE file.run_id IS NOT NULL
ORDER BY file.run_id, packet.t_s, packet.line, file.path
