import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { jobProgressLine } from '../../cli/train/printJobStatus.ts';
import { trainingFromCommandLine } from '../../cli/train/trainingFromCommandLine.ts';
import type { EnvironmentFacts, GateFacts } from '../../contract/trainingGate.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { trainingPresetNames } from '../../schemas/training/presets.ts';
import { rlFigures, rlPresets } from '../../schemas/training/rlPresets.ts';
import { crashCause } from '../../training/causes/crashCause.ts';
import { parseLogLine } from '../../training/follow/trainingLog.ts';
import { judgeFacts } from '../../training/gates/judgeJob.ts';
import { trainingProgress } from '../../training/jobStatus.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { curveOf } from '../training/support/curveOf.ts';
import { plannedJob, sampleManifest } from '../training/support/plannedJob.ts';
import { sampleFacts } from '../training/support/sampleJob.ts';

type Section = Parameters<typeof plannedJob>[0];
const rlJob = (section: Section = {}, count = 1000) =>
  plannedJob({ trainer: 'verl-rl', ...section }, { manifest: sampleManifest(count), job: 'rl' });

const environment: EnvironmentFacts = {
  url: 'http://h:1',
  problem: null,
  limits: { max_steps: 25, max_response_tokens: 8192 },
  judgeProblem: null,
};

test('AFM’s web run as verl’s keys', () => {
  const { plan } = rlJob({ preset: 'afm-web-32b' });
  expect(plan.hyper_parameters).toMatchObject({
    'algorithm.adv_estimator': 'grpo',
    'algorithm.filter_groups.enable': true,
    'data.train_batch_size': 64,
    'data.max_prompt_length': 2048,
    'data.max_response_length': 30_720,
    'actor_rollout_ref.rollout.n': 8,
    'actor_rollout_ref.actor.clip_ratio_high': 0.28,
    'actor_rollout_ref.actor.clip_ratio_c': 10,
    'actor_rollout_ref.actor.loss_agg_mode': 'token-mean',
    'actor_rollout_ref.actor.use_kl_loss': false,
    'actor_rollout_ref.rollout.agent.default_agent_loop': 'coa_agent',
    'trainer.total_training_steps': 60,
    '+trainer.v1.sampler.sampler_kwargs.filter_groups_metric': 'reward',
  });
  expect(plan.steps).toEqual({ per_epoch: 15, total: 60, rows_left_out: 40 });
  expect(plan.rl).toMatchObject({ tokens_per_step: 64 * 8 * 32_768, models: ['actor'] });
});

test('AFM’s multi-hop run has a critic and stays near its first weights', () => {
  const { plan } = rlJob({ preset: 'afm-mhqa-7b' });
  expect(plan.hyper_parameters).toMatchObject({
    'algorithm.adv_estimator': 'gae',
    'algorithm.filter_groups.enable': false,
    'critic.optim.lr': 1e-5,
    'actor_rollout_ref.actor.use_kl_loss': true,
    'actor_rollout_ref.actor.kl_loss_coef': 0.001,
    'actor_rollout_ref.rollout.n': 1,
  });
  expect(plan.rl!.models).toEqual(['actor', 'critic', 'reference']);
});

test.each([
  [{}, 1000],
  [{ preset: 'afm-mhqa-7b' }, 600],
  [{ preset: 'afm-code-32b' }, 300],
  [{ trainer: 'trl-rl', max_steps: 7, rl: { prompts_per_step: 3 } }, 9],
  [{ save_steps: 6, max_steps: 20 }, 1000],
] as const)('%j of %i tasks: as many checkpoints are planned as its trainer saves', (section, tasks) => {
  const { plan } = rlJob(section as Section, tasks);
  const { hyper_parameters: keys, steps } = plan;
  const every = Number(keys['trainer.save_freq'] ?? keys.save_steps);
  const saved = Array.from({ length: steps.total }, (_, at) => at + 1).filter(
    (step) => step % every === 0 || step === steps.total,
  );
  expect(plan.estimate.checkpoints).toBe(saved.length);
  expect(saved.length).toBeLessThanOrEqual(10);
});

