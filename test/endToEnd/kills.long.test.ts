import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { cases } from '../support/cases.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import {
  acknowledged,
  cachedModelAnswers,
  interrupt,
  lostLines,
  orphanLines,
} from './support/interruptedRun.ts';
import { sharedFolder } from './support/sharedFolder.ts';
import { startTeacherProcess, type TeacherProcess } from './support/startTeacherProcess.ts';

/** Times that a run is killed; COA_KILLS=100 asks for a hundred, COA_KILL_SEED for the moments of an earlier run. */
const kills = cases(20, 'COA_KILLS');
const seed = Number(process.env.COA_KILL_SEED ?? 1);
/** Tasks at once; each has one request in flight at most. */
const CONCURRENCY = 4;
const TASKS = 28;
/** Taken in windows, of which the last rows are cut off. */
const ROWS = 14;
/** Rolled out again while it is unsolved: which rollouts there are must not depend on when they end. */
const ROLLOUTS = 'rollouts: { max: 3, until: first_correct }, on_wrong: hint, sampling: { seed: 0 }';
const LATENCY_MS = 8;
/** When a run is ended: a share of the undisturbed run's time, or of its requests. */
const momentArbitrary = fc.noBias(fc.integer({ min: 0, max: 999 })).map((n) => n / 1000);
// More than are needed: a moment may come after the run's end, which is no kill.
const shares = fc.sample(momentArbitrary, { numRuns: 4 * kills, seed });
/** How a run is ended, and how often. */
const endings = [
  ['SIGKILL', kills],
  ['SIGTERM', Math.ceil(kills / 4)],
] as const;

const cwd = sharedFolder();
const run = join(cwd, 'runs/coa');
let teacher: TeacherProcess;
/** What the undisturbed run asked, in any order, and what it made. */
let asked: string[];
let dataset: Record<string, string>;
let wholeMs: number;

beforeAll(async () => {
  const tasks = riverTasks(TASKS);
  const planted = 'planted: { wrong_answer: 0.3, malformed_json_once: 0.1, malformed_json: 0.55 }';
  const more = `target: { rows: ${ROWS} }\nselect: { best_of: { per_task: 1 } }\n`;
  const settings = { folder: cwd, tasks: jsonLines(tasks), more };
  createProject({ ...settings, teacher: `{ backend: answer_key, ${ROLLOUTS}, ${planted} }` });
  teacher = await startTeacherProcess(cwd, LATENCY_MS);
  // Two answers without JSON right after a resume would make the run ask in another format.
  const endpoint = `{ base_url: "${teacher.baseUrl}", api_key_env: "", structured_answers: openai_schema }`;
  createProject({
    ...settings,
    teacher: `{ model: m, concurrency: ${CONCURRENCY}, endpoint: ${endpoint}, ${ROLLOUTS}, ${planted} }`,
  });
  const whole = await interrupt(cwd, run, 'SIGKILL', () => new Promise(() => {}));
  expect(whole.code, whole.stderr).toBe(0);
  wholeMs = durationMs();
  asked = teacher.asked().sort();
  dataset = folderHashes(join(run, 'dataset'));
  expect(new Set(asked).size).toBe(asked.length);
  expect(cachedModelAnswers(run)).toBe(asked.length);
  const { entered } = JSON.parse(readFileSync(join(run, 'rollout/stage.json'), 'utf8'));
  const { windows } = JSON.parse(readFileSync(join(run, 'target.json'), 'utf8'));
  const worked = windows.at(-1).tasks.mhqa;
  expect(windows.length).toBeGreaterThan(1);
  expect(worked).toBeLessThan(TASKS);
  expect(entered).toBeGreaterThan(worked);
  expect(entered).toBeLessThan(4 * worked);
  expect(JSON.parse(readFileSync(join(run, 'dataset/manifest.json'), 'utf8')).rows).toBe(ROWS);
  beginAnew();
});

afterAll(() => teacher?.stop());

function beginAnew(): void {
  rmSync(run, { recursive: true, force: true });
  teacher.forget();
}

/** From the first to the last event of the run. */
function durationMs(): number {
  const lines = readFileSync(join(run, 'events.jsonl'), 'utf8').trimEnd().split('\n');
  const at = (line: string) => Date.parse(JSON.parse(line).at);
  return at(lines.at(-1)!) - at(lines[0]!);
}

/** Waits for a time, or for some more requests: time lands in every stage, requests in the middle of conversations. */
async function momentOf(share: number, countsRequests: boolean): Promise<void> {
  if (!countsRequests) return void (await delay(share * wholeMs));
  const until = teacher.asked().length + Math.ceil((share * asked.length) / 3);
  await waitUntil(`request ${until}`, () => teacher.asked().length >= until, { everyMs: 1 });
}

/**
 * Ends the run at a moment, over and over; a run that was complete by then is looked at and started over.
 *
 * @returns model calls that were in flight, over all kills
 */
