import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { sealedFile, sealedLine } from '../../base/journal/sealed.ts';
import type { CountsAnswer, JobAnswer, RecordAnswer, RunAnswer } from '../../viewer/api.ts';
import { askViewer } from './support/askViewer.ts';
import { writeJob } from './support/writtenResults.ts';
import { newRun, taskOf, trajectoryOf, type WrittenRun } from './support/writtenRun.ts';

/** A run whose one record is kept. */
function keptRun(): WrittenRun {
  const run = newRun('mine');
  run.emit('tasks', 'a', [taskOf('a', 'why')]);
  for (const stage of ['convert', 'judge', 'filter'] as const)
    run.emit(stage, 'a', [trajectoryOf('a', 'x', 'correct')]);
  const row = { split: 'train', row: 0, tokens: 120, trained_tokens: 40 };
  run.emit('export', 'a', [{ id: 'x', task_id: 'a', ...row }]);
  return run;
}

/** Seals a file of the run again with some of it changed, as another version would write it. */
function change(folder: string, name: string, changed: object): void {
  const { checksum: _, ...file } = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, name), sealedFile({ ...file, ...changed }));
}

/** Waits until all is read up to a stage: a first look at a run is not waited for longer than a page should take. */
async function untilRead(get: (path: string) => Promise<{ body: unknown }>, stage: string): Promise<void> {
  const facets = { stage: [{ value: stage, count: 1 }] };
  const isRead = async () =>
    expect((await get('/api/sources/mine/counts')).body).toMatchObject({ all: 1, facets });
  await vi.waitFor(isRead, { timeout: 120_000 });
}

const newerLine = `${sealedLine({ kind: 'newer' })}\n`;

interface Damage {
  readonly what: string;
  readonly where: string;
  readonly damage: (folder: string) => void;
}

test.each<Damage>([
  {
    what: 'spending of a newer version',
    where: 'spending.jsonl',
    damage: (folder) => writeFileSync(join(folder, 'spending.jsonl'), newerLine.repeat(2)),
  },
  {
    what: 'windows that are damaged',
    where: 'target.json',
    damage: (folder) => writeFileSync(join(folder, 'target.json'), '{'),
  },
  {
    what: 'a manifest of a newer version',
    where: 'dataset/manifest.json',
    damage: (folder) => {
      mkdirSync(join(folder, 'dataset'));
      writeFileSync(join(folder, 'dataset/manifest.json'), '{"format_version":9}');
    },
  },
  {
    what: 'a job of a newer version',
    where: 'train/newer/job.json',
    damage: (folder) => {
      mkdirSync(join(folder, 'train/newer'), { recursive: true });
      writeFileSync(join(folder, 'train/newer/job.json'), sealedFile({ format_version: 9 }));
    },
  },
])('$what is named, and all else is shown', async ({ where, damage }) => {
  const { folder } = keptRun();
  writeJob(folder, 'step 2 of 24');
  damage(folder);
  const { get } = await askViewer(folder);
  await untilRead(get, 'export');
  const of = '/api/sources/mine';
  const described = await get(of);
  expect(described.status, JSON.stringify(described.body)).toBe(200);
  const { problems, jobs, settings } = described.body as RunAnswer;
  expect(problems).toEqual([expect.stringContaining(where)]);
  expect(settings).toEqual({ dataset: {} });
  expect(jobs.map(({ record }) => record.job)).toEqual(['sft']);
  const record = await get(`${of}/records/a`);
  expect(record.status).toBe(200);
  expect((record.body as RecordAnswer).weights).toEqual([1, 0]);
  const job = await get(`${of}/jobs/sft`);
  expect((job.body as JobAnswer).printed).toBe('step 2 of 24');
  const other = await get(`${of}/jobs/newer`);
  expect(other).toMatchObject({ status: 400, body: { error: expect.stringContaining('newer') } });
});

test.each([
  ['of a newer version', (folder: string) => change(folder, 'filter/stage.json', { stale: 'newer' })],
  ['damaged', (folder: string) => writeFileSync(join(folder, 'filter/stage.json'), 'x')],
])('records are shown up to a stage whose file is %s, which every page names', async (_, damage) => {
  const { folder } = keptRun();
  damage(folder);
  const { get } = await askViewer(folder);
  const of = '/api/sources/mine';
  await untilRead(get, 'judge');
  const { progress } = (await get(`${of}/counts`)).body as CountsAnswer;
  expect(progress.problem).toContain('filter/stage.json: damaged, or of another version');
  const { body } = await get(of);
  expect((body as RunAnswer).problems).toEqual([expect.stringContaining('filter/stage.json')]);
  const record = (await get(`${of}/records/a`)).body as RecordAnswer;
  expect(record.steps.map(({ stage }) => stage)).toEqual(['tasks', 'convert', 'judge']);
});

test('settings of a newer version show where they are not needed, and are named where they are', async () => {
  const { folder } = keptRun();
  change(folder, 'run.json', {
    config: { dataset: { mask: 7 }, review: { rule: 'newer' }, profiles: 7, teacher: 7, filters: 7 },
  });
  const { get } = await askViewer(folder);
  await untilRead(get, 'export');
  const of = '/api/sources/mine';
  expect((await get(of)).status).toBe(200);
  const record = await get(`${of}/records/a`);
  expect(record.status, JSON.stringify(record.body)).toBe(200);
  expect((record.body as RecordAnswer).trajectory?.task_id).toBe('a');
  for (const [path, section] of [
    ['records/a/tokens', 'profiles'],
    ['review', 'review'],
  ]) {
    const { status, body } = await get(`${of}/${path}`);
    expect([path, status]).toEqual([path, 400]);
    const { error } = body as { error: string };
    expect(error).toContain(section);
    expect(error, 'a sentence, no dump').not.toMatch(/[{\n]/);
  }
});

test('a run of a newer version is told by its version, and not to be removed', async () => {
  const { folder } = keptRun();
  const { get } = await askViewer(folder);
  change(folder, 'run.json', { format_version: 2, coa_distill_version: '9.1.0' });
  const { status, body } = await get('/api/sources/mine');
  const { error } = body as { error: string };
  expect([status, error]).toEqual([400, expect.stringMatching(/version 9\.1\.0.*update coa-distill/)]);
  expect(error).not.toContain('remove');
});

test('a failure of a cause that is not known is shown with a record that has it', async () => {
  const run = newRun('mine');
  run.emit('tasks', 'a', [taskOf('a', 'why')]);
  const failure = { cause: 'newer', message: 'so it was', retryable: true, evidence: {} };
  run.end('rollout', { task_id: 'a', kind: 'fail', failure });
  const { get } = await askViewer(run.folder);
  await untilRead(get, 'rollout');
  const { status, body } = await get('/api/sources/mine');
  expect(status, JSON.stringify(body)).toBe(200);
  const [group] = (body as RunAnswer).failures;
  expect(group).toMatchObject({ cause: 'newer', example: { key: 'a' }, retry: null });
});