test('memory is planned for the critic, which is trained, and for the frozen reference', () => {
  const { estimate, nodes, gpus_per_node, model_billion_parameters } = rlJob().plan;
  const billions = model_billion_parameters! / (nodes * gpus_per_node);
  const memoryOf = (section: Section) => rlJob(section).plan.estimate.gpu_memory_gb!;
  expect(memoryOf({ rl: { algorithm: 'ppo' } }) - estimate.gpu_memory_gb!).toBeCloseTo(16 * billions, 0);
  expect(
    memoryOf({ set: { 'actor_rollout_ref.actor.use_kl_loss': true } }) - estimate.gpu_memory_gb!,
  ).toBeCloseTo(2 * billions, 0);
});

test.each(trainingPresetNames)('%s reaches plan, script and gate with its limit of generations', (preset) => {
  const { plan, file } = rlJob({ preset }, 2000);
  const { max_generations: most, max_response_tokens: tokens } = rlPresets[preset].hyper_parameters;
  expect(plan.rl).toMatchObject({ max_generations: most, max_response_tokens: tokens });
  expect(plan.preset).toMatchObject({ name: preset, source: rlPresets[preset].source });
  expect(file('run.sh')).toContain(`coa_check.py ${most}\n`);
  const facts = (max_steps: number) =>
    sampleFacts(
      plan,
      { versions: { verl: '0.9.1' }, loaded: { rows: 2000, validationRows: 0, longest: 9, firstTask: 'q' } },
      { environment: { ...environment, limits: { max_steps, max_response_tokens: tokens } } },
    );
  const verdictOf = (max_steps: number) =>
    judgeFacts(facts(max_steps)).find(({ gate }) => gate === 'environment')!.result;
  expect(verdictOf(most!)).toEqual({ kind: 'pass' });
  for (const other of [most! - 1, most! + 1])
    expect(verdictOf(other)).toMatchObject({
      kind: 'refuse',
      message: expect.stringContaining(`${other} generations`),
    });
});

test('what the job says wins over the preset, and the plan names it', () => {
  const section = { preset: 'afm-mhqa-7b', max_steps: 9, rl: { max_generations: 12 } } as const;
  const { plan, file } = rlJob(section);
  expect(file('run.sh')).toContain('coa_check.py 12\n');
  expect(plan.notes).toContain('otherwise than afm-mhqa-7b: steps, max_generations');
});

test('an update of the weights has no more tasks than a step, and engine and GPUs a copy are those that are set', () => {
  const set = {
    'actor_rollout_ref.rollout.name': 'sglang',
    'actor_rollout_ref.rollout.tensor_model_parallel_size': 4,
  };
  const { plan } = rlJob({ rl: { prompts_per_step: 16 }, set });
  expect(plan.hyper_parameters).toMatchObject({ 'actor_rollout_ref.actor.ppo_mini_batch_size': 16, ...set });
  expect(plan.rl).toMatchObject({ engine: 'sglang', tensor_parallel: 4 });
});

test('run.sh asks the environment server from the job’s machine, and holds no token', () => {
  const script = rlJob().file('run.sh');
  expect(script).toContain('coa_check.py');
  expect(script).toContain('-m verl.trainer.main_ppo');
  expect(script.indexOf('coa_check')).toBeLessThan(script.indexOf('main_ppo'));
  expect(script).not.toMatch(/COA_RL_TOKEN=/);
});

test('TRL is told the same job in its own words', () => {
  const { plan, file } = rlJob({ trainer: 'trl-rl', rl: { rollouts: 4, prompts_per_step: 16 } });
  expect(plan.hyper_parameters).toMatchObject({
    num_generations: 4,
    per_device_train_batch_size: 4,
    gradient_accumulation_steps: 16,
    loss_type: 'dapo',
  });
  expect(file('trl.yaml')).toContain('num_generations: 4');
  expect(file('run.sh')).toContain('-m trl_grpo');
});

describe('the command line', () => {
  const config = trainingConfigSchema.parse({});
  const of = (options: object) => trainingFromCommandLine(config, { set: [], ...options });

  test('--method rl takes the first trainer of it, and --preset that method’s figures', () => {
    const training = of({ method: 'rl', preset: 'afm-code-32b', set: ['rl.rollouts=4'] });
    expect(training).toMatchObject({ trainer: 'verl-rl', model: 'PersonalAILab/AFM-CodeAgent-32B-sft' });
    expect(of({ method: 'rl', preset: 'afm-code-32b', model: 'mine' }).model).toBe('mine');
    expect(rlFigures(training)).toMatchObject({ steps: 2000, rollouts: 4 });
    expect(of({ method: 'rl', trainer: 'trl-rl' }).trainer).toBe('trl-rl');
    expect(of({}).trainer).toBe('llama-factory');
  });

  test.each([
    [{ method: 'rl', trainer: 'verl' }, '--method rl: expected verl-rl or trl-rl as --trainer, got verl'],
    [{ set: ['rl.rollouts=0'] }, 'training.rl.rollouts'],
  ])('%j is refused', (options, message) => {
    expect(() => of(options)).toThrow(message);
  });

  test('keys that would replace the loop are refused', () => {
    const set = { 'reward.custom_reward_function.path': 'mine.py' };
    expect(() => rlJob({ set })).toThrow(UserError);
  });
});

