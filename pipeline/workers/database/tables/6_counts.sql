-- How each run stands: for people, and for its coordinator.
CREATE VIEW counted_run AS
  SELECT id::text, name, version, state, set_aside,
    json_build_object('cost_usd', cap_usd, 'tokens', cap_tokens) AS caps,
    (SELECT row_to_json(counted) FROM (
    SELECT elsewhere_usd + coalesce(sum(spent_usd + aside_usd), 0) AS cost_usd,
      elsewhere_tokens + coalesce(sum(spent_tokens + aside_tokens), 0) AS tokens,
      elsewhere_attempts + coalesce(sum(attempts), 0) AS attempts
    FROM share WHERE share.run = run.id
    ) counted) AS spent,
    (SELECT row_to_json(counted) FROM (
    SELECT count(*) FILTER (WHERE shard.state IN ('ready', 'lost')) AS ready,
      count(*) FILTER (WHERE shard.state = 'taken') AS taken,
      count(*) FILTER (WHERE shard.state = 'done')
        + (SELECT coalesce(sum(shards), 0) FROM share WHERE share.run = run.id) AS done,
      count(*) FILTER (WHERE alone) AS alone
    FROM shard WHERE shard.run = run.id
    ) counted) AS shards,
    (SELECT coalesce(json_agg(counted), '[]') FROM (
    SELECT worker.name, CASE WHEN bool_or(NOT dead) THEN 'working'
        WHEN (array_agg(lost ORDER BY worker.id DESC))[1] THEN 'lost' ELSE 'left' END AS state,
      extract(epoch FROM min(joined_at)) * 1000 AS joined_at_ms,
      extract(epoch FROM least(clock_timestamp(), max(lease_until - make_interval(secs => lease_s)))) * 1000 AS seen_at_ms,
      coalesce(sum(working) FILTER (WHERE NOT dead), 0) AS tasks_in_hand,
      coalesce(sum(room) FILTER (WHERE NOT dead), 0) AS room,
      sum(in_flight) AS calls_in_flight, count(*) FILTER (WHERE lost) AS lost_leases,
      sum(shards) AS shards, sum(records) AS records, sum(attempts) AS calls,
      sum(spent_usd) AS cost_usd, round(sum(spent_tokens)) AS tokens,
      sum(greatest(0, granted_usd - spent_usd - aside_usd)) AS granted_usd,
      round(sum(greatest(0, granted_tokens - spent_tokens - aside_tokens))) AS granted_tokens,
      sum(blocks) AS blocks, sum(cpu_ms) AS cpu_ms,
      round(extract(epoch FROM max(lease_until) FILTER (WHERE NOT dead) - clock_timestamp())::numeric, 1) AS lease_left_s,
      max(command) FILTER (WHERE NOT dead) AS told, (array_agg(why ORDER BY worker.id DESC))[1] AS why
    FROM worker JOIN share ON share.worker = worker.id
    WHERE worker.run = run.id AND NOT is_coordinator GROUP BY worker.name ORDER BY min(worker.id)
    ) counted) AS workers,
    -- Turns are given ahead of their time: those that have not come are not let through yet.
    (SELECT coalesce(json_agg(counted), '[]') FROM (
    SELECT key, provider, counts, per_minute, greatest(0, given
      - greatest(0, extract(epoch FROM next_at - clock_timestamp())) * per_minute / 60) AS let_through
    FROM rate WHERE rate.run = run.id ORDER BY provider, counts, key
    ) counted) AS rates
  FROM run;
