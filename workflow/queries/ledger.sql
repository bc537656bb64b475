-- ledger: one row per raw file (entry = 'file'), and one per rejected line (entry = 'line')
-- inputs: parsed file, parsed fate, parsed rejected
-- Of every file: its lines and its decompressed bytes by fate; they sum to `lines` and to
-- `content_bytes`. sha256: of the file; content_sha256: decompressed. reason: why lines of a file were not samples, or why it could not be read.
WITH totals AS (
    SELECT file_id,
        sum(lines) AS lines,
        coalesce(sum(lines) FILTER (fate = 'sample'), 0) AS lines_sample,
        coalesce(sum(lines) FILTER (fate = 'header'), 0) AS lines_header,
        coalesce(sum(lines) FILTER (fate = 'summary'), 0) AS lines_summary,
        coalesce(sum(lines) FILTER (fate = 'skipped'), 0) AS lines_skipped,
        coalesce(sum(lines) FILTER (fate = 'rejected'), 0) AS lines_rejected,
        coalesce(sum(bytes) FILTER (fate = 'sample'), 0) AS bytes_sample,
        coalesce(sum(bytes) FILTER (fate = 'header'), 0) AS bytes_header,
        coalesce(sum(bytes) FILTER (fate = 'summary'), 0) AS bytes_summary,
        coalesce(sum(bytes) FILTER (fate = 'skipped'), 0) AS bytes_skipped,
        coalesce(sum(bytes) FILTER (fate = 'rejected'), 0) AS bytes_rejected,
        string_agg(DISTINCT reason, '; ' ORDER BY reason) AS reason
    FROM parsed_fate GROUP BY file_id
)
SELECT 'file' AS entry, path, sha256, content_sha256, file.bytes, format, run_id, content_bytes,
    coalesce(COLUMNS(totals.* EXCLUDE (file_id, reason)), 0)::BIGINT,
    coalesce(file.problem, totals.reason) AS reason,
    NULL::INTEGER AS line, NULL AS text
FROM parsed_file AS file LEFT JOIN totals USING (file_id)
UNION ALL BY NAME
SELECT 'line' AS entry, path, sha256, content_sha256, format, run_id,
    rejected.reason, rejected.line, rejected.text
FROM parsed_rejected AS rejected JOIN parsed_file AS file USING (file_id)
ORDER BY path, entry, line
