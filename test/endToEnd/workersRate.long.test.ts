import { expect, onTestFinished, test } from 'vitest';
import { SPACED_MINUTE_MS } from '../../calls/limits/rateBucket.ts';
import { createProject } from '../cli/support/project.ts';
import { runWell, startCli } from '../cli/support/runCli.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTeacherProcess } from './support/startTeacherProcess.ts';
import { usePostgres } from './support/usePostgres.ts';

/** So few that the run has to take longer than a minute. */
const perMinute = 150;
/** Between two turns. */
const spacingMs = SPACED_MINUTE_MS / perMinute;
/** From a turn to the arrival of its request: a minute holds no more than the limit where none takes longer. */
const lateMs = SPACED_MINUTE_MS - 60_000;

const postgres = usePostgres();

test('workers that reach a limit send in no minute more than it allows', async () => {
  const folder = temporaryFolder();
  const cwd = createProject({ folder });
  const teacher = await startTeacherProcess(cwd, 0);
  onTestFinished(() => teacher.stop());
  const endpoint = { base_url: teacher.baseUrl, api_key_env: '', requests_per_minute: perMinute };
  createProject({
    folder,
    teacher: JSON.stringify({ model: { model: 'm', endpoint }, concurrency: 4, turns: 'apart' }),
    more: 'scale: { shard_tasks: 4 }\n',
  });
  const turns = await watchTurns();
  const workers = [1, 2, 3].map(() => startCli(['workers', 'join', postgres.url], { cwd }));
  onTestFinished(() => {
    for (const worker of workers) worker.kill('SIGKILL');
  });
  for (const worker of workers) {
    worker.stdout!.resume();
    worker.stderr!.resume();
  }
  await runWell(['run', '--workers', postgres.url], { cwd });
  const { due, waited } = await turns();
  const came = teacher.times();
  expect(came.length).toBeGreaterThan(perMinute);
  expect(waited).toBeGreaterThan(0);
  // The database gives no minute more turns than the limit, and nobody sends before its turn.
  for (const [n, at] of due.entries()) {
    if (n > 0) expect(at - due[n - 1]!).toBeGreaterThanOrEqual(spacingMs - 0.01);
  }
  expect(due.length).toBeGreaterThanOrEqual(came.length);
  for (const [n, at] of came.entries()) expect(at).toBeGreaterThanOrEqual(due[n]! - 2);
  // On a machine that is too busy a request arrives long after it was sent.
  const late = came.filter((at, n) => at - due[n]! > lateMs).length;
  const most = teacher.mostInMinute();
  process.stdout.write(
    `${came.length} calls of 3 workers, ${waited} statements for turns that were not due yet; at most ${most} of ${perMinute} in a minute, ${late} came late\n`,
  );
  expect(most).toBeLessThanOrEqual(perMinute + late);
}, 600_000);

/** Notes the turns that the database gives: when each is due, and how many have to wait for it. */
async function watchTurns(): Promise<() => Promise<{ due: number[]; waited: number }>> {
  const database = await postgres.open();
  await database.query('CREATE TABLE turn (due float8, span_ms float8, wait_ms float8)');
  await database.query('ALTER FUNCTION take_turn RENAME TO give_turn');
  await database.query(`CREATE FUNCTION take_turn(r bigint, k text, p text, c text, m float8, u float8, span_ms float8) RETURNS float8 LANGUAGE plpgsql AS $$
    DECLARE wait_ms float8;
    BEGIN
      wait_ms := give_turn(r, k, p, c, m, u, span_ms);
      INSERT INTO turn SELECT extract(epoch FROM next_at) * 1000 - span_ms, span_ms, wait_ms
        FROM rate WHERE run = r AND key = k;
      RETURN wait_ms; END $$`);
  return async () => {
    const rows = await database.query<{ due: number; span_ms: number; wait_ms: number }>(
      'SELECT due, span_ms, wait_ms FROM turn ORDER BY due',
    );
    const due = rows.flatMap((row) =>
      Array.from({ length: Math.round(row.span_ms / spacingMs) }, (_, n) => row.due + n * spacingMs),
    );
    return { due, waited: rows.filter((row) => row.wait_ms > 1).length };
  };
}
