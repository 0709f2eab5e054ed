import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { calibrationLineSchema } from '../../schemas/judgeCalibration.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { ReviewLine } from '../../schemas/run/reviewLine.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { appendReview, readReviews } from '../../stages/review/reviewFile.ts';
import type { RecordReviewsAnswer, ReviewAnswer, ReviewRequest } from '../../viewer/api.ts';
import { startViewer } from '../../viewer/startViewer.ts';
import { createProject, jsonLines, sampleTasks } from '../cli/support/project.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { checkDataset } from '../support/checkDataset.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { copyOf, temporaryFolder } from '../support/temporaryFolder.ts';
import { sharedFolder } from './support/sharedFolder.ts';

const project = sharedFolder();
let kept: Trajectory[];

beforeAll(async () => {
  createProject({ folder: project, tasks: jsonLines(sampleTasks.slice(0, 5)) });
  await runWell(['run'], { cwd: project });
  kept = [];
  for await (const { record } of stageRecords(join(project, 'runs/coa'), 'filter', trajectorySchema))
    kept.push(record);
});

/** The project again: its run can be reviewed. */
function reviewedProject() {
  const cwd = copyOf(project);
  const run = join(cwd, 'runs/coa');
  const say = (author: string, of: Trajectory, word: Partial<ReviewLine>) =>
    appendReview(run, {
      record_id: of.id,
      task_id: of.task_id,
      author,
      at: '2026-11-22T10:00:00.000Z',
      verdict: 'accept',
      ...word,
    });
  const coa = (...args: string[]) => runCli(args, { cwd });
  return { cwd, run, say, coa };
}

const wrong = { verdict: 'reject', reason: 'wrong_answer' } as const;
const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
const idsIn = (run: string) =>
  linesOf(join(run, 'dataset/trajectories.jsonl')).map((line) => JSON.parse(line).id as string);

