import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentYaml, rlProgram, verlLoopKeys } from '../../rl/dataset/rlFiles.ts';
import { playedRolloutSchema } from '../../rl/records/playedRollout.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { rlFigures } from '../../schemas/training/rlPresets.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { qwen } from '../output/support/qwen.ts';
import { rlPage, type ScriptedRlServer, startRlServer } from './support/rlServer.ts';
import {
  rlEnvironment,
  runVerl,
  type VerlJob,
  verlCpuEnvironment,
  verlCpuKeys,
  writeRlRows,
} from './support/rlVerl.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';

const folder = sharedFolder();
const call = '<think>look</think>\n<wiki_search>island</wiki_search>\n';
const endOfTurn = '<|im_end|>';
const observation = `<observation>\n${rlPage}\n</observation>\n\n`;
/** What the four rollouts of each task sample, and what each is worth. */
const scripts = [
  { turns: [call, '<think>ok</think>\n<answer>Tarn</answer>'], score: 1 },
  { turns: [call, '<think>ok</think>\n<answer>Borg</answer>'], score: 0 },
  { turns: ['<answer>Tarn</answer>'], score: 1 },
  { turns: [`no tags at all${endOfTurn}`], score: 0 },
];
let server: ScriptedRlServer;
let job: VerlJob;

/**
 * Whole GRPO steps of stock verl: its trainer, its queue, its reward loop, its actor. Two steps are well, in the third
 * the tool server is dead.
 */
beforeAll(async () => {
  server = await startRlServer();
  // Two tasks a step, of each two rollouts that call the tool.
  server.dieAfter(2 * 2 * 2);
  const at = (name: string): string => path.join(folder, name);
  const rl = rlFigures(trainingConfigSchema.parse({}));
  await writeModelFolder(at('model'));
  await writeRlRows(at('train.parquet'), 6);
  await mkdir(at('loop'));
  for (const name of ['coa_reward.py', 'coa_sampler.py'] as const)
    await writeFile(at(`loop/${name}`), rlProgram(name));
  await writeFile(at('loop/agent.yaml'), `${agentYaml}  retries: 1\n  pause_s: 0.01\n`);
  await writeFile(at('turns.json'), JSON.stringify({ scripts: scripts.map(({ turns }) => turns) }));
  job = await runVerl(
    folder,
    {
      ...verlCpuKeys(at('model')),
      ...verlLoopKeys(at('loop'), { ...rl, rollouts: scripts.length, prompts_per_step: 2 }),
      'algorithm.adv_estimator': 'grpo',
      'data.train_files': at('train.parquet'),
      'data.val_files': at('train.parquet'),
      'data.train_batch_size': 2,
      'data.max_prompt_length': 64,
      'data.max_response_length': 128,
      'actor_rollout_ref.actor.ppo_mini_batch_size': 2,
      'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu': 4,
      'actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu': 4,
      'actor_rollout_ref.actor.optim.lr': 1e-3,
      'trainer.total_training_steps': 3,
      'trainer.logger': ['console', 'file'],
      'trainer.default_local_dir': at('checkpoints'),
      '+trainer.v1.sampler.sampler_kwargs.rollouts_folder': at('rollouts'),
      'trainer.save_freq': -1,
      'trainer.test_freq': -1,
      'trainer.val_before_train': false,
    },
    { ...rlEnvironment(server, folder), ...verlCpuEnvironment(at('turns.json')) },
  );
  // Ray's start-up alone takes minutes on a loaded machine.
}, 1_500_000);

afterAll(() => server.close());

/** GRPO with the mean over tokens: - sum of advantage x trained tokens / sum of trained tokens. */
async function lossOf(alsoTrained: Readonly<Record<number, string>>): Promise<number> {
  const tokens: number[] = [];
  for (const [at, { turns }] of scripts.entries()) {
    const texts = [...turns, ...(alsoTrained[at] === undefined ? [] : [alsoTrained[at]])];
    let count = 0;
    // Our tokenizer takes all text for plain text; this one is a token.
    for (const text of texts)
      count += (await qwen.encode(text.replace(endOfTurn, ''))).length + Number(text.endsWith(endOfTurn));
    tokens.push(count);
  }
  const scores = scripts.map(({ score }) => score);
  const mean = sumOf(scores) / scores.length;
  const deviation = Math.sqrt(sumOf(scores.map((score) => (score - mean) ** 2)) / (scores.length - 1));
  return (
    -sumOf(scores.map((score, at) => ((score - mean) / (deviation + 1e-6)) * tokens[at]!)) / sumOf(tokens)
  );
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

test('verl’s first policy loss is that of exactly the sampled tokens', async () => {
  const [first] = job.steps;
  expect(first, job.output.slice(-4_000)).toBeDefined();
  expect(Math.abs(first!['actor/pg_loss']! - (await lossOf({})))).toBeLessThan(1e-5);
  expect(Math.abs(first!['actor/pg_loss']! - (await lossOf({ 0: observation })))).toBeGreaterThan(1e-3);
});

test('the second step is sampled by the weights that the first one made', () => {
  expect(job.steps[0]!['actor/grad_norm']).toBeGreaterThan(0);
  expect(job.steps[1]!['training/rollout_probs_diff_max']).toBeLessThan(1e-4);
});

test('each step logs what verl alone does not: calls, parts of the reward, mixed groups, failures', () => {
  expect(job.steps[0]).toMatchObject({
    'coa/rollouts': 8,
    'coa/failed': 0,
    'coa/unscored': 0,
    'coa/mixed_groups': 1,
    'coa/calls': 0.5,
    'coa/part_correctness': 0.5,
    'critic/score/mean': 0.5,
  });
});

test('a tool server that dies ends the job with its count, before anything is trained on what is left', () => {
  expect(job.code).not.toBe(0);
  expect(job.steps).toHaveLength(2);
  expect(job.output).toContain(
    'coa-distill: 4 of 8 rollouts failed (limit 10%); the first: tool (tool): the scripted tool fault',
  );
});

test('what was played is kept, by who wrote it, with what it is worth', () => {
  const lines = readFileSync(path.join(folder, 'rollouts/1.jsonl'), 'utf8').trimEnd().split('\n');
  const rollouts = lines.map((line) => playedRolloutSchema.parse(JSON.parse(line)));
  expect(rollouts).toHaveLength(8);
  expect(new Set(rollouts.map(({ task_id }) => task_id)).size).toBe(2);
  const [first, last] = scripts[0]!.turns as [string, string];
  expect(rollouts).toContainEqual({
    step: 1,
    task_id: rollouts[0]!.task_id,
    segments: [
      { origin: 'model', text: first },
      { origin: 'environment', text: observation },
      { origin: 'model', text: last },
    ],
    score: 1,
    parts: expect.objectContaining({ correctness: 1 }),
    end: 'answer',
  });
});
