-- What keeps answers, and brings them out of the database and back: each step is one transaction. Answers of a run are in
-- parts, of which one is open. A part that is full is copied into the run's cache and dropped; of its answers only hashes
-- stay, so that nobody asks for one again: who needs it waits until the coordinator has brought it back. Hashes of other
-- requests may be equal: the coordinator finds out.

CREATE FUNCTION open_part(r bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE p bigint;
BEGIN
  -- Waits for answers on their way into it; those that come now wait for the next.
  UPDATE part SET is_open = false WHERE run = r AND is_open;
  INSERT INTO part (run) VALUES (r) RETURNING id INTO p;
  EXECUTE format('CREATE TABLE answer_%s PARTITION OF answer FOR VALUES IN (%s)', p, p);
END $$;

-- Drops a part whose answers are in the run's cache.
CREATE FUNCTION drop_part(p bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM part WHERE id = p AND is_copied FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  EXECUTE format($f$INSERT INTO archived SELECT run, hashtextextended(request || ' ' || provider, 0) FROM answer_%s ON CONFLICT DO NOTHING$f$, p);
  EXECUTE format('DROP TABLE answer_%s', p);
  DELETE FROM part WHERE id = p;
END $$;

CREATE FUNCTION run_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE archived_%s PARTITION OF archived FOR VALUES IN (%s)', NEW.id, NEW.id);
  PERFORM open_part(NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER made AFTER INSERT ON run FOR EACH ROW EXECUTE FUNCTION run_made();

CREATE FUNCTION run_gone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE p bigint;
BEGIN
  FOR p IN SELECT id FROM part WHERE run = OLD.id ORDER BY id FOR UPDATE
  LOOP EXECUTE format('DROP TABLE answer_%s', p); END LOOP;
  EXECUTE format('DROP TABLE archived_%s', OLD.id);
  DELETE FROM claim WHERE run = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER gone BEFORE DELETE ON run FOR EACH ROW EXECUTE FUNCTION run_gone();

CREATE FUNCTION find_answers(r bigint, requests text[], providers text[]) RETURNS TABLE (body bytea, is_archived boolean)
LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT held, held IS NULL AND EXISTS (SELECT FROM archived WHERE archived.run = r AND archived.hash = hashtextextended(q || ' ' || p, 0)) FROM (
    SELECT nth, q, p, (SELECT answer.body FROM answer WHERE answer.run = r AND answer.request = q
      AND answer.provider = p LIMIT 1) AS held
    FROM unnest(requests, providers) WITH ORDINALITY AS given(q, p, nth) OFFSET 0) AS looked ORDER BY nth;
END $$;

-- Keeps answers, whoever brings them: of two the first stays. Returns the requests whose answer was new.
CREATE FUNCTION keep(r bigint, requests text[], providers text[], bodies bytea[])
RETURNS TABLE (kept_request text, kept_provider text) LANGUAGE plpgsql AS $$
DECLARE into_part bigint;
BEGIN
  LOOP
    SELECT id INTO into_part FROM part WHERE part.run = r AND is_open FOR SHARE;
    -- While it waited the part was closed.
    EXIT WHEN FOUND OR NOT EXISTS (SELECT FROM part WHERE part.run = r);
  END LOOP;
  RETURN QUERY INSERT INTO answer (run, part, request, provider, body)
    SELECT r, into_part, q, p, b FROM unnest(requests, providers, bodies) AS given(q, p, b)
    WHERE into_part IS NOT NULL AND NOT EXISTS (SELECT FROM answer WHERE answer.run = r AND answer.request = q AND answer.provider = p) AND NOT EXISTS (SELECT FROM archived WHERE archived.run = r AND archived.hash = hashtextextended(q || ' ' || p, 0)) ORDER BY q, p
    ON CONFLICT DO NOTHING RETURNING answer.request, answer.provider;
  DELETE FROM claim WHERE ctid = ANY (ARRAY(
    SELECT (SELECT claim.ctid FROM claim WHERE claim.run = r AND claim.request = q AND claim.provider = p) FROM unnest(requests, providers) AS given(q, p)));
END $$;

-- Notes answers that are in the run's cache alone.
CREATE FUNCTION note_archived(r bigint, requests text[], providers text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO archived SELECT DISTINCT r, hashtextextended(q || ' ' || p, 0) FROM unnest(requests, providers) AS given(q, p)
  WHERE NOT EXISTS (SELECT FROM answer WHERE answer.run = r AND answer.request = q AND answer.provider = p) ON CONFLICT DO NOTHING
$$;

-- Asks the coordinator to bring answers back.
CREATE FUNCTION want(r bigint, requests text[], providers text[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO wanted SELECT DISTINCT r, q, p FROM unnest(requests, providers) AS given(q, p)
  WHERE EXISTS (SELECT FROM archived WHERE archived.run = r AND archived.hash = hashtextextended(q || ' ' || p, 0)) ORDER BY q, p ON CONFLICT DO NOTHING
$$;

-- Brings answers back; those without a body are not there, and may be asked for.
CREATE FUNCTION bring_back(r bigint, requests text[], providers text[], bodies bytea[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM archived USING unnest(requests, providers) AS given(q, p) WHERE archived.run = r AND archived.hash = hashtextextended(q || ' ' || p, 0);
  PERFORM keep(r, array_agg(q), array_agg(p), array_agg(b)) FROM unnest(requests, providers, bodies) AS given(q, p, b)
    WHERE b IS NOT NULL HAVING count(*) > 0;
  DELETE FROM wanted USING unnest(requests, providers) AS given(q, p)
    WHERE wanted.run = r AND wanted.request = q AND wanted.provider = p;
END $$;
