import { readFileSync, renameSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RecordIndex } from '../../viewer/index/recordIndex.ts';
import { RunSource } from '../../viewer/server/runSource.ts';
import { askViewer } from './support/askViewer.ts';
import { keys, openIndex } from './support/liveRun.ts';
import { newRun, taskOf, trajectoryOf, type WrittenRun } from './support/writtenRun.ts';

/** A run of some tasks. */
function runOf(...ids: readonly string[]): WrittenRun {
  const run = newRun();
  for (const id of ids) run.emit('tasks', id, [taskOf(id, `question of ${id}`)]);
  return run;
}

test('a journal that was cut off is read again, also where it has grown past that place meanwhile', async () => {
  const run = runOf('a', 'b', 'c');
  const journal = join(run.folder, 'tasks/records.jsonl');
  const live = await openIndex(run);
  expect(await keys(live)).toEqual(['a', 'b', 'c']);
  const [first] = readFileSync(journal, 'utf8').split('\n');
  truncateSync(journal, first!.length + 1);
  expect(await keys(live)).toEqual(['a']);
  run.emit('tasks', 'd', [taskOf('d', 'question of d')]);
  expect(await keys(live)).toEqual(['a', 'd']);
  // A full disk, say: two lines are taken back, and the resumed run has written longer ones before anybody looks.
  truncateSync(journal, first!.length + 1);
  for (const id of ['e', 'f']) run.emit('tasks', id, [taskOf(id, `question of ${id}, and more of it`)]);
  expect(await keys(live)).toEqual(['a', 'e', 'f']);
  // As many bytes in the same file, as where a run was removed and made again.
  truncateSync(journal, first!.length + 1);
  for (const id of ['g', 'h']) run.emit('tasks', id, [taskOf(id, `question of ${id}, and more of it`)]);
  expect(await keys(live)).toEqual(['a', 'g', 'h']);
  expect(live.progress.damaged).toBe(0);
});

test('of a run that is removed while it is open that is said, and its records are there again once it is back', async () => {
  const run = runOf('a', 'b');
  const source = new RunSource('run', run.folder);
  onTestFinished(() => source.close());
  expect(await keys(source.live)).toEqual(['a', 'b']);
  renameSync(run.folder, `${run.folder}-away`);
  await expect(source.live.grow()).rejects.toThrow('no longer holds a run');
  expect(source.live.progress.problem).toContain('no longer holds a run');
  expect(await source.isRunning()).toBe(false);
  await expect(source.describe()).rejects.toThrow('run');
  renameSync(`${run.folder}-away`, run.folder);
  expect(await keys(source.live)).toEqual(['a', 'b']);
  expect(source.live.progress.problem).toBeUndefined();
  expect((await source.describe()).name).toBe('run');
});

test('while an index grows from the start, nobody says that a record has not come so far', async () => {
  const run = runOf(...Array.from({ length: 400 }, (_, nth) => `t${nth}`));
  run.emit('convert', 't0', [trajectoryOf('t0', 'x', 'correct')]);
  const apply = RecordIndex.prototype.apply;
  vi.spyOn(RecordIndex.prototype, 'apply').mockImplementation(function (this: RecordIndex, change) {
    // Longer than a page waits for a first look.
    for (const until = performance.now() + 3; performance.now() < until; );
    apply.call(this, change);
  });
  const { get } = await askViewer(run.folder);
  const asked = ['records/t0/formats/alpaca', 'review/t0'];
  const answers = await Promise.all(asked.map((path) => get(`/api/sources/run/${path}`)));
  expect(JSON.stringify(answers)).not.toContain('has no trajectory');
  expect(answers[1]!.status).toBe(200);
});