/** The viewer of a run over HTTP, as a browser that has opened its address. */
async function openViewer(run: string, author?: string) {
  vi.stubEnv('XDG_CACHE_HOME', temporaryFolder());
  const viewer = await startViewer({ given: [run], port: 0, author });
  onTestFinished(() => viewer.close());
  const origin = `http://127.0.0.1:${viewer.port}`;
  const entered = await fetch(viewer.address(), { redirect: 'manual' });
  const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
  const get = async <T>(path: string) =>
    (await (await fetch(`${origin}/api/sources/coa/review${path}`, { headers: { cookie } })).json()) as T;
  const post = (key: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${origin}/api/sources/coa/review/${key}`, {
      method: 'POST',
      headers: { cookie, origin, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  // A first look at a run is not waited for longer than a page should take.
  const ended = '?state=kept&state=dropped';
  const isThere = async () => expect((await get<ReviewAnswer>(ended)).found).toBe(kept.length);
  await vi.waitFor(isThere, { timeout: 120_000 });
  return { get, post };
}

const reviewOf = ({ id }: Trajectory, word: Partial<ReviewRequest> = {}): ReviewRequest => ({
  record_id: id,
  verdict: 'accept',
  ...word,
});

test('what reviewers say in the viewer changes the dataset, asks nobody, and can be taken back', async () => {
  const { run, coa, cwd } = reviewedProject();
  const before = folderHashes(join(run, 'dataset'));
  const earlier = () => ['rollout', 'judge', 'filter'].map((stage) => folderHashes(join(run, stage)));
  const [found, asked] = [earlier(), linesOf(join(run, 'teacher/requests.jsonl')).length];
  const [rejected, good] = [kept[0]!, kept[1]!];
  const { get, post } = await openViewer(run, 'ada');
  const queue = await get<ReviewAnswer>('?state=kept&sample=3&seed=4');
  expect(queue).toMatchObject({
    author: 'ada',
    found: kept.length,
    command: `coa-distill run ${join(cwd, 'coa.yaml')} --name coa`,
  });
  expect(queue.queue).toHaveLength(3);
  expect((await get<ReviewAnswer>('?state=kept&sample=2&seed=4')).queue).toEqual(queue.queue.slice(0, 2));
  const answer = await post(rejected.task_id, reviewOf(rejected, { ...wrong, note: 'River 9' }));
  expect((await answer.json()) as RecordReviewsAnswer).toMatchObject({
    reviews: [{ author: 'ada', ...wrong }],
  });
  expect((await post(good.task_id, reviewOf(good))).status).toBe(200);

  const planned = await coa('run', '--dry-run');
  expect(planned.stdout).toMatch(/review +to do\n.*export +stale: input changed/);
  const result = await coa('run');
  expect(result.code, result.stderr).toBe(0);
  expect(earlier()).toEqual(found);
  expect(linesOf(join(run, 'teacher/requests.jsonl'))).toHaveLength(asked);
  expect(idsIn(run)).toEqual(kept.slice(1).map(({ id }) => id));
  const trained = await checkDataset(join(run, 'dataset'));
  expect(trained.rows).toBe(kept.length - 1);
  const [entry] = linesOf(join(run, 'review/ledger.jsonl')).map((line) => JSON.parse(line) as LedgerEntry);
  expect(entry).toMatchObject({
    reason: 'rejected_by_reviewer',
    record_id: rejected.id,
    evidence: {
      reviews: [{ author: 'ada', reason: 'wrong_answer', note: 'River 9', at: expect.any(String) }],
    },
  });
  const check = await coa('check', 'runs/coa/dataset/tokenized', '--json');
  expect(check.code, check.stdout).toBe(0);
  expect(readFileSync(join(run, 'dataset/trajectories.jsonl'), 'utf8')).not.toMatch(/\bada\b/);
  const after = folderHashes(join(run, 'dataset'));
  await post(good.task_id, reviewOf(good, { note: 'really' }));
  const unchanged = await coa('run');
  expect(folderHashes(join(run, 'dataset')), unchanged.stderr).toEqual(after);
  await post(rejected.task_id, reviewOf(rejected, { verdict: 'unset' }));
  expect((await coa('run', '--json')).code).toBe(0);
  expect(folderHashes(join(run, 'dataset'))).toEqual(before);
  rmSync(cwd, { recursive: true });
});

test('only the page of a viewer that was started for a reviewer is heard', async () => {
  const { run } = reviewedProject();
  const [first] = kept as [Trajectory];
  const good = reviewOf(first);
  const { get, post } = await openViewer(run, 'ada');
  const status = async (body: unknown, headers?: Record<string, string>) =>
    (await post(first.task_id, body, headers)).status;
  expect(await status(good, { cookie: '' })).toBe(403);
  expect(await status(good, { origin: 'http://evil.example' })).toBe(403);
  expect(await status(good, { origin: '' })).toBe(403);
  expect(await status(good, { 'sec-fetch-site': 'cross-site' })).toBe(403);
  expect(await status(good, { 'content-type': 'text/plain' })).toBe(415);
  expect(await status('{"verdict":')).toBe(400);
  expect(await status({ ...good, author: 'ben' })).toBe(400);
  expect(await status({ ...good, verdict: 'reject' })).toBe(400);
  expect(await status({ ...good, note: 'x'.repeat(4_001) })).toBe(400);
  expect(await status({ ...good, record_id: 'trajectory_other' })).toBe(400);
  expect((await post('nowhere', good)).status).toBe(400);
  expect((await get<RecordReviewsAnswer>(`/${first.task_id}`)).reviews).toEqual([]);
  const reader = await openViewer(run);
  expect((await reader.post(first.task_id, good)).status).toBe(405);
  expect((await reader.get<ReviewAnswer>('?state=kept')).author).toBeNull();
  // Where nobody reads on, the connection may be closed before the answer is read.
  const long = status({ ...good, note: 'x'.repeat(300_000) });
  expect(await long.catch(() => 413)).toBe(413);
  expect(existsSync(join(run, 'reviews.jsonl'))).toBe(false);
});

describe('where reviewers differ', () => {
  test('the rule decides, and other runs of the same records keep the reviews', async () => {
    const { run, say, coa, cwd } = reviewedProject();
    const [first, second, third] = kept as [Trajectory, Trajectory, Trajectory];
    await say('ada', first, wrong);
    await say('ben', first, {});
    await say('ada', second, {});
    await say('ben', second, {});
    await say('ada', third, { record_id: 'trajectory_gone', ...wrong });
    const any = await coa('run');
    expect(any.code, any.stderr).toBe(0);
    expect(any.stderr).toMatch(/review +trajectory_gone: reviewed, but the run has no such record/);
    expect(idsIn(run)).not.toContain(first.id);
    const majority = await coa('refilter', 'coa', '--set', 'review.rule=majority', '--name', 'most');
    expect(majority.code, majority.stderr).toBe(0);
    const most = join(cwd, 'runs/most');
    expect(idsIn(most)).toContain(first.id);
    await appendReview(most, {
      record_id: first.id,
      task_id: first.task_id,
      author: 'cleo',
      at: '2026-11-22T11:00:00Z',
      ...wrong,
    });
    const again = await coa('refilter', 'coa', '--set', 'review.rule=majority', '--name', 'most');
    expect(again.code, again.stderr).toBe(0);
    expect(idsIn(most)).not.toContain(first.id);
    const { get } = await openViewer(run);
    expect(await get<ReviewAnswer>('?state=kept')).toMatchObject({
      unknown: [{ record_id: 'trajectory_gone', author: 'ada' }],
      reviewers: [
        { author: 'ada', accepted: 1, rejected: 2 },
        { author: 'ben', accepted: 2, rejected: 0 },
      ],
    });
  });

  test('their labels measure the judge', async () => {
    const { say, coa } = reviewedProject();
    const [first, second, third, fourth] = kept as [Trajectory, Trajectory, Trajectory, Trajectory];
    await say('ada', first, wrong);
    await say('ada', second, {});
    await say('ada', third, {});
    await say('ben', third, wrong);
    await say('ada', fourth, { verdict: 'reject', reason: 'bad_reasoning' });
    const result = await coa('evaluate', 'judge', '--reviews', 'coa', '--json');
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).toContain('left out: 1 whose reviewers differ');
    const lines = calibrationLines(result.stdout);
    expect(lines).toEqual([
      { disagreement: expect.objectContaining({ label: 'incorrect', judged: 'correct' }) },
      { totals: expect.objectContaining({ rows: 2, correct: 1 }) },
    ]);
    expect((await coa('evaluate', 'judge')).code).toBe(2);
  });
});

const calibrationLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => calibrationLineSchema.parse(JSON.parse(line)));

test('several processes add to the file at once, and a torn last line is left out with a word', async () => {
  const { run, say } = reviewedProject();
  const [first] = kept as [Trajectory];
  const module = pathToFileURL(join(import.meta.dirname, '../../stages/review/reviewFile.ts')).href;
  const program = `const { appendReview } = await import('${module}');
    for (let n = 0; n < 10; n++) await appendReview(${JSON.stringify(run)}, { record_id: 'x' + n, task_id: 't',
      author: process.argv[1], at: '2026-11-22T10:00:00Z', verdict: 'accept' });`;
  const others = ['ben', 'cleo'].map((name) =>
    once(spawn(process.execPath, ['--input-type=module', '-e', program, name], { stdio: 'inherit' }), 'exit'),
  );
  await Promise.all(Array.from({ length: 10 }, (_, n) => say('ada', first, { record_id: `y${n}` })));
  expect(await Promise.all(others)).toEqual([
    [0, null],
    [0, null],
  ]);
  const told: string[] = [];
  const read = () => readReviews(run, (line) => told.push(line));
  expect(await read()).toHaveLength(30);
  appendFileSync(join(run, 'reviews.jsonl'), '{"record_id":"torn');
  expect(await read()).toHaveLength(30);
  expect(told).toEqual([expect.stringContaining('the last line of reviews.jsonl is left out')]);
  await say('ada', first, {});
  expect(await read()).toHaveLength(31);
  const lines = linesOf(join(run, 'reviews.jsonl'));
  writeFileSync(join(run, 'reviews.jsonl'), `${lines.join('\n').replace('"ben"', '"bob"')}\n`);
  await expect(read()).rejects.toThrow(/reviews\.jsonl:\d+: damaged \(its checksum is wrong\)/);
});
