/** Bumped when a table or a function changes its meaning. */
export const SHARED_LAYOUT = '3';

/** SQLSTATE of a statement of a worker that has lost its lease. */
export const LOST_LEASE = 'CW001';

/**
 * What the coordinator and the workers of runs share. All times are the server's. A worker's lease covers its shards,
 * its claims of requests and its money, so that they are lost together: each function that lets it go on locks its row
 * first, and whoever takes the lease away changes that row.
 */
export const sharedTables = `
CREATE TABLE run (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE, place text NOT NULL, name text NOT NULL, version text NOT NULL,
  state text NOT NULL DEFAULT 'preparing', reason text, body bytea,
  lease_s float8 NOT NULL,
  cap_usd float8, cap_tokens float8,
  -- What sessions without workers spent, and what of all is in the run folder.
  elsewhere_usd float8 NOT NULL DEFAULT 0, elsewhere_tokens float8 NOT NULL DEFAULT 0,
  elsewhere_attempts bigint NOT NULL DEFAULT 0,
  mirrored_usd float8 NOT NULL DEFAULT 0, mirrored_tokens float8 NOT NULL DEFAULT 0,
  mirrored_attempts bigint NOT NULL DEFAULT 0
);
CREATE TABLE worker (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  name text NOT NULL, is_coordinator boolean NOT NULL,
  lease_until timestamptz NOT NULL, dead boolean NOT NULL DEFAULT false,
  room int NOT NULL DEFAULT 0, working int NOT NULL DEFAULT 0,
  -- 'drain' or 'stop': what somebody told it to do.
  told text,
  joined_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE share (
  worker bigint PRIMARY KEY REFERENCES worker ON DELETE CASCADE, run bigint NOT NULL,
  granted_usd float8 NOT NULL DEFAULT 0, granted_tokens float8 NOT NULL DEFAULT 0,
  aside_usd float8 NOT NULL DEFAULT 0, aside_tokens float8 NOT NULL DEFAULT 0,
  spent_usd float8 NOT NULL DEFAULT 0, spent_tokens float8 NOT NULL DEFAULT 0,
  attempts bigint NOT NULL DEFAULT 0, in_flight int NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  batch bigint NOT NULL DEFAULT 0, admitted int NOT NULL DEFAULT 0
);
CREATE INDEX share_run ON share (run);
CREATE TABLE shard (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  stage text NOT NULL, keys text[] NOT NULL, inputs bytea NOT NULL,
  state text NOT NULL DEFAULT 'ready', owner bigint, fence int NOT NULL DEFAULT 0
);
CREATE INDEX shard_state ON shard (run, state, id);
CREATE INDEX shard_owner ON shard (owner) WHERE state = 'taken';
CREATE TABLE outcome (
  shard bigint NOT NULL REFERENCES shard ON DELETE CASCADE, nth int NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (shard, nth)
);
CREATE TABLE answer (
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  request text NOT NULL, provider text NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (run, request, provider)
);
CREATE TABLE asking (
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  request text NOT NULL, provider text NOT NULL, worker bigint NOT NULL,
  PRIMARY KEY (run, request, provider)
);
CREATE INDEX asking_worker ON asking (worker);
CREATE TABLE rate (
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE, key text NOT NULL, next_at timestamptz NOT NULL,
  PRIMARY KEY (run, key)
);
CREATE TABLE call (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE, body bytea NOT NULL
);
CREATE TABLE file (
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE, path text NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (run, path)
);
-- They come compressed.
ALTER TABLE shard ALTER inputs SET STORAGE EXTERNAL;
ALTER TABLE outcome ALTER body SET STORAGE EXTERNAL;
ALTER TABLE answer ALTER body SET STORAGE EXTERNAL;
ALTER TABLE file ALTER body SET STORAGE EXTERNAL;
`;

