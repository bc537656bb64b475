-- arrival: one row per bin of packets that arrived at the bottleneck (clock of the run), of one run:
-- a data set has too many of them to be sorted at once
-- inputs: parsed arrival, parsed file
SELECT file.run_id, bin.t_start_s, bin.t_end_s, bin.arrived_packets, bin.dropped_packets,
    bin.queue_packets, bin.background_packets, file.path, bin.line
FROM parsed_arrival AS bin JOIN parsed_file AS file USING (file_id)
WHERE file.run_id = $run_id
ORDER BY file.run_id, bin.t_start_s, bin.line
