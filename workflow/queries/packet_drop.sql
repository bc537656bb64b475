-- packet_drop: one row per packet dropped at the bottleneck (clock of the run)
-- inputs: parsed drop, parsed file
SELECT file.run_id, packet.t_s, packet.flow_id, packet.packet_bytes, packet.sequence,
    file.path, packet.line
FROM parsed_drop AS packet JOIN parsed_file AS file USING (file_id)
WHERE file.run_id IS NOT NULL
ORDER BY file.run_id, packet.t_s, packet.line
