-- What joins, ends and lets workers go on, and what gives them shards: each step is one transaction. SQLSTATE CW001 is given
-- to a worker that has lost its lease; workers may fall silent three times with a shard before it is suspected.

-- Whether a run's coordinator is at it.
CREATE FUNCTION is_led(r bigint) RETURNS boolean LANGUAGE sql AS $$
  SELECT EXISTS (SELECT FROM worker WHERE worker.run = r AND is_coordinator AND NOT dead
    AND lease_until > clock_timestamp())
$$;

-- The run that a worker of a version is to join: one that it can work on and whose coordinator is there, else one that
-- it must refuse for its version, else one whose coordinator is away; of several the newest.
CREATE FUNCTION find_run(own_version text) RETURNS SETOF run LANGUAGE sql AS $$
  SELECT * FROM run WHERE state = 'open'
    ORDER BY is_led(id) AND version = own_version DESC, is_led(id) DESC, version = own_version DESC, id DESC LIMIT 1
$$;

CREATE FUNCTION join_run(r bigint, worker_name text, coordinates boolean) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE w bigint;
BEGIN
  -- One process at a time holds the run's folder: an earlier coordinator is gone.
  IF coordinates THEN PERFORM expire(id) FROM worker WHERE run = r AND is_coordinator AND NOT dead; END IF;
  INSERT INTO worker (run, name, is_coordinator, lease_until)
    SELECT r, worker_name, coordinates, clock_timestamp() + make_interval(secs => lease_s) FROM run WHERE id = r
    RETURNING id INTO w;
  IF w IS NULL THEN RAISE EXCEPTION 'the run is over' USING ERRCODE = 'CW001'; END IF;
  INSERT INTO share (worker, run) VALUES (w, r);
  RETURN w;
END $$;

-- True while a worker has its lease. It locks nothing, so nothing waits for the disk.
CREATE FUNCTION has_lease(w bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE is_dead boolean;
BEGIN
  SELECT dead INTO is_dead FROM worker WHERE id = w;
  IF NOT is_dead THEN RETURN true; END IF;
  RAISE EXCEPTION '%', CASE WHEN is_dead THEN 'this worker has lost its lease: others work on its tasks'
    ELSE 'the run is over' END USING ERRCODE = 'CW001';
END $$;

-- Keeps the lease as it is until the transaction ends.
CREATE FUNCTION living(w bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM worker WHERE id = w AND NOT dead FOR SHARE;
  IF NOT FOUND THEN PERFORM has_lease(w); END IF;
END $$;

-- Ends a worker: what it put aside for calls in flight counts as spent, since they may be billed.
CREATE FUNCTION expire(w bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE worker SET dead = true, working = 0 WHERE id = w AND NOT dead;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE shard SET state = CASE WHEN losses < 3 THEN 'ready' ELSE 'lost' END, owner = NULL,
    fence = fence + 1 WHERE owner = w AND state = 'taken';
  DELETE FROM claim WHERE worker = w;
  UPDATE share SET spent_usd = spent_usd + aside_usd, spent_tokens = spent_tokens + aside_tokens,
    granted_usd = spent_usd + aside_usd, granted_tokens = spent_tokens + aside_tokens,
    aside_usd = 0, aside_tokens = 0, in_flight = 0 WHERE worker = w;
END $$;

-- A worker leaves, and says with which error if it is one.
CREATE FUNCTION leave_run(w bigint, reason text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE worker SET why = reason WHERE id = w AND NOT dead;
  PERFORM expire(w);
END $$;

-- Ends a worker that fell silent. What it held may have killed it: a task that it tried alone, or else all of its shards.
CREATE FUNCTION lose(w bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE shard SET losses = losses + 1 WHERE owner = w AND state = 'taken' AND (alone OR NOT EXISTS (
    SELECT FROM shard other WHERE other.owner = w AND other.state = 'taken' AND other.alone));
  UPDATE worker SET lost = true WHERE id = w AND NOT dead;
  PERFORM expire(w);
END $$;

-- Makes the lease longer, ends workers whose lease is over, and says how the run is. After a start of the server nobody
-- is ended for the time of a lease: no worker could reach it meanwhile. Says what the worker is to do, too. A run whose
-- coordinator is away is 'abandoned' to a worker that has nothing to do where another run waits for workers.
CREATE FUNCTION heartbeat(w bigint, has_room int, works_on int, used_ms float8, OUT state text, OUT command text) LANGUAGE plpgsql AS $$
DECLARE r run; gone bigint;
BEGIN
  SELECT run.* INTO r FROM run JOIN worker ON worker.run = run.id WHERE worker.id = w;
  PERFORM living(w);
  UPDATE worker SET lease_until = clock_timestamp() + make_interval(secs => r.lease_s), room = has_room,
    working = works_on, cpu_ms = used_ms WHERE id = w RETURNING worker.command INTO command;
  IF clock_timestamp() > pg_postmaster_start_time() + make_interval(secs => r.lease_s) THEN
    FOR gone IN SELECT id FROM worker WHERE run = r.id AND NOT dead AND NOT is_coordinator
      AND lease_until < clock_timestamp() ORDER BY id FOR UPDATE SKIP LOCKED
    LOOP PERFORM lose(gone); END LOOP;
  END IF;
  state := r.state;
  IF state = 'open' AND works_on = 0 AND NOT is_led(r.id)
    AND EXISTS (SELECT FROM run WHERE run.state = 'open' AND version = r.version AND is_led(run.id)) THEN
    state := 'abandoned';
  END IF;
END $$;

-- A worker tries one suspected task at a time, so that it is known which one it is. It says which of its shards it knows:
-- one that it does not know was claimed by a statement whose reply was lost, and is given to it again.
CREATE FUNCTION claim_shard(w bigint, of_stage text, known bigint[], OUT id text, OUT fence int, OUT inputs bytea,
  OUT done int[]) LANGUAGE plpgsql AS $$
DECLARE r bigint; s shard;
BEGIN
  SELECT run INTO r FROM worker WHERE worker.id = w;
  SELECT * INTO s FROM shard WHERE owner = w AND state = 'taken' AND stage = of_stage AND shard.id <> ALL (known) LIMIT 1;
  -- Most looks find nothing.
  IF has_lease(w) AND s.id IS NULL AND NOT EXISTS (
    SELECT FROM shard WHERE run = r AND state = 'ready' AND stage = of_stage) THEN RETURN; END IF;
  PERFORM living(w);
  IF s.id IS NULL THEN
    UPDATE shard SET state = 'taken', owner = w, fence = shard.fence + 1 WHERE shard.id = (
      SELECT ready.id FROM shard ready JOIN run ON run.id = ready.run
      WHERE ready.run = r AND ready.state = 'ready' AND ready.stage = of_stage
        AND run.state = 'open' AND NOT (ready.alone AND EXISTS (
          SELECT FROM shard held WHERE held.owner = w AND held.state = 'taken' AND held.alone))
      ORDER BY ready.id LIMIT 1 FOR UPDATE OF ready SKIP LOCKED) RETURNING * INTO s;
  END IF;
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
