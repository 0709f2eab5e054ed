import { describe, expect, test } from 'vitest';
import { rlTaskPresets } from '../../rl/rlConfig.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { trainingPresetNames, trainingPresets } from '../../schemas/training/presets.ts';
import { rlPresets } from '../../schemas/training/rlPresets.ts';
import { modelFactsOfName } from '../../training/plan/estimateJob.ts';
import { expectSourced } from '../support/sourcedFigures.ts';
import { plannedJob, sampleManifest } from './support/plannedJob.ts';
import { rlFigures, sftFigures } from './support/presetFigures.ts';

describe.each([
  ['fine-tuning', trainingPresets, sftFigures],
  ['reinforcement learning', rlPresets, rlFigures],
] as const)('each figure of %s has its source', (_, presets, table) => {
  test.each(trainingPresetNames)('%s', (name) => {
    const { hyper_parameters, hardware, source, ...more } = presets[name];
    const { not_published, ...besides } = more;
    expectSourced({ ...hyper_parameters, ...besides, ...hardware }, table[name]);
    const file = source.replace(/^.*, /, '').replace(/^section /, 'paper ');
    expect(table[name].filter(([, , read]) => read.startsWith(file)).length).toBeGreaterThan(3);
  });
});

test('the selections of tasks are the paper’s (arXiv 2508.13167)', () => {
  const read = {
    // Section 3.3.1, equations 8 and 9.
    afm_web: { max: 0.3, min_samples: 32, above_min: false, below_max: false },
    // Section 3.3.1: 8 samples, all solved is out; 4.2.1: none solved is out. A limit of its own it has not.
    afm_code: { max: 1, min_samples: 8, above_min: true, below_max: true },
  };
  expect(rlTaskPresets).toMatchObject(read);
  expect(Object.keys(rlTaskPresets).filter((name) => name.startsWith('afm'))).toEqual(Object.keys(read));
});

test('script and paper exist side by side, and differ', () => {
  for (const name of trainingPresetNames.filter((one) => !one.endsWith('-paper'))) {
    const paper = `${name}-paper` as typeof name;
    expect(trainingPresets[paper].hyper_parameters).not.toEqual(trainingPresets[name].hyper_parameters);
    expect(trainingPresets[paper].hyper_parameters.model).toBe(trainingPresets[name].hyper_parameters.model);
  }
});

test('a preset reaches the trainer, and the plan says where it is from', () => {
  const { plan } = plannedJob({ preset: 'afm-mhqa-3b' });
  expect(plan.hyper_parameters).toMatchObject({
    model_name_or_path: 'Qwen/Qwen2.5-3B-Instruct',
    stage: 'sft',
    finetuning_type: 'full',
    deepspeed: 'deepspeed-zero3.json',
    learning_rate: 1e-5,
    warmup_ratio: 0.03,
    lr_scheduler_type: 'linear',
    per_device_train_batch_size: 1,
    gradient_accumulation_steps: 16,
    num_train_epochs: 4,
    bf16: true,
  });
  expect(plan.preset).toMatchObject({
    name: 'afm-mhqa-3b',
    source: 'github.com/OPPO-PersonalAI/Agent_Foundation_Models, AFM/train/mhqa_agent/sft/sft_qwen2.5_3b.sh',
    published_hardware: { nodes: 1, gpus_per_node: 8 },
  });
  expect(plan.notes.join()).toContain('rows of up to 5120 tokens');
  const { preset } = plannedJob({ preset: 'afm-web-7b-paper' }).plan;
  expect(preset).toMatchObject({ source: 'arXiv 2508.13167, section 4.1.1', published_hardware: null });
});

test('a preset of reinforcement learning starts from AFM’s fine-tuned model of its own size', () => {
  for (const preset of trainingPresetNames) {
    const { training, plan } = plannedJob({ preset, trainer: 'verl-rl' });
    const size = /\d+b/.exec(preset)![0].toUpperCase();
    expect(training.model).toMatch(new RegExp(`^PersonalAILab/AFM-\\w+.*-${size}-sft$`));
    expect(modelFactsOfName(training.model).parameters).toBe(Number.parseInt(size, 10) * 1e9);
    expect(plan.hyper_parameters['actor_rollout_ref.model.path']).toBe(rlPresets[preset].model);
    expect(plan.notes.join()).toContain(rlPresets[preset].model);
  }
  const { plan } = plannedJob({ preset: 'afm-web-32b', trainer: 'verl-rl', model: 'mine' });
  expect(plan.notes).toContain('otherwise than afm-web-32b: model');
});

test('a plan of too few tasks still names the steps of its preset', () => {
  const { plan } = plannedJob(
    { preset: 'afm-code-32b', trainer: 'verl-rl' },
    { manifest: sampleManifest(20) },
  );
  expect(plan.steps).toEqual({ per_epoch: 0, total: 2000, rows_left_out: 20 });
});

test('a key beside a preset wins, and the plan says so', () => {
  const { plan } = plannedJob({ preset: 'afm-code-7b', learning_rate: 1e-5 });
  expect(plan.hyper_parameters).toMatchObject({ learning_rate: 1e-5, num_train_epochs: 2 });
  expect(plan.notes).toContain('otherwise than afm-code-7b: learning_rate');
});

test('the section with all values filled in means the same when it is read again', () => {
  for (const preset of [null, ...trainingPresetNames]) {
    const section = trainingConfigSchema.parse({ preset, epochs: 7, rl: { rollouts: 3 } });
    expect(trainingConfigSchema.parse(section)).toEqual(section);
  }
});

test('the memory that is estimated for the web agent fits the GPUs that its script names', () => {
  const { plan } = plannedJob({ preset: 'afm-web-7b' });
  expect(plan.estimate.gpu_memory_gb).toBeGreaterThan(40);
  expect(plan.estimate.gpu_memory_gb).toBeLessThan(80);
});
