import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { sealedFile } from '../../base/journal/sealed.ts';
import { findJob } from '../../cli/train/findJob.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { sampleRecord, sampleRun } from './support/sampleJob.ts';

/** A working folder with a run `t` and its jobs. */
function projectWith(jobs: readonly string[]): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'runs/t'), { recursive: true });
  writeFileSync(join(folder, 'runs/t/run.json'), sealedFile(sampleRun));
  for (const job of jobs) {
    mkdirSync(join(folder, 'runs/t/train', job), { recursive: true });
    writeFileSync(join(folder, 'runs/t/train', job, 'job.json'), sealedFile(sampleRecord({ job })));
  }
  // Rendered, never started.
  mkdirSync(join(folder, 'runs/t/train/rendered'), { recursive: true });
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  return folder;
}

test.each(['t/sft', 'runs/t/train/sft', 'runs/t/train/sft/', 'runs/t/sft', 't', 'runs/t', 'runs/t/'])(
  'the only job is found by %s',
  async (name) => {
    const folder = projectWith(['sft']);
    expect(await findJob(name)).toMatchObject({ name: 't/sft', folder: join(folder, 'runs/t/train/sft') });
  },
);

test('a run with several jobs asks for one of them', async () => {
  projectWith(['a', 'b']);
  expect(await findJob('t/b')).toMatchObject({ name: 't/b' });
  for (const name of ['t', 'runs/t', './runs/t']) {
    await expect(findJob(name)).rejects.toThrow('t has 2 jobs; name one: t/a, t/b');
  }
});

test('what is not there is said, with what is near', async () => {
  projectWith(['sft-long']);
  await expect(findJob('t/sft-lnog')).rejects.toThrow(
    'no job "sft-lnog" that was started; did you mean "sft-long"?',
  );
  await expect(findJob('x')).rejects.toThrow('no run "x"');
  await expect(findJob('x/sft')).rejects.toThrow('no run "x"');
  projectWith([]);
  await expect(findJob('t')).rejects.toThrow('start one with: coa-distill train t');
  await expect(findJob('t/rendered')).rejects.toThrow('has no job that was started');
});

test('a damaged record is named', async () => {
  const folder = projectWith(['sft']);
  writeFileSync(join(folder, 'runs/t/train/sft/job.json'), '{}');
  await expect(findJob('t/sft')).rejects.toThrow(/job\.json: damaged/);
});
