import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sha256Hex } from '../../base/ids.ts';
import { systemClock } from '../../base/systemClock.ts';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import { Membership } from '../../pipeline/workers/database/membership.ts';
import { SharedAnswerCache } from '../../pipeline/workers/database/sharedAnswerCache.ts';
import { openSharedAnswers } from '../../pipeline/workers/sharedAnswers.ts';
import type { CachedAnswer } from '../../schemas/run/cachedAnswer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { usePostgres } from './support/usePostgres.ts';

const postgres = usePostgres();

/** Longer than a page, and hard to compress. */
function answerOf(n: number): CachedAnswer {
  const noise = Array.from({ length: 200 }, (_, at) => sha256Hex(`${n} ${at}`)).join('');
  const finding = { takes_no_tools: noise };
  const [request, created_at] = [sha256Hex(String(n)), '2026-01-01T00:00:00.000Z'];
  return {
    kind: 'finding',
    request,
    provider: 'p',
    name: 'm',
    sample: 0,
    task_id: '',
    created_at,
    answer: finding,
  };
}

test('answers leave the database for the run folder while it goes on, and come back when they are wanted', async () => {
  const database = await postgres.open();
  const file = join(temporaryFolder(), 'cache.sqlite');
  // A session before had one answer already.
  const earlier = await SqliteAnswerCache.open(file, () => {});
  await earlier.store(answerOf(0));
  await earlier.close();
  const sql = `INSERT INTO run (key, place, name, version, lease_s) VALUES ('k', 'p', 'n', 'x', 600) RETURNING id::text`;
  const [row] = await database.query<{ id: string }>(sql);
  const run = row!.id;
  const left = await openSharedAnswers(database, run, { file, mostMb: 0.8, log: () => {} });
  const load = () => ({ room: 0, working: 0 });
  const part = { isCoordinator: false, leaseS: 600, clock: systemClock, load, onState: () => {} };
  const member = await Membership.join({ database, run, name: 'a', ...part });
  const answers = new SharedAnswerCache(database, { run, worker: member.id });
  const held = async () =>
    (await database.query<{ count: number }>('SELECT count(*)::int AS count FROM answer'))[0]!.count;
  const { signal } = new AbortController();
  let asked = 0;
  const ask = async (n: number) => {
    const key = answerOf(n);
    return answers.alone(key, signal, async () => {
      const kept = await answers.lookup(key);
      if (kept) return kept;
      asked++;
      return answers.store(answerOf(n));
    });
  };

  for (let round = 0; round < 12; round++) {
    await Promise.all(Array.from({ length: 20 }, (_, at) => ask(1 + 20 * round + at)));
    await left.look();
  }
  expect(asked).toBe(240);
  // Older ones are in the run's folder alone.
  const heldLater = async () => {
    await left.look();
    return held();
  };
  await expect.poll(heldLater, { timeout: 60_000 }).toBeLessThan(160);

  const looking = setInterval(() => void left.bringBack(), 20);
  onTestFinished(() => clearInterval(looking));
  const again = await Promise.all(Array.from({ length: 241 }, (_, n) => ask(n)));
  clearInterval(looking);
  expect(again).toEqual(Array.from({ length: 241 }, (_, n) => answerOf(n)));
  expect(asked).toBe(240);
  // Late and different: the first one stays.
  expect(await answers.store({ ...answerOf(1), name: 'late' })).toEqual(answerOf(1));

  await member.leave();
  await left.fetchAll();
  await left.close();
  const cache = await SqliteAnswerCache.open(file, () => {});
  onTestFinished(() => cache.close());
  for (let n = 0; n <= 240; n++) expect(await cache.lookup(answerOf(n))).toEqual(answerOf(n));
  await database.query('DELETE FROM run WHERE id = $1', [run]);
  const tables = `SELECT FROM pg_class WHERE relnamespace = 'coa_distill'::regnamespace AND relispartition`;
  expect(await database.query(tables)).toEqual([]);
});

test('a claim looks at its own rows alone, however many requests are in flight', async () => {
  const database = await postgres.open();
  const sql = `INSERT INTO run (key, place, name, version, lease_s) VALUES ('f', 'f', 'n', 'x', 600) RETURNING id::text`;
  const [row] = await database.query<{ id: string }>(sql);
  const join = 'SELECT join_run($1, $2, false)::text AS id';
  const [worker] = await database.query<{ id: string }>(join, [row!.id, 'a']);
  const claim = (from: number, count: number) => {
    const requests = Array.from({ length: count }, (_, at) => sha256Hex(`${from + at}`));
    const ask = `SELECT state FROM ask($1, $2, $3)`;
    return database.query(ask, [worker!.id, requests, requests.map(() => 'p')]);
  };
  const looked = async () => {
    await database.query('SELECT pg_stat_force_next_flush()');
    const counted = `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables WHERE relname = 'claim'`;
    return (await database.query<{ rows: number }>(counted))[0]!.rows;
  };
  for (let n = 0; n < 32; n++) await claim(64 * n, 64);
  const before = await looked();
  for (let n = 32; n < 64; n++) await claim(64 * n, 64);
  expect((await looked()) - before).toBeLessThanOrEqual(3 * 32 * 64);
  await database.query('DELETE FROM run WHERE id = $1', [row!.id]);
});
