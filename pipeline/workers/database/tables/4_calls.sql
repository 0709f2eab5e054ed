-- What a worker's calls go through: claims of requests, answers, money and turns; each step is one transaction.

-- Claims requests: 'answered', with the answer, 'mine' to ask for, 'busy' while another worker asks, or 'archived' while
-- the answer is in the run's cache alone. A claim that a crash of the server loses costs a call paid twice, as a crash
-- of the worker would: no commit waits for the disk.
CREATE FUNCTION ask(w bigint, requests text[], providers text[]) RETURNS TABLE (state text, body bytea)
LANGUAGE plpgsql AS $$
DECLARE r bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM living(w);
  SELECT run INTO r FROM worker WHERE id = w;
  INSERT INTO claim (run, request, provider, worker)
    SELECT DISTINCT r, q, p, w FROM unnest(requests, providers) AS given(q, p) ORDER BY q, p ON CONFLICT DO NOTHING;
  RETURN QUERY WITH seen AS MATERIALIZED (
    SELECT looked.body, is_archived, nth, (SELECT worker FROM claim WHERE claim.run = r AND claim.request = q AND claim.provider = p) AS asker, (SELECT claim.ctid FROM claim WHERE claim.run = r AND claim.request = q AND claim.provider = p) AS claim
    FROM ROWS FROM (unnest(requests), unnest(providers), find_answers(r, requests, providers))
      WITH ORDINALITY AS looked(q, p, body, is_archived, nth)
  ), needless AS (
    DELETE FROM claim WHERE ctid = ANY (ARRAY(
      SELECT claim FROM seen WHERE asker = w AND (seen.body IS NOT NULL OR is_archived)))
  )
  SELECT CASE WHEN seen.body IS NOT NULL THEN 'answered' WHEN is_archived THEN 'archived' WHEN asker = w THEN 'mine'
    ELSE 'busy' END, seen.body FROM seen ORDER BY nth;
END $$;

-- Enters bills, then puts worst cases aside in their order as long as there is room: from what the worker was granted,
-- from a further block of the cap, or from what other workers were granted and don't use. A batch counts once.
CREATE FUNCTION settle(w bigint, b bigint, ended int, freed_usd float8, freed_tokens float8, billed_usd float8,
  billed_tokens float8, want_usd float8[], want_tokens float8[],
  OUT admitted int, OUT is_over boolean, OUT total_usd float8, OUT total_tokens float8) LANGUAGE plpgsql AS $$
DECLARE
  s share; r run; fits boolean; taken bigint;
  others record; need_usd float8; need_tokens float8; left_usd float8; left_tokens float8;
BEGIN
  PERFORM living(w);
  SELECT * INTO s FROM share WHERE worker = w FOR UPDATE;
  SELECT * INTO r FROM run WHERE id = s.run;
  is_over := false;
  IF s.batch < b THEN
    s.batch := b; s.admitted := 0;
    s.in_flight := s.in_flight - ended;
    s.spent_usd := s.spent_usd + billed_usd; s.spent_tokens := s.spent_tokens + billed_tokens;
    -- Sums of fractions drift; nothing is aside when nothing is in flight.
    s.aside_usd := CASE WHEN s.in_flight = 0 THEN 0 ELSE s.aside_usd - freed_usd END;
    s.aside_tokens := CASE WHEN s.in_flight = 0 THEN 0 ELSE s.aside_tokens - freed_tokens END;
    FOR i IN 1..cardinality(want_usd) LOOP
      need_usd := s.spent_usd + s.aside_usd + want_usd[i];
      need_tokens := s.spent_tokens + s.aside_tokens + want_tokens[i];
      IF (r.cap_usd IS NOT NULL AND need_usd > s.granted_usd)
        OR (r.cap_tokens IS NOT NULL AND need_tokens > s.granted_tokens) THEN
        SELECT * INTO r FROM run WHERE id = s.run FOR NO KEY UPDATE;
        FOR try IN 1..2 LOOP
          SELECT coalesce(sum(granted_usd), 0) AS usd, coalesce(sum(granted_tokens), 0) AS tokens, count(*) AS workers,
            coalesce(sum(in_flight), 0) AS in_flight INTO others FROM share WHERE run = s.run AND worker <> w;
          left_usd := r.cap_usd - r.elsewhere_usd - others.usd;
          left_tokens := r.cap_tokens - r.elsewhere_tokens - others.tokens;
          fits := (r.cap_usd IS NULL OR need_usd <= left_usd) AND (r.cap_tokens IS NULL OR need_tokens <= left_tokens);
          EXIT WHEN fits OR try = 2;
          UPDATE share SET granted_usd = spent_usd + aside_usd, granted_tokens = spent_tokens + aside_tokens
            WHERE worker IN (SELECT worker FROM share WHERE run = s.run AND worker <> w FOR UPDATE SKIP LOCKED);
          GET DIAGNOSTICS taken = ROW_COUNT;
        END LOOP;
        IF NOT fits THEN
          is_over := s.in_flight = 0 AND others.in_flight = 0 AND taken = others.workers;
          EXIT;
        END IF;
        s.granted_usd := CASE WHEN r.cap_usd IS NULL THEN 0
          ELSE least(left_usd, greatest(s.granted_usd, need_usd + r.cap_usd / 256)) END;
        s.granted_tokens := CASE WHEN r.cap_tokens IS NULL THEN 0
          ELSE least(left_tokens, greatest(s.granted_tokens, need_tokens + r.cap_tokens / 256)) END;
        s.blocks := s.blocks + 1;
      END IF;
      s.aside_usd := s.aside_usd + want_usd[i]; s.aside_tokens := s.aside_tokens + want_tokens[i];
      s.in_flight := s.in_flight + 1; s.attempts := s.attempts + 1; s.admitted := s.admitted + 1;
    END LOOP;
    UPDATE share SET granted_usd = s.granted_usd, granted_tokens = s.granted_tokens, aside_usd = s.aside_usd,
      aside_tokens = s.aside_tokens, spent_usd = s.spent_usd, spent_tokens = s.spent_tokens, attempts = s.attempts,
      in_flight = s.in_flight, batch = s.batch, admitted = s.admitted, blocks = s.blocks WHERE worker = w;
  END IF;
  admitted := s.admitted;
  SELECT r.elsewhere_usd + sum(spent_usd), r.elsewhere_tokens + sum(spent_tokens) INTO total_usd, total_tokens
    FROM share WHERE run = s.run;
END $$;

-- Takes a span of a limit's time for so many units, and says in how many milliseconds it begins.
CREATE FUNCTION take_turn(r bigint, k text, of_provider text, of_counts text, of_minute float8, units float8,
  span_ms float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE wait_ms float8;
BEGIN
  INSERT INTO rate (run, key, next_at, provider, counts, per_minute)
    SELECT r, k, clock_timestamp(), of_provider, of_counts, of_minute FROM run WHERE id = r ON CONFLICT DO NOTHING;
  UPDATE rate SET next_at = greatest(next_at, clock_timestamp()) + make_interval(secs => span_ms / 1000),
    per_minute = of_minute, given = given + units
    WHERE run = r AND key = k
    RETURNING extract(epoch FROM next_at - clock_timestamp()) * 1000 - span_ms INTO wait_ms;
  RETURN wait_ms;
END $$;
