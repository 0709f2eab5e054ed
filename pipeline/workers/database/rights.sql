-- Least rights, for users that are members of a role of this name: whoever owns the tables grants them once it exists.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'coa_worker')
    OR NOT (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'coa_distill') THEN RETURN; END IF;
  IF has_schema_privilege('coa_worker', 'coa_distill', 'USAGE') THEN RETURN; END IF;
  GRANT USAGE ON SCHEMA coa_distill TO coa_worker;
  GRANT EXECUTE ON FUNCTION find_run, join_run, leave_run, heartbeat, claim_shard, put_outcomes, ask, find_answers, want, keep, settle,
    take_turn TO coa_worker;
  GRANT SELECT ON run, answer TO coa_worker;
  GRANT UPDATE (state, reason) ON run TO coa_worker;
  GRANT SELECT, INSERT, UPDATE ON file TO coa_worker;
  GRANT INSERT ON call TO coa_worker;
  GRANT SELECT, DELETE ON claim TO coa_worker;
END $$;
