import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { SharedDatabase } from '../../../pipeline/workers/database/sharedDatabase.ts';
import { startCli } from '../../cli/support/runCli.ts';
import { type Postgres, startPostgres } from '../../support/startPostgres.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** A server for all tests of a file, and what they start at it. */
export function usePostgres() {
  let server: Postgres | undefined;
  beforeAll(() => {
    server = startPostgres();
  });
  afterAll(() => server?.stop());
  return {
    get url() {
      return server!.url;
    },
    get socket() {
      return server!.socket;
    },
    /** A connection that ends with the test. */
    async open(options?: Parameters<typeof SharedDatabase.open>[2]): Promise<SharedDatabase> {
      const database = await SharedDatabase.open(server!.url, () => {}, options);
      onTestFinished(() => database.close());
      return database;
    },
    /** A worker that is killed with the test. */
    startWorker(flags: readonly string[] = [], cwd = temporaryFolder()): ChildProcess {
      const worker = startCli(['workers', 'join', server!.url, ...flags], { cwd });
      onTestFinished(() => void worker.kill('SIGKILL'));
      return worker;
    },
  };
}
