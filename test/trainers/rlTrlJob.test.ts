import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RlSegment } from '../../rl/records/rlTrajectory.ts';
import type { TrainingCurve } from '../../schemas/training/jobRecord.ts';
import { type CliResult, startCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { killAll } from '../support/signalAll.ts';
import { waitUntil } from '../support/waitUntil.ts';
import {
  createTrainingProject,
  curveOf,
  jobFolder,
  jobProcesses,
  jobRecord,
  ofTrainer,
  startIn,
  type TrainingProject,
  trainArguments,
} from './support/trainJob.ts';

/** Tokens of a response. */
const most = 24;
/** Of a step. */
const rollouts = 8;
const options = {
  environment: 'trainers',
  trainer: 'trl-rl',
  set: [
    'max_steps=6',
    'save_steps=3',
    'rl.prompts_per_step=2',
    'rl.rollouts=4',
    'rl.learning_rate=1e-3',
    `rl.max_response_tokens=${most}`,
  ],
} as const;
const folder = sharedFolder();
let project: TrainingProject;
let rewards: Server;
let environment: ChildProcess;
let killed: CliResult;
let resumed: CliResult;
let before: Trained;

/** What a job left behind of its steps. */
interface Trained {
  readonly steps: TrainingCurve['steps'];
  /** By step: what was played. */
  readonly samples: Readonly<Record<string, string>>;
}

/**
 * A whole chain: a run and its tasks, its environment server, TRL. A random student gives no answer: its words count.
 * The job is killed while it waits for the first score of its sixth step, two steps behind its checkpoint.
 */
beforeAll(async () => {
  let isHeld = false;
  let isKilled = false;
  rewards = createServer(async (request, response) => {
    const { segments } = (await json(request)) as { segments: readonly RlSegment[] };
    isHeld ||= existsSync(path.join(samplesFolder(), '5.jsonl'));
    // Never answered: the job that asks is about to die.
    if (isHeld && !isKilled) return;
    const score = (segments.map(({ text }) => text).join('').length % 10) / 10;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ score }));
  }).listen(0, '127.0.0.1');
  await once(rewards, 'listening');
  const { port } = rewards.address() as AddressInfo;
  const sections = `training: { rl: { max_response_tokens: ${most} } }
rl:
  tasks: { sft_tasks: keep }
  rewards: { custom: { words: { url: "http://127.0.0.1:${port}/", weight: 1 } } }
`;
  project = await createTrainingProject(folder, 6, { formats: 'verl_rl', sections });
  environment = startCli(['serve', 'rl', 't', '--port', '0'], {
    cwd: folder,
    env: { COA_RL_TOKEN: 'rl-secret' },
  });
  const [line] = (await once(environment.stdout!, 'data')) as [Buffer];
  const env = { COA_RL_URL: /http:\/\/\S+/.exec(line.toString())![0], COA_RL_TOKEN: 'rl-secret' };
  const launched = startIn(project, trainArguments(project, 'cut', options), 'trainers', { env });
  await waitUntil('the held step', () => isHeld, ofTrainer(launched.child));
  const { handle } = jobRecord(project, 'cut').attempts[0]!;
  // All but the keeper, which is the session's leader.
  const keeper = handle.kind === 'process' ? handle.pid : 0;
  killAll(jobProcesses(project, 'cut').filter((pid) => pid !== keeper));
  killed = await launched.ended;
  before = await trained();
  isKilled = true;
  resumed = await startIn(project, ['train', 'resume', 't/cut'], 'trainers', { env }).ended;
});

afterAll(async () => {
  environment.kill();
  rewards.closeAllConnections();
  rewards.close();
});

const samplesFolder = (): string => path.join(jobFolder(project, 'cut'), 'rollouts');

async function trained(): Promise<Trained> {
  const { steps } = await curveOf(project, 'cut');
  const files = readdirSync(samplesFolder());
  const texts = files.map((file) => [file, readFileSync(path.join(samplesFolder(), file), 'utf8')]);
  return { steps, samples: Object.fromEntries(texts) };
}

test('TRL’s job is started and followed, keeps what was played, and says that it was killed', () => {
  expect(killed.code).toBe(1);
  expect(killed.stderr).toMatch(/t\/cut step [1-5]\/6 · loss .* · reward 0\.\d+/);
  expect(killed.stdout).toContain('failed with exit code 137: it was killed from outside (killed)');
  expect(before.steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5]);
  expect(new Set(before.steps.map(({ rl }) => rl!.reward)).size).toBeGreaterThan(1);
  expect(Object.keys(before.samples).sort()).toEqual([1, 2, 3, 4, 5].map((step) => `${step}.jsonl`));
  for (const text of Object.values(before.samples)) expect(text.trimEnd().split('\n')).toHaveLength(rollouts);
});

test('resumed from the checkpoint, it plays and trains the very same steps again, and goes on to the end', async () => {
  expect(resumed.code, resumed.stderr + resumed.stdout).toBe(0);
  expect(resumed.stderr).toContain('goes on from the checkpoint of step 3');
  const { attempts } = jobRecord(project, 'cut');
  expect(attempts.map(({ from_step, end }) => [from_step, end!.outcome])).toEqual([
    [0, 'failed'],
    [3, 'finished'],
  ]);
  const { steps, samples } = await trained();
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(steps.slice(0, 5)).toEqual(before.steps);
  expect(samples).toEqual({ ...before.samples, '6.jsonl': samples['6.jsonl'] });
  expect(statSync(path.join(samplesFolder(), '5.jsonl')).mtimeMs).toBeGreaterThan(
    statSync(path.join(samplesFolder(), '3.jsonl')).mtimeMs,
  );
});
