-- Functions act with the rights of who made them, so that a worker needs none to the tables behind them. A later file
-- that makes a function has to repeat this.
DO $$ DECLARE f regprocedure; BEGIN
  FOR f IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'coa_distill'::regnamespace LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = coa_distill, pg_temp', f);
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$;
