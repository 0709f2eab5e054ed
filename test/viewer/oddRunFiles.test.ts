import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { appendReview, copyReviews, readReviews } from '../../pipeline/run/reviewFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { askViewer } from './support/askViewer.ts';
import { newRun, taskOf, trajectoryOf } from './support/writtenRun.ts';

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

/** A run of one record, one of whose files is something odd. */
function oddRun(file: string, odd: Odd): string {
  const run = newRun();
  run.emit('tasks', 'a', [taskOf('a', 'why')]);
  run.emit('convert', 'a', [trajectoryOf('a', 'x', 'correct')]);
  mkdirSync(join(run.folder, 'dataset'));
  rmSync(join(run.folder, file), { force: true });
  makers[odd](join(run.folder, file));
  return run.folder;
}

const files = [
  'reviews.jsonl',
  'spending.jsonl',
  'events.jsonl',
  'target.json',
  'workers.json',
  'dataset/manifest.json',
  'tasks/stage.json',
  'tasks/records.jsonl',
  'convert/ledger.jsonl',
];
const cases = files.flatMap((file) => (Object.keys(makers) as Odd[]).map((odd) => [file, odd] as const));

test.each(cases)('a viewer answers where %s is a %s', async (file, odd) => {
  const folder = oddRun(file, odd);
  const { get } = await askViewer(folder);
  const of = `/api/sources/${basename(folder)}`;
  for (const path of [of, `${of}/counts`, `${of}/records/a`, `${of}/review`, `${of}/review/a`]) {
    const { status, body } = await get(path);
    expect([200, 400], `${path}: ${JSON.stringify(body)}`).toContain(status);
    if (file === 'reviews.jsonl') expect(JSON.stringify(body)).not.toContain('secret');
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
