import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../base/systemClock.ts';
import { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';
import { workOnRuns } from '../../pipeline/workers/workOnRuns.ts';
import { runCli } from '../cli/support/runCli.ts';
import { type Postgres, startPostgres } from '../support/startPostgres.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

let postgres: Postgres;

beforeAll(() => {
  postgres = startPostgres();
});

afterAll(() => postgres?.stop());

test('a look at an empty database says that there is no run and makes nothing, and a worker of little rights waits', async () => {
  for (const [order, said] of [
    ['status', 'no run'],
    ['drain', 'no worker has a lease'],
    ['stop', 'no worker has a lease'],
  ]) {
    const looked = await runCli(['workers', order!, postgres.url], { cwd: temporaryFolder() });
    expect(looked).toMatchObject({ code: 0, stdout: `${said}\n`, stderr: '' });
  }
  const database = await SharedDatabase.open(postgres.url, () => {}, { makesTables: false });
  onTestFinished(() => database.close());
  expect(await database.hasTables()).toBe(false);
  await database.query('CREATE ROLE early LOGIN');
  const drain = new AbortController();
  const looks: number[] = [];
  const clock = {
    ...systemClock,
    async sleep(ms: number) {
      looks.push(ms);
      if (looks.length === 2) drain.abort();
    },
  };
  const [url, signal] = [postgres.url.replace('coa@', 'early@'), new AbortController().signal];
  await workOnRuns({ database: url, env: {}, clock, drain: drain.signal, signal, log: () => {} });
  expect(looks).toHaveLength(2);
  expect(await database.hasTables()).toBe(false);
});