async function endAtMoments(signal: NodeJS.Signals, times: number): Promise<number> {
  let inFlight = 0;
  let all = 0;
  let ended = 0;
  for (const [n, share] of shares.entries()) {
    const before = acknowledged(run);
    const { code, stderr } = await interrupt(cwd, run, signal, () => momentOf(share, n % 2 === 1));
    expect([null, 0, 143], stderr).toContain(code);
    await teacher.settled();
    expect(lostLines(before, run)).toEqual([]);
    expect(orphanLines(run)).toEqual([]);
    const unanswered = teacher.asked().length - inFlight - cachedModelAnswers(run);
    // Every request is either answered and on the disk, or one of those that were in flight at a kill.
    expect(unanswered).toBeGreaterThanOrEqual(0);
    expect(unanswered).toBeLessThanOrEqual(CONCURRENCY);
    inFlight += unanswered;
    all += unanswered;
    if (code !== 0 && ++ended === times) break;
    if (code !== 0) continue;
    expectUndisturbed(inFlight);
    beginAnew();
    inFlight = 0;
  }
  expect(ended).toBe(times);
  expect((await runCli(['run'], { cwd })).code).toBe(0);
  expectUndisturbed(inFlight);
  return all;
}

/** The finished run asked what the undisturbed one asked, and again only what was in flight when it was ended. */
function expectUndisturbed(inFlight: number): void {
  expect(folderHashes(join(run, 'dataset'))).toEqual(dataset);
  const requests = teacher.asked();
  expect([...new Set(requests)].sort()).toEqual(asked);
  expect(requests.length - asked.length).toBe(inFlight);
}

test.each(endings)(
  `%s at %i random moments (seed ${seed}): nothing is lost, no answered call is repeated`,
  async (signal, times) => {
    beginAnew();
    const inFlight = await endAtMoments(signal, times);
    // A stop drains; a kill lands among requests at least where it waited for some.
    if (signal === 'SIGKILL') expect(inFlight).toBeGreaterThan(0);
    process.stdout.write(
      `${times} times ${signal} (COA_KILL_SEED=${seed}): ${inFlight} calls in flight were made again; an undisturbed run makes ${asked.length}\n`,
    );
  },
  300_000 + kills * 20_000,
);

test('a torn line, and a cache whose log was torn too, are pending and nothing else', async () => {
  beginAnew();
  await interrupt(cwd, run, 'SIGKILL', () => momentOf(0.9, true));
  await teacher.settled();
  const answered = cachedModelAnswers(run);
  const inFlight = teacher.asked().length - answered;
  for (const file of ['rollout/records.jsonl', 'cache.sqlite-wal']) {
    expect(existsSync(join(run, file)), file).toBe(true);
    appendFileSync(join(run, file), '{"index": 1, "torn');
  }
  expect((await runCli(['run'], { cwd })).code).toBe(0);
  expectUndisturbed(inFlight);
});

test('a cache of which nothing can be read costs the calls of unfinished tasks alone', async () => {
  beginAnew();
  await interrupt(cwd, run, 'SIGKILL', () => momentOf(1.8, true));
  await teacher.settled();
  const answered = teacher.asked().length;
  for (const file of ['cache.sqlite', 'cache.sqlite-wal']) writeFileSync(join(run, file), 'x'.repeat(5_000));
  const resumed = await runCli(['run'], { cwd });
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toContain('cache.sqlite is damaged: it is kept as');
  expect(folderHashes(join(run, 'dataset'))).toEqual(dataset);
  const repeated = teacher.asked().length - asked.length;
  process.stdout.write(`a lost cache: ${repeated} of ${answered} calls were made again\n`);
  expect(repeated).toBeLessThan(answered / 4);
});

test('a disk that is full in the middle of the rollout costs nothing that was answered', async () => {
  beginAnew();
  const out = temporaryFolder();
  // A file system in memory, most of which is taken: it fills up during the rollout, then room is made.
  const script = `cp coa.yaml *.jsonl "$0" && cd "$0" && head -c ${23 << 20} /dev/zero > taken
"$@"; code=$?; cp -r runs "${out}/full"; rm taken; "$@" || exit 1; cp -r runs "${out}/runs"; exit $code`;
  const small = join(cwd, 'small');
  const through = ['bwrap', '--dev-bind', '/', '/', '--size', `${24 << 20}`, '--tmpfs', small];
  const { code, stderr } = await runCli(['run'], { cwd, through: [...through, 'bash', '-c', script, small] });
  expect(stderr).toMatch(/^error: cannot write .*: the disk is full \(ENOSPC\); free space/m);
  expect(code).toBe(2);
  expect(existsSync(join(out, 'full/coa/dataset'))).toBe(false);
  const answered = cachedModelAnswers(join(out, 'full/coa'));
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThan(asked.length);
  expect(lostLines(acknowledged(join(out, 'full/coa')), join(out, 'runs/coa'))).toEqual([]);
  expect(folderHashes(join(out, 'runs/coa/dataset'))).toEqual(dataset);
  const repeated = teacher.asked().length - asked.length;
  expect(repeated).toBeLessThanOrEqual(CONCURRENCY);
});
