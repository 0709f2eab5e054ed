import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { appendReview, copyReviews, readReviews } from '../../stages/review/reviewFile.ts';
import { sampleTrajectories } from '../output/check/support/sampleDataset.ts';
import { writeDataset, writerOptions } from '../output/support/writeDataset.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { askViewer } from './support/askViewer.ts';
import { writeEvaluation, writeJob } from './support/writtenResults.ts';
import { taskOf, trajectoryOf, writtenRun } from './support/writtenRun.ts';

const makers = {
  folder: (path: string) => mkdirSync(path),
  pipe: (path: string) => execFileSync('mkfifo', [path]),
  link: (path: string) => {
    writeFileSync(`${path}.outside`, 'a secret of another file');
    symlinkSync(`${path}.outside`, path);
  },
  'link to nothing': (path: string) => symlinkSync('/nowhere/at/all', path),
};
type Odd = keyof typeof makers;

/** A run of one record with a dataset and a training job. */
const whole = writtenRun(mkdtempSync(join(tmpdir(), 'coa-test-')));

beforeAll(async () => {
  whole.emit('tasks', 'a', [taskOf('a', 'why')]);
  whole.emit('convert', 'a', [trajectoryOf('a', 'x', 'correct')]);
  const options = writerOptions(join(whole.folder, 'dataset'), {
    dataset: { formats: ['llama_factory'] },
  });
  await writeDataset(sampleTrajectories(1), options);
  writeJob(whole.folder, 'printed');
});

afterAll(() => rmSync(whole.folder, { recursive: true }));

/** Replaces a file of a folder by something odd. */
function makeOdd(folder: string, file: string, odd: Odd): void {
  rmSync(join(folder, file), { force: true });
  makers[odd](join(folder, file));
}

/** A copy of the run, one of whose files is something odd. */
function oddRun(file: string, odd: Odd): string {
  const folder = join(temporaryFolder(), 'run');
  cpSync(whole.folder, folder, { recursive: true });
  makeOdd(folder, file, odd);
  return folder;
}

const ofRun = ['', '/counts', '/records/a', '/review', '/review/a'];
const ofJob = ['', '/jobs/sft', '/jobs/sft/rollouts/2'];
const preview = (file: string) => `/preview?${new URLSearchParams({ file, row: '1' })}`;

/** Files of a run folder with the pages that read each. */
const files: Readonly<Record<string, readonly string[]>> = {
  'reviews.jsonl': ofRun,
  'spending.jsonl': ofRun,
  'events.jsonl': ofRun,
  'target.json': ofRun,
  'workers.json': ofRun,
  lock: ofRun,
  'lock.json': ofRun,
  'tasks/stage.json': ofRun,
  'tasks/records.jsonl': ofRun,
  'convert/ledger.jsonl': ofRun,
  'dataset/manifest.json': [...ofRun, '/check', preview('llama_factory/train.jsonl')],
  'dataset/README.md': ['', '/card', '/check'],
  'dataset/trajectories-train.jsonl': ['', '/check'],
  'dataset/llama_factory/train.jsonl': ['', '/check', preview('llama_factory/train.jsonl')],
  'train/sft/job.json': ofJob,
  'train/sft/output/trainer_log.jsonl': ofJob,
  'train/sft/console.log': ofJob,
  'train/sft/exit_code': ofJob,
  'train/sft/output/checkpoint-2/trainer_state.json': ofJob,
  'train/sft/rollouts/2.jsonl': ofJob,
};
const cases = Object.keys(files).flatMap((file) =>
  (Object.keys(makers) as Odd[]).map((odd) => [file, odd] as const),
);

test.each(cases)('a viewer answers where %s is a %s', async (file, odd) => {
  const folder = oddRun(file, odd);
  const { get } = await askViewer(folder);
  // Four readers of a pipe would keep all threads that read files.
  const asked = [...files[file]!, ...files[file]!];
  const answers = await Promise.all(
    asked.map(async (path) => ({ path, ...(await get(`/api/sources/${basename(folder)}${path}`)) })),
  );
  for (const { path, status, body } of answers) {
    expect([200, 400], `${path}: ${JSON.stringify(body)}`).toContain(status);
    expect(JSON.stringify(body), path).not.toContain('secret');
  }
});

test.each(Object.keys(makers) as Odd[])('files of an evaluation are no %s', async (odd) => {
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(temporaryFolder());
  for (const name of ['one', 'two', 'three']) writeEvaluation(join('runs', name), name);
  makeOdd('runs/two', 'results/mine.jsonl', odd);
  makeOdd('runs/three', 'evaluation.json', odd);
  const { get } = await askViewer('one');
  const pages = [
    'sources',
    'evaluations/two',
    'evaluations/two/mine/samples',
    'compare-evaluations?a=one&b=two',
  ];
  for (const page of [...pages, 'evaluations/three', 'evaluations/three/mine/samples']) {
    const { status, body } = await get(`/api/${page}`);
    expect([200, 400], `${page}: ${JSON.stringify(body)}`).toContain(status);
    expect(JSON.stringify(body), page).not.toContain('secret');
  }
});

test.each(Object.keys(makers) as Odd[])(
  'reviews are no %s: nothing is read or written there',
  async (odd) => {
    const folder = oddRun('reviews.jsonl', odd);
    const review = { record_id: 'x', task_id: 'a', author: 'ann', at: new Date(0).toISOString() };
    const other = temporaryFolder();
    await expect(appendReview(folder, { ...review, verdict: 'accept' })).rejects.toThrow(UserError);
    await expect(readReviews(folder, () => {})).rejects.toThrow(UserError);
    await expect(copyReviews(folder, other)).rejects.toThrow(UserError);
    if (odd === 'link')
      expect(readFileSync(join(folder, 'reviews.jsonl'), 'utf8')).toBe('a secret of another file');
  },
);
