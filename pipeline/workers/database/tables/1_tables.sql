-- What the coordinator and the workers of runs share. All times are the server's. A worker's lease covers its shards, its
-- claims of requests and its money, so that they are lost together: each function that lets it go on locks its row first,
-- and whoever takes the lease away changes that row.

CREATE TABLE run (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL UNIQUE, place text NOT NULL, name text NOT NULL, version text NOT NULL,
  state text NOT NULL DEFAULT 'preparing', reason text, body bytea,
  lease_s float8 NOT NULL,
  cap_usd float8, cap_tokens float8,
  -- Tasks that were given up because their workers were lost each time.
  set_aside int NOT NULL DEFAULT 0,
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
  -- It fell silent, and others ended it.
  lost boolean NOT NULL DEFAULT false,
  room int NOT NULL DEFAULT 0, working int NOT NULL DEFAULT 0,
  -- 'drain', 'stop' or 'leave': what it is to do.
  command text,
  -- The error with which it left.
  why text,
  -- Processor time of its process since it joined.
  cpu_ms float8 NOT NULL DEFAULT 0,
  joined_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE share (
  worker bigint PRIMARY KEY REFERENCES worker ON DELETE CASCADE, run bigint NOT NULL,
  granted_usd float8 NOT NULL DEFAULT 0, granted_tokens float8 NOT NULL DEFAULT 0,
  aside_usd float8 NOT NULL DEFAULT 0, aside_tokens float8 NOT NULL DEFAULT 0,
  spent_usd float8 NOT NULL DEFAULT 0, spent_tokens float8 NOT NULL DEFAULT 0,
  attempts bigint NOT NULL DEFAULT 0, in_flight int NOT NULL DEFAULT 0 CHECK (in_flight >= 0),
  batch bigint NOT NULL DEFAULT 0, admitted int NOT NULL DEFAULT 0,
  -- Blocks of the cap that it was granted; shards that it finished and the coordinator fetched, and their records.
  blocks int NOT NULL DEFAULT 0, shards int NOT NULL DEFAULT 0, records bigint NOT NULL DEFAULT 0
);
CREATE INDEX share_run ON share (run);
CREATE TABLE shard (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  stage text NOT NULL, keys text[] NOT NULL, inputs bytea NOT NULL,
  -- 'ready', 'taken', 'done', or 'lost': its workers fell silent too often.
  state text NOT NULL DEFAULT 'ready', owner bigint, fence int NOT NULL DEFAULT 0,
  losses int NOT NULL DEFAULT 0,
  -- One task that is suspected.
  alone boolean NOT NULL DEFAULT false
);
CREATE INDEX shard_state ON shard (run, state, id);
CREATE INDEX shard_owner ON shard (owner) WHERE state = 'taken';
CREATE TABLE outcome (
  shard bigint NOT NULL REFERENCES shard ON DELETE CASCADE, nth int NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (shard, nth)
);
CREATE TABLE part (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  is_open boolean NOT NULL DEFAULT true, is_copied boolean NOT NULL DEFAULT false
);
CREATE INDEX part_run ON part (run);
-- A table for each part.
CREATE TABLE answer (
  run bigint NOT NULL, part bigint NOT NULL,
  request text NOT NULL, provider text NOT NULL, body bytea NOT NULL,
  PRIMARY KEY (run, request, provider, part)
) PARTITION BY LIST (part);
-- Hashes of answers that are in the run's cache alone; a table for each run.
CREATE TABLE archived (run bigint NOT NULL, hash bigint NOT NULL, PRIMARY KEY (run, hash)) PARTITION BY LIST (run);
CREATE TABLE wanted (
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE,
  request text NOT NULL, provider text NOT NULL, PRIMARY KEY (run, request, provider)
);
CREATE TABLE claim (
  run bigint NOT NULL, request text NOT NULL, provider text NOT NULL, worker bigint NOT NULL,
  PRIMARY KEY (run, request, provider)
);
CREATE TABLE rate (
  run bigint NOT NULL REFERENCES run ON DELETE CASCADE, key text NOT NULL, next_at timestamptz NOT NULL,
  -- For people: whose limit of what it is, and how many units were given so far.
  provider text NOT NULL, counts text NOT NULL, per_minute float8 NOT NULL, given float8 NOT NULL DEFAULT 0,
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
