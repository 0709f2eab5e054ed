import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sha256Hex } from '../../base/ids.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import type { FailureCause } from '../../schemas/failureCauses.ts';
import { shownForms } from '../../schemas/roleForms.ts';
import { taskSchema } from '../../schemas/task.ts';
import { createProject, sampleTasks } from '../cli/support/project.ts';
import { runWell } from '../cli/support/runCli.ts';
import { startSampleTeacher } from '../cli/support/startSampleTeacher.ts';
import { LOOP, type Slip, slips, startHostileProxy } from './support/startHostileProxy.ts';

const layouts = [
  ['shared, merged', ''],
  ['per role, apart', ', layout: per_role, turns: apart'],
] as const;

/** What a task ends with whose every answer slips so. */
const causes: Readonly<Record<Slip, FailureCause>> = {
  form: 'malformed_answer',
  dots: 'malformed_answer',
  copy: 'malformed_answer',
  loop: 'answer_truncated',
  cut: 'answer_truncated',
  empty: 'malformed_answer',
};

async function runAt(slipOf: Parameters<typeof startHostileProxy>[1], layout: string) {
  const upstream = (await startSampleTeacher(0)).baseUrl;
  const { baseUrl, counts, close } = await startHostileProxy(upstream, slipOf);
  onTestFinished(close);
  const endpoint = `{ base_url: "${baseUrl}", api_key_env: "", tool_calls: structured, structured_answers: text }`;
  const cwd = createProject({
    teacher: `{ backend: openai, model: { model: scripted-teacher, endpoint: ${endpoint} }${layout} }`,
  });
  await runWell(['run'], { cwd });
  const run = join(cwd, 'runs/coa');
  const questions = new Map<string, string>();
  for await (const { record } of stageRecords(run, 'tasks', taskSchema))
    questions.set(record.id, record.question);
  const ended = new Map<string, string>();
  for await (const entry of readLedger(run, 'rollout'))
    if (entry.kind === 'fail') ended.set(questions.get(entry.task_id)!, entry.failure.cause);
  for (const stage of ['rollout', 'convert', 'judge', 'filter', 'export'] as const) {
    const file = (await readStageFile(run, stage))!;
    const sum = (of: object) => Object.values(of).reduce((a, b) => a + b, 0);
    expect(file.entered).toBe(file.emitted_inputs + sum(file.dropped) + sum(file.failed));
  }
  const trained = readFileSync(join(run, 'dataset/trajectories.jsonl'), 'utf8');
  for (const words of [LOOP, ...Object.values(shownForms.answer), '>...<'])
    expect(trained).not.toContain(words);
  return { counts, ended, rows: trained.split('\n').length - 1 };
}

test.each(layouts)('each task ends for its true cause, %s', async (_, layout) => {
  const kindOf = (index: number) => ([undefined, ...slips] as const)[index % (slips.length + 1)];
  const taskOf = (conversation: string) =>
    sampleTasks.findIndex(({ question }) => conversation.includes(`${question}\n`));
  const { counts, ended, rows } = await runAt((conversation) => kindOf(taskOf(conversation)), layout);
  for (const slip of slips) expect(counts[slip]).toBeGreaterThan(0);
  const expected = sampleTasks.flatMap(({ question }, index) => {
    const slip = kindOf(index);
    return slip ? [[question, causes[slip]]] : [];
  });
  expect(Object.fromEntries(ended)).toEqual(Object.fromEntries(expected));
  expect(rows).toBe(sampleTasks.length - expected.length);
});

test.each(layouts)(
  'slips now and then cost asks and tasks, and nothing of them is trained, %s',
  async (_, layout) => {
    const dice = (text: string) => Number.parseInt(sha256Hex(text).slice(0, 8), 16) / 2 ** 32;
    const { counts, ended, rows } = await runAt((conversation, nth) => {
      const key = `${nth} ${conversation}`;
      return dice(key) < 0.3 ? slips[Math.floor(dice(`which ${key}`) * slips.length)] : undefined;
    }, layout);
    for (const slip of slips) expect(counts[slip]).toBeGreaterThan(0);
    for (const cause of ended.values()) expect(Object.values(causes)).toContain(cause);
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(sampleTasks.length - ended.size);
  },
);
