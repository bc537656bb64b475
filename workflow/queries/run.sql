-- run: one row per run
-- inputs: parsed run (settings in dataset.yml's units), parsed flow
-- Settings in SI units. The buffer is given as a fraction or in % of the bandwidth-delay product
-- (BDP = bottleneck bandwidth x round-trip time / 8), in bytes or in full packets (mss_bytes and
-- headers; where the run has none, that of all flows if it is the same); fraction and bytes follow
-- from each other, buffer_packets is null where it is not given.
-- The round-trip time is that of the flows that are compared, without cross traffic, and so are ccas
-- and n_flows. base_rtt_s is null where these flows have different ones (the BDP is that of the
-- longest then) or where that of one is unknown. Of cross traffic alone it is that of all flows.
-- ccas is null where that of one is unknown: 'newreno' is that of one flow, not of two.
WITH told AS (
    SELECT *, NOT cross_traffic OR bool_and(cross_traffic) OVER (PARTITION BY run_id) AS is_told
    FROM parsed_flow
),
rtt AS (
    SELECT run_id,
        CASE WHEN min(rtt_ms) = max(rtt_ms) THEN max(rtt_ms) / 1000 END AS base_rtt_s,
        max(rtt_ms) / 1000 AS max_rtt_s
    FROM told WHERE is_told GROUP BY run_id HAVING count(*) = count(rtt_ms)
),
flows AS (
    SELECT run_id,
        CASE WHEN count(cca) FILTER (NOT cross_traffic) = count(*) FILTER (NOT cross_traffic)
            THEN string_agg(cca, '-' ORDER BY flow_id) FILTER (NOT cross_traffic) END AS ccas,
        CASE WHEN bool_and(mss_bytes IS NOT NULL) FILTER (is_told)
            AND count(DISTINCT mss_bytes) FILTER (is_told) = 1
            THEN max(mss_bytes) FILTER (is_told) END AS payload_bytes,
        count(*) FILTER (NOT cross_traffic) AS n_flows,
        count(*) FILTER (cross_traffic) AS n_cross_traffic
    FROM told GROUP BY run_id
),
sized AS (
    SELECT *, bottleneck_mbps * 1e6 AS bottleneck_bps,
        bottleneck_mbps * 1e6 * max_rtt_s / 8 AS bdp_bytes,
        coalesce(buffer_bdp, buffer_pct / 100) AS fraction,
        coalesce(mss_bytes, payload_bytes) + $header_bytes AS packet_bytes,
        coalesce(buffer_bytes, buffer_packets * packet_bytes) AS given_bytes
    FROM parsed_run
    LEFT JOIN flows USING (run_id)  -- a run of a queue's trace alone has no flow
    LEFT JOIN rtt USING (run_id)
)
SELECT
    $dataset_id AS dataset_id,
    scenario_id,
    run_id,
    repeat::INTEGER AS repeat,
    seed,
    role,
    ccas,
    coalesce(n_flows, 0)::INTEGER AS n_flows,
    coalesce(n_cross_traffic, 0)::INTEGER AS n_cross_traffic,
    platform,
    tool,
    tool_version,
    duration_s,
    bottleneck_bps,
    base_rtt_s,
    coalesce(given_bytes, round(fraction * bdp_bytes))::BIGINT AS buffer_bytes,
    coalesce(fraction, given_bytes / bdp_bytes) AS buffer_bdp,
    buffer_packets,
    aqm,
    factors,
    warmup_s,
    made_by,
    observed,
    guessed
FROM sized
ORDER BY scenario_id, repeat, run_id
