import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { type ScriptedRlServer, startRlServer } from './support/rlServer.ts';
import { rlEnvironment, writeRlRows } from './support/rlVerl.ts';
import { pythonScript, runPython } from './support/runPython.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';

const folder = sharedFolder();
const call = (query: string): string => `<think>look</think>\n<wiki_search>${query}</wiki_search>\n`;
const scripts = [
  [call('island'), '<think>ok</think>\n<answer>Tarn</answer>'],
  [call('island'), '<think>ok</think>\n<answer>Borg</answer>'],
  ['<answer>UNSCORED</answer>'],
  [call('FAULT'), '<answer>Tarn</answer>'],
];

interface Trained {
  readonly batches: readonly (readonly { readonly trained: string; readonly advantage: number }[])[];
  readonly history: readonly Readonly<Record<string, number>>[];
  readonly ended: string | null;
  readonly samples_alike: boolean;
  readonly until_end: readonly (readonly number[])[];
  readonly vllm_says: Readonly<Record<string, unknown>>;
  readonly whole_step: string | null;
  readonly order: readonly unknown[];
  readonly unscored: { readonly loss: number; readonly changed: number };
}

let server: ScriptedRlServer;
let result: Trained;

beforeAll(async () => {
  server = await startRlServer();
  const at = (name: string): string => path.join(folder, name);
  await writeModelFolder(at('model'));
  await writeRlRows(at('train.parquet'), 8);
  await writeFile(
    at('request.json'),
    JSON.stringify({ model: at('model'), tasks: at('train.parquet'), scripts }),
  );
  const output = await runPython({
    environment: 'trainers',
    args: [pythonScript('train_trl_rollouts.py'), at('request.json')],
    folder,
    env: { ...rlEnvironment(server, folder), TRL_EXPERIMENTAL_SILENCE: '1' },
  });
  result = JSON.parse(output.split('\n').find((line) => line.startsWith('{"batches"'))!) as Trained;
});

afterAll(() => server.close());

test('two steps train the sampled tokens alone, and what has no score has no say', () => {
  expect(result.batches).toHaveLength(2);
  for (const batch of result.batches) {
    const byText = batch.map(({ trained, advantage }) => [trained, Number(advantage.toFixed(3))]);
    // Two scores, 1 and 0: their deviation is the square root of a half. TRL shuffles the rows of a step.
    const half = Number(Math.SQRT1_2.toFixed(3));
    expect(byText.sort(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
      ['', 0],
      ['', 0],
      [scripts[1]!.join(''), -half],
      [scripts[0]!.join(''), half],
    ]);
  }
});

test('the log tells rewards, calls, parts and failures of each step', () => {
  expect(result.history[0]).toMatchObject({
    reward: 0.5,
    'coa/calls': 1,
    'coa/part_correctness': 0.5,
    'coa/failed': 1,
    'coa/unscored': 1,
    'coa/mixed_groups': 1,
  });
});

test('a limit on failures ends the training with their count', () => {
  expect(result.ended).toBe(
    'coa-distill: 1 of 4 rollouts failed (limit 10%); the first: tool (tool): the scripted tool fault',
  );
});

test('where no rollout of a step has a verdict, nothing is trained', () => {
  expect(result.unscored).toEqual({ loss: 0, changed: 0 });
});

test('what the model’s own settings say of sampling stays out: it is sampled from what is trained', () => {
  expect(result.samples_alike).toBe(true);
});

test('a row ends with the first token that ends a text, whatever pads it', () => {
  const [turn, text, none] = result.until_end;
  expect([turn!.length, text!.length, none!.length]).toEqual([2, 2, 2]);
});

test('a generation that vLLM gave up is handed on as that', () => {
  expect(result.vllm_says).toEqual({ token_ids: [40], logprobs: [-0.5], stop_reason: 'abort' });
});

test('failures count of a whole step, however many rollouts it has', () => {
  expect(result.whole_step).toContain('100 of 500 rollouts failed (limit 10%)');
});

test('rollouts are sampled in the order of the tasks, each gets its own tokens', () => {
  expect(result.order).toEqual([
    [[2], [0], [1]],
    [[0], [1], [2]],
  ]);
});