test('a step of verl is followed with what rollouts were like', () => {
  const line = JSON.stringify({
    step: 3,
    data: {
      'actor/pg_loss': -0.02,
      'actor/lr': 1e-6,
      'critic/score/mean': 0.5,
      'coa/part_correctness': 0.4,
      'actor/entropy': 0.31,
      'response_length/mean': 812.4,
      'coa/calls': 2.25,
      'coa/failed': 3,
      'coa/unscored': 0,
      'coa/mixed_groups': 0.61,
    },
  });
  const entry = parseLogLine(trainerTable['verl-rl'], line)!;
  const curve = curveOf([entry]);
  const progress = trainingProgress({
    curve,
    totalSteps: 60,
    fromStep: 0,
    elapsedMs: 180_000,
  });
  expect(jobProgressLine('t/rl', { state: { kind: 'running' }, curve, progress })).toBe(
    't/rl step 3/60 · loss -0.02000 · reward 0.500 · 40% right · entropy 0.31 · 812 tokens · 2.3 calls · 61% mixed · 3 failed · learning rate 1.00e-6 · 1.0 steps/min · 57 min 0 s left',
  );
});

test('too many failed rollouts are told as the cause of the end', () => {
  const console = `Traceback (most recent call last):
  File "main_ppo.py", line 1, in main
ray.exceptions.RayTaskError(TooManyFailures): coa-distill: 4 of 8 rollouts failed (limit 10%); the first: tool (tool): down`;
  const { failures: signs } = trainerTable['verl-rl'];
  expect(crashCause({ exitCode: 1, outOfMemory: false, console, fromStep: 0, signs }).cause).toBe(
    'rollouts_failed',
  );
});

describe('before the start', () => {
  const { plan } = rlJob();
  const trainer = {
    versions: { verl: '0.9.1' },
    loaded: { rows: 1000, validationRows: 0, longest: 900, firstTask: 'q1' },
  };
  const facts = sampleFacts(plan, trainer, { maxPositions: 32_768, freeBytes: 1e15, environment });
  const refusals = (changed: Partial<GateFacts>): string[] =>
    judgeFacts({ ...facts, ...changed }).flatMap(({ result }) =>
      result.kind === 'refuse' || result.kind === 'lacks' ? [result.message] : [],
    );

  test('a job without a fault passes', () => {
    expect(refusals({})).toEqual([]);
  });

  test.each<[Partial<EnvironmentFacts>, string]>([
    [{ url: null }, 'start coa-distill serve rl RUN, and set COA_RL_URL'],
    [
      { problem: 'it does not answer (ECONNREFUSED)' },
      'the environment server at http://h:1: it does not answer',
    ],
    [
      { limits: { max_steps: 25, max_response_tokens: 4096 } },
      'ends a response after 4096 tokens, the trainer after 8192',
    ],
    [{ judgeProblem: 'timeout: the judge' }, 'gives no verdict on a probe (timeout: the judge)'],
  ])('%j is refused', (changed, message) => {
    expect(refusals({ environment: { ...environment, ...changed } }).join()).toContain(message);
  });

  test('lengths and counts that do not fit are refused', () => {
    const loaded = { ...facts.trainer!.loaded!, longest: 5000 };
    expect(refusals({ trainer: { ...facts.trainer!, loaded } }).join()).toContain('a prompt has 5000 tokens');
    expect(refusals({ model: { ...facts.model!, maxPositions: 8192 } }).join()).toContain('8192 positions');
    expect(refusals({ plan: rlJob({ nodes: 2, launcher: 'slurm' }).plan }).join()).toContain(
      '--launcher ray',
    );
    expect(refusals({ plan: rlJob({ nodes: 2, launcher: 'ray' }).plan })).toEqual([]);
    expect(refusals({ plan: rlJob({}, 10).plan }).join()).toContain(
      'a step takes 64 tasks, and the dataset has 10',
    );
  });
});
