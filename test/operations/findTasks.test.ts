import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sealedLine } from '../../base/journal/sealed.ts';
import { findTasks } from '../../operations/taskStory.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { taskOf } from '../support/traceFixture.ts';

const run = { stage_hashes: { tasks: 'x', convert: 'x', export: 'x' } } as unknown as RunFile;

function runFolder(): string {
  const folder = temporaryFolder();
  const write = (stage: string, name: string, lines: readonly string[]) => {
    mkdirSync(join(folder, stage), { recursive: true });
    writeFileSync(join(folder, stage, name), lines.map((line) => `${line}\n`).join(''));
  };
  const line = (index: number, input_id: string, task_id: string, record: object) =>
    sealedLine({ index, count: 1, input_id, task_id, records: [record] });
  const tasks = ['0', 'q', 'q'].map((given_id, at) => ({
    ...taskOf('mhqa', { question: `Question ${at}?` }),
    id: `task_${at}`,
    given_id,
  }));
  write(
    'tasks',
    'records.jsonl',
    tasks.map((task, at) => line(at, task.id, task.id, task)),
  );
  write('convert', 'records.jsonl', [
    line(0, 'trace_1', 'task_1', { id: 'trajectory_1', note: 'trajectory_2' }),
    line(1, 'trace_2', 'task_2', { id: 'trajectory_2', profile: 'mhqa' }),
  ]);
  const sample = (id: string, row: number) => ({ split: 'train', row, tokens: 9, trained_tokens: 3, id });
  write('export', 'records.jsonl', [
    line(0, 'trajectory_1', 'task_1', { ...sample('trajectory_1', 0), task_id: 'task_1', repeats: 3 }),
    line(1, 'trajectory_2', 'task_2', { ...sample('trajectory_2', 3), task_id: 'task_2' }),
  ]);
  write('convert', 'ledger.jsonl', ['no JSON with "trajectory_3" in it']);
  return folder;
}

test.each([
  ['task_1', ['task_1']],
  ['trace_2', ['task_2']],
  // The words stand in an earlier line too, as no id.
  ['trajectory_2', ['task_2']],
  // Two task files may give the same id.
  ['q', ['task_1', 'task_2']],
  // An id that a task file gave comes before a row's number.
  ['0', ['task_0']],
  ['train:0', ['task_1']],
  ['2', ['task_1']],
  ['3', ['task_2']],
  ['4', []],
  ['validation:0', []],
  ['mhqa', []],
  ['trajectory_3', []],
])('%s belongs to %j', async (id, expected) => {
  expect(await findTasks(runFolder(), run, id)).toEqual(expected);
});