/** What changes them in more than one step. */
export const sharedFunctions = `
CREATE FUNCTION join_run(r bigint, worker_name text, coordinates boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE w bigint;
BEGIN
  -- One process at a time holds the run's folder: an earlier coordinator is gone.
  IF coordinates THEN PERFORM bury(id) FROM worker WHERE run = r AND is_coordinator AND NOT dead; END IF;
  INSERT INTO worker (run, name, is_coordinator, lease_until)
    SELECT r, worker_name, coordinates, clock_timestamp() + make_interval(secs => lease_s) FROM run WHERE id = r
    RETURNING id INTO w;
  IF w IS NULL THEN RAISE EXCEPTION 'the run is over' USING ERRCODE = '${LOST_LEASE}'; END IF;
  INSERT INTO share (worker, run) VALUES (w, r);
  RETURN w;
END $$;

CREATE FUNCTION living(w bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM worker WHERE id = w AND NOT dead FOR SHARE;
  IF FOUND THEN RETURN; END IF;
  IF EXISTS (SELECT FROM worker WHERE id = w) THEN
    RAISE EXCEPTION 'this worker has lost its lease: others work on its tasks' USING ERRCODE = '${LOST_LEASE}';
  END IF;
  RAISE EXCEPTION 'the run is over' USING ERRCODE = '${LOST_LEASE}';
END $$;

-- Ends a worker: what it put aside for calls in flight counts as spent, since they may be billed.
CREATE FUNCTION bury(w bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE worker SET dead = true, working = 0 WHERE id = w AND NOT dead;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE shard SET state = 'ready', owner = NULL, fence = fence + 1 WHERE owner = w AND state = 'taken';
  DELETE FROM asking WHERE worker = w;
  UPDATE share SET spent_usd = spent_usd + aside_usd, spent_tokens = spent_tokens + aside_tokens,
    granted_usd = spent_usd + aside_usd, granted_tokens = spent_tokens + aside_tokens,
    aside_usd = 0, aside_tokens = 0, in_flight = 0 WHERE worker = w;
END $$;

-- Makes the lease longer, ends workers whose lease is over, and says how the run is. After a start of the server nobody
-- is ended for the time of a lease: no worker could reach it meanwhile. Says what the worker was told, too.
CREATE FUNCTION beat(w bigint, has_room int, works_on int, OUT state text, OUT told text) LANGUAGE plpgsql AS $$
DECLARE r run; gone bigint;
BEGIN
  SELECT run.* INTO r FROM run JOIN worker ON worker.run = run.id WHERE worker.id = w;
  PERFORM living(w);
  UPDATE worker SET lease_until = clock_timestamp() + make_interval(secs => r.lease_s), room = has_room,
    working = works_on WHERE id = w RETURNING worker.told INTO told;
  IF clock_timestamp() > pg_postmaster_start_time() + make_interval(secs => r.lease_s) THEN
    FOR gone IN SELECT id FROM worker WHERE run = r.id AND NOT dead AND NOT is_coordinator
      AND lease_until < clock_timestamp() ORDER BY id FOR UPDATE SKIP LOCKED
    LOOP PERFORM bury(gone); END LOOP;
  END IF;
  state := r.state;
END $$;

CREATE FUNCTION claim_shard(w bigint, of_stage text, OUT id text, OUT fence int, OUT inputs bytea, OUT done int[])
LANGUAGE plpgsql AS $$
DECLARE s shard;
BEGIN
  PERFORM living(w);
  UPDATE shard SET state = 'taken', owner = w, fence = shard.fence + 1 WHERE shard.id = (
    SELECT ready.id FROM shard ready JOIN run ON run.id = ready.run
    WHERE ready.run = (SELECT run FROM worker WHERE worker.id = w) AND ready.state = 'ready' AND ready.stage = of_stage
      AND run.state = 'open'
    ORDER BY ready.id LIMIT 1 FOR UPDATE OF ready SKIP LOCKED) RETURNING * INTO s;
  id := s.id; fence := s.fence; inputs := s.inputs;
  SELECT array_agg(nth) INTO done FROM outcome WHERE shard = s.id;
END $$;

-- Writes outcomes of a shard that the worker still owns; the last one makes it done. False where it does not own it.
CREATE FUNCTION put_outcomes(w bigint, s bigint, f int, nths int[], bodies bytea[]) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM living(w);
  PERFORM 1 FROM shard WHERE id = s AND owner = w AND fence = f FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO outcome (shard, nth, body) SELECT s, n, b FROM unnest(nths, bodies) AS given(n, b)
    ON CONFLICT DO NOTHING;
  UPDATE shard SET state = 'done' WHERE id = s AND cardinality(keys) = (SELECT count(*) FROM outcome WHERE shard = s);
  RETURN true;
END $$;

-- Gives the shards of a worker back that stops: what it did of them stays.
CREATE FUNCTION release_shards(w bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE shard SET state = 'ready', owner = NULL, fence = fence + 1 WHERE owner = w AND state = 'taken';
$$;

-- Claims requests: 'answered', 'mine' to ask for, or 'busy' while another worker asks. A claim that a crash of the server
-- loses costs a call paid twice, as a crash of the worker would: no commit waits for the disk.
CREATE FUNCTION ask(w bigint, requests text[], providers text[]) RETURNS TABLE (state text) LANGUAGE plpgsql AS $$
DECLARE r bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM living(w);
  SELECT run INTO r FROM worker WHERE id = w;
  INSERT INTO asking (run, request, provider, worker)
    SELECT DISTINCT r, q, p, w FROM unnest(requests, providers) AS given(q, p) ORDER BY q, p ON CONFLICT DO NOTHING;
  DELETE FROM asking USING unnest(requests, providers) AS given(q, p)
    WHERE asking.run = r AND asking.request = q AND asking.provider = p AND asking.worker = w
      AND EXISTS (SELECT FROM answer WHERE answer.run = r AND answer.request = q AND answer.provider = p);
  RETURN QUERY SELECT CASE
      WHEN EXISTS (SELECT FROM answer WHERE answer.run = r AND answer.request = q AND answer.provider = p) THEN 'answered'
      WHEN EXISTS (SELECT FROM asking WHERE asking.run = r AND asking.request = q AND asking.provider = p
        AND asking.worker = w) THEN 'mine'
      ELSE 'busy' END
    FROM unnest(requests, providers) WITH ORDINALITY AS given(q, p, nth) ORDER BY nth;
END $$;

-- Keeps answers, whoever brings them: of two the first stays. Returns the requests whose answer was new.
CREATE FUNCTION keep(r bigint, requests text[], providers text[], bodies bytea[])
RETURNS TABLE (kept_request text, kept_provider text) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY INSERT INTO answer (run, request, provider, body)
    SELECT r, q, p, b FROM unnest(requests, providers, bodies) AS given(q, p, b)
    WHERE EXISTS (SELECT FROM run WHERE run.id = r) ORDER BY q, p
    ON CONFLICT DO NOTHING RETURNING answer.request, answer.provider;
  DELETE FROM asking USING unnest(requests, providers) AS given(q, p)
    WHERE asking.run = r AND asking.request = q AND asking.provider = p;
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
      END IF;
      s.aside_usd := s.aside_usd + want_usd[i]; s.aside_tokens := s.aside_tokens + want_tokens[i];
      s.in_flight := s.in_flight + 1; s.attempts := s.attempts + 1; s.admitted := s.admitted + 1;
    END LOOP;
    UPDATE share SET granted_usd = s.granted_usd, granted_tokens = s.granted_tokens, aside_usd = s.aside_usd,
      aside_tokens = s.aside_tokens, spent_usd = s.spent_usd, spent_tokens = s.spent_tokens, attempts = s.attempts,
      in_flight = s.in_flight, batch = s.batch, admitted = s.admitted WHERE worker = w;
  END IF;
  admitted := s.admitted;
  SELECT r.elsewhere_usd + sum(spent_usd), r.elsewhere_tokens + sum(spent_tokens) INTO total_usd, total_tokens
    FROM share WHERE run = s.run;
END $$;

-- Takes a span of a limit's time, and says in how many milliseconds it begins.
CREATE FUNCTION take_turn(r bigint, k text, span_ms float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE wait_ms float8;
BEGIN
  INSERT INTO rate (run, key, next_at) SELECT r, k, clock_timestamp() FROM run WHERE id = r ON CONFLICT DO NOTHING;
  UPDATE rate SET next_at = greatest(next_at, clock_timestamp()) + make_interval(secs => span_ms / 1000)
    WHERE run = r AND key = k
    RETURNING extract(epoch FROM next_at - clock_timestamp()) * 1000 - span_ms INTO wait_ms;
  RETURN wait_ms;
END $$;
`;

/** Functions act with the rights of who made them, so that a worker needs none to the tables behind them. */
export const sharedOwners = `
DO $$ DECLARE f regprocedure; BEGIN
  FOR f IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'coa_distill'::regnamespace LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = coa_distill, pg_temp', f);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$;
`;

/** Least rights, for users that are members of a role of this name: whoever owns the tables grants them once it exists. */
export const sharedRights = `
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'coa_worker')
    OR NOT (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'coa_distill') THEN RETURN; END IF;
  IF has_schema_privilege('coa_worker', 'coa_distill', 'USAGE') THEN RETURN; END IF;
  GRANT USAGE ON SCHEMA coa_distill TO coa_worker;
  GRANT EXECUTE ON FUNCTION join_run, bury, beat, claim_shard, put_outcomes, release_shards, ask, keep, settle,
    take_turn TO coa_worker;
  GRANT SELECT ON run, answer TO coa_worker;
  GRANT UPDATE (state, reason) ON run TO coa_worker;
  GRANT SELECT, INSERT, UPDATE ON file TO coa_worker;
  GRANT INSERT ON call TO coa_worker;
  GRANT SELECT, DELETE ON asking TO coa_worker;
END $$;
`;
