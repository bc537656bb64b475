-- queue_sample: one row per sample of the bottleneck's queue (clock of the run)
-- inputs: parsed queue, parsed file
-- queue_*: mean since the last sample; counts of packets: since the start of the run
SELECT file.run_id, queue.t_s, queue.queue_bytes, queue.queue_packets, queue.arrived_packets,
    queue.departed_packets, queue.dropped_packets, file.path, queue.line
FROM parsed_queue AS queue JOIN parsed_file AS file USING (file_id)
WHERE file.run_id IS NOT NULL
ORDER BY file.run_id, queue.t_s, queue.line, file.path
