import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sealedLine } from '../../base/journal/sealed.ts';
import { taskStory } from '../../operations/taskStory.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const run = { stage_hashes: { rollout: 'x', export: 'x' } } as unknown as RunFile;

test('rollouts of a task stand by their numbers, each with its second try behind it, whichever ended first', async () => {
  const folder = temporaryFolder();
  const write = (stage: string, name: string, lines: readonly object[]) => {
    mkdirSync(join(folder, stage), { recursive: true });
    writeFileSync(join(folder, stage, name), lines.map((line) => `${sealedLine(line)}\n`).join(''));
  };
  const task_id = 'task_1';
  const made = (index: number, record: object) => {
    return { index, count: 1, input_id: `i${index}`, task_id, records: [{ id: `r${index}`, ...record }] };
  };
  write('rollout', 'records.jsonl', [
    made(6, { rollout: 2 }),
    made(9, { rollout: 5, repairs: 1 }),
    made(4, {}),
    made(8, { rollout: 4, repairs: 0 }),
    made(7, { rollout: 3 }),
  ]);
  const failure = { cause: 'endpoint_error', message: 'away', retryable: true, evidence: {} };
  const failed = { index: 5, record_id: task_id, task_id, rollout: 1, kind: 'fail', failure };
  const retried = { kind: 'retry', index: 5, record_id: task_id, task_id, cause: 'endpoint_error' };
  write('rollout', 'ledger.jsonl', [failed, retried, failed]);
  write('export', 'records.jsonl', [
    made(1, { rollout: 5 }),
    made(2, { rollout: 2 }),
    made(0, { rollout: 1 }),
  ]);
  const steps = await taskStory(folder, run, task_id);
  expect(steps.map((step) => `${step.stage} ${step.kind === 'emitted' ? step.input_id : step.kind}`)).toEqual(
    [
      ...['rollout i4', 'rollout i8', 'rollout failed', 'rollout retry', 'rollout failed', 'rollout i9'],
      ...['rollout i6', 'rollout i7', 'export i0', 'export i1', 'export i2'],
    ],
  );
});
