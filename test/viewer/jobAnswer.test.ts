import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { sealedFile } from '../../base/journal/sealed.ts';
import type { JobAttempt } from '../../schemas/training/jobRecord.ts';
import { plainConsole } from '../../training/causes/crashCause.ts';
import { jobAnswer, rolloutsAnswer } from '../../viewer/server/jobAnswer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const recorded = join(import.meta.dirname, '../fixtures/finished-job');
let run: string;

beforeEach(() => {
  run = temporaryFolder();
  cpSync(recorded, join(run, 'train/sft'), { recursive: true });
});

function answered() {
  return jobAnswer({ runFolder: run }, 'sft');
}

/** Writes down something else of the recorded job's attempt. */
function attemptAs(change: (attempt: JobAttempt) => Partial<JobAttempt>): void {
  const path = join(run, 'train/sft/job.json');
  const { checksum: _, ...record } = JSON.parse(readFileSync(path, 'utf8'));
  Object.assign(record.attempts[0], change(record.attempts[0]));
  writeFileSync(path, sealedFile(record));
}

test('a job that finished has its curve, whole checkpoints, a plain log, and no words of failure', async () => {
  const { curve, checkpoints, printed, standing, lastWords } = await answered();
  expect(standing.kind).toBe('ended');
  expect(curve.latest_step).toBe(24);
  expect(curve.lines.loss).toHaveLength(24);
  expect(curve.lines.loss?.map(([, loss]) => loss?.toFixed(2)).filter((_, at) => at % 23 === 0)).toEqual([
    '19.39',
    '11.11',
  ]);
  expect(checkpoints).toEqual({ steps: [8, 16, 24], whole: [8, 16, 24] });
  const console = readFileSync(join(recorded, 'console.log'), 'utf8');
  expect(printed.length).toBeLessThan(console.length);
  expect(`\n${plainConsole(console).join('\n')}`.endsWith(`\n${printed}`)).toBe(true);
  expect(printed).toContain(
    "{'loss': '11.11', 'grad_norm': '7.539', 'learning_rate': '0.001', 'epoch': '2'}\n",
  );
  expect(printed).not.toMatch(/\r|it\/s/);
  expect(lastWords).toBe('');
});

test.each([
  ['failed', null, 'Killed'],
  ['stopped', null, ''],
  ['stopped', 'nan_loss', 'Killed'],
  ['lost', null, 'Killed'],
] as const)('a job that ended as %s, by %s, has the last words "%s"', async (outcome, cause, words) => {
  attemptAs(({ end }) => ({ end: { ...end!, outcome, cause, last_words: 'Killed' } }));
  expect((await answered()).lastWords).toBe(words);
});

test.each([
  ['gone', hostname(), ''],
  ['unknown', 'another', /another/],
] as const)(
  'a job without an end whose process is not there is %s, and not running',
  async (kind, host, note) => {
    const handle = { kind: 'process', host, pid: 2 ** 30, process_identity: 'long ago', mark: run };
    attemptAs(() => ({ end: null, handle }));
    rmSync(join(run, 'train/sft/exit_code'), { force: true });
    expect((await answered()).standing).toEqual({ kind, note: expect.stringMatching(note) });
  },
);

test('a log that grows is read on, and one that another attempt began again from its beginning', async () => {
  const log = join(run, 'train/sft/output/trainer_log.jsonl');
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, 4);
  const steps = async () => (await answered()).curve.lines.loss?.map(([step]) => step);
  attemptAs(() => ({ end: null }));
  writeFileSync(log, lines.slice(0, 3).join('\n'));
  expect(await steps()).toEqual([1, 2]);
  appendFileSync(log, `\n${lines[3]}\n`);
  expect(await Promise.all([steps(), steps()])).toEqual([
    [1, 2, 3, 4],
    [1, 2, 3, 4],
  ]);
  const path = join(run, 'train/sft/job.json');
  const { checksum: _, attempts, ...record } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, sealedFile({ ...record, attempts: [...attempts, ...attempts] }));
  writeFileSync(log, `${lines.slice(1).join('\n')}${' '.repeat(500)}\n`);
  expect(await steps()).toEqual([2, 3, 4]);
});

test('the first rollouts of a step have the question of their task; lines of another form stay as they are', async () => {
  const rollout = { step: 3, task_id: 'task_1', segments: [], score: null, parts: {}, end: 'tool' };
  const raw = { output: 'of an earlier version' };
  const lines = [rollout, { ...rollout, task_id: 'task_2' }, raw].map((line) => `${JSON.stringify(line)}\n`);
  mkdirSync(join(run, 'train/sft/rollouts'));
  writeFileSync(join(run, 'train/sft/rollouts/3.jsonl'), `${lines.join('')}{"cut`);
  writeFileSync(join(run, 'train/sft/rollouts/12.jsonl'), lines.join('').repeat(5));
  expect((await answered()).rollout_steps).toEqual([12, 3]);
  const questionOf = (id: string) => (id === 'task_1' ? 'Where?' : undefined);
  const played = (step: number) => rolloutsAnswer({ runFolder: run, questionOf }, 'sft', step);
  const shown = [
    { ...rollout, question: 'Where?' },
    { ...rollout, task_id: 'task_2', question: '' },
    { raw },
  ];
  expect(await played(3)).toEqual({ rollouts: shown });
  expect(await played(12)).toEqual({ rollouts: [...shown, ...shown, ...shown].slice(0, 8) });
  expect(await played(4)).toEqual({ rollouts: [] });
});
