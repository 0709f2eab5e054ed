import { describe, expect, test } from 'vitest';
import { trainingPlanSchema } from '../../schemas/training/trainingPlan.ts';
import { plannedJob, sampleManifest } from './support/plannedJob.ts';

test('without a word AFM’s web run on the GPUs of a machine, with the schedule that both trainers know', () => {
  const { plan } = plannedJob();
  expect(plan).toMatchObject({
    trainer: 'llama-factory',
    launcher: 'local',
    preset: null,
    nodes: 1,
    gpus_per_node: 8,
    processes_per_node: 8,
    batch: { rows_per_device: 1, gradient_accumulation_steps: 16, rows_per_step: 128 },
    steps: { per_epoch: 8, total: 32, rows_left_out: 0 },
    hyper_parameters: { lr_scheduler_type: 'cosine', tokenized_path: '../../dataset/tokenized' },
    notes: [],
  });
  expect(trainingPlanSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
});

test('verl’s keys have the same arithmetic, and what an epoch leaves out is said', () => {
  const { plan } = plannedJob({ trainer: 'verl', nodes: 2, launcher: 'slurm', epochs: 3 });
  expect(plan.hyper_parameters).toMatchObject({
    'data.train_batch_size': 256,
    'data.micro_batch_size_per_gpu': 1,
    'data.max_length': 32_768,
    'data.truncation': 'error',
    'trainer.total_epochs': 3,
    'trainer.logger': ['console', 'file'],
  });
  expect(plan.steps).toEqual({ per_epoch: 3, total: 9, rows_left_out: 1000 - 3 * 256 });
  expect(plan.notes.join()).toContain('leaves out 232 rows');
});

test('a validation split is read by both trainers', () => {
  const manifest = sampleManifest(100, 10);
  const llamaFactory = plannedJob({}, { manifest }).plan;
  expect(llamaFactory.dataset).toMatchObject({ rows: 100, validation_rows: 10, tokens: 400_000 });
  expect(llamaFactory.hyper_parameters).toMatchObject({ eval_dataset: 'unused', eval_strategy: 'epoch' });
  const verl = plannedJob({ trainer: 'verl' }, { manifest }).plan;
  expect(verl.hyper_parameters['data.val_files']).toEqual(['../../dataset/verl/validation.parquet']);
});

test('steps instead of epochs, and checkpoints between', () => {
  const { plan } = plannedJob({ max_steps: 20, save_steps: 6, set: { save_total_limit: 3 } });
  expect(plan.steps.total).toBe(20);
  expect(plan.epochs).toBe(3);
  expect(plan.hyper_parameters).toMatchObject({ max_steps: 20, save_strategy: 'steps', save_steps: 6 });
});

test.each([
  // 20 steps make four checkpoints; one too many goes when the next one is there.
  [{}, 4],
  [{ set: { save_total_limit: 0 } }, 4],
  [{ set: { save_total_limit: 1 } }, 2],
  [{ set: { save_total_limit: 2 } }, 3],
  [{ set: { save_total_limit: 9 } }, 4],
  [{ trainer: 'verl', set: { 'trainer.max_ckpt_to_keep': 0 } }, 4],
  // verl makes room before it saves, but for the only one.
  [{ trainer: 'verl', set: { 'trainer.max_ckpt_to_keep': 1 } }, 2],
  [{ trainer: 'verl', set: { '++trainer.max_ckpt_to_keep': 3 } }, 3],
] as const)('%j: so many checkpoints at a time are estimated: %s', (section, count) => {
  const { plan } = plannedJob({ max_steps: 20, save_steps: 6, ...(section as object) });
  expect(plan.estimate.checkpoints).toBe(count);
});

/** Every flag that AFM's scripts of fine-tuning give LLaMA-Factory (sft_qwen2.5_7b.sh of the web agent, lines 54 to 78). */
test.each<[string, string | number | boolean, RegExp | null]>([
  ['deepspeed', 'examples/deepspeed/ds_z3_config.json', /expected an absolute path, .* has ZeRO stage 3/],
  ['deepspeed', '/etc/ds_z3_config.json', null],
  ['model_name_or_path', 'm', /set training\.model instead/],
  ['trust_remote_code', true, null],
  ['stage', 'sft', /refused/],
  ['do_train', true, /refused/],
  ['finetuning_type', 'full', null],
  ['dataset', 'd', /refused/],
  ['template', 'qwen', /refused/],
  ['cutoff_len', 32_768, /set dataset\.cutoff_len/],
  ['output_dir', 'o', /output_dir: refused, for the job is followed/],
  ['per_device_train_batch_size', 1, /set training\.per_device_batch_size/],
  ['gradient_accumulation_steps', 16, /set training\.gradient_accumulation_steps/],
  ['learning_rate', 1.4e-5, /set training\.learning_rate/],
  ['warmup_ratio', 0.1, /set training\.warmup_ratio/],
  ['num_train_epochs', 4, /set training\.epochs/],
  ['bf16', true, null],
  ['save_strategy', 'epoch', /set training\.save_steps/],
  ['save_only_model', true, null],
  ['report_to', 'swanlab', null],
  ['logging_steps', 10, /refused/],
  ['use_swanlab', true, null],
  ['swanlab_api_key', 'xxx', /environment variable/],
  ['swanlab_project', 'xxx', /does nothing without use_swanlab/],
  ['ignore_observation_token', 'observation', /ids and masks/],
  ['ignore_observation', true, /ids and masks/],
])('AFM’s flag %s %j is taken, or refused with a hint: %s', (key, value, refusal) => {
  const planned = () => plannedJob({ set: { [key]: value } }).plan.hyper_parameters;
  if (refusal) expect(planned).toThrow(refusal);
  else expect(planned()).toMatchObject({ [key]: value });
});

test.each([
  [{}, 'none'],
  [{ use_swanlab: true, swanlab_project: 'p' }, 'swanlab'],
  [{ use_swanlab: false }, 'none'],
  [{ use_swanlab: true, report_to: 'wandb' }, 'wandb'],
  [{ report_to: 'tensorboard' }, 'tensorboard'],
] as const)('%j reports to %s', (set, tracker) => {
  expect(plannedJob({ set }).plan.hyper_parameters).toMatchObject({ ...set, report_to: tracker });
});

test('a number of GPUs that nobody gave is said to be assumed elsewhere, and counted here', () => {
  expect(plannedJob({ launcher: 'slurm' }).plan.notes).toEqual([
    '8 GPUs a machine are assumed: --set gpus_per_node=N says otherwise',
  ]);
  const { plan } = plannedJob({}, { gpusHere: 0 });
  expect(plan).toMatchObject({ gpus_per_node: 0, processes_per_node: 1, notes: [] });
  expect(plannedJob({}, { gpusHere: 2 }).plan).toMatchObject({ gpus_per_node: 2, notes: [] });
});

describe('estimates', () => {
  test('follow the rules of the documentation', () => {
    const { estimate } = plannedJob({ epochs: 1 }).plan;
    // 16 bytes a weight over 8 GPUs, two gathered layers, activations and logits of 32,768 tokens, 2 GB of context.
    const activations = 32_768 * (2 * 28 * 3584 + 34 * 3584 + 10 * 152_064);
    expect(estimate.gpu_memory_gb).toBeCloseTo((16 * 7.6) / 8 + (4 * 7.6) / 28 + activations / 1e9 + 2, 0);
    expect(estimate.hours).toBeCloseTo((6 * 7.6e9 * 4_000_000) / (8 * 312e12 * 0.35) / 3600, 2);
    expect(estimate.checkpoint_gb).toBeCloseTo(14 * 7.6, 0);
  });

  test('are less with LoRA, with more GPUs, and absent where the model’s size is', () => {
    const full = plannedJob().plan.estimate;
    expect(plannedJob({ set: { finetuning_type: 'lora' } }).plan.estimate.gpu_memory_gb).toBeLessThan(
      full.gpu_memory_gb!,
    );
    expect(plannedJob({ nodes: 4, launcher: 'slurm' }).plan.estimate.gpu_memory_gb).toBeLessThan(
      full.gpu_memory_gb!,
    );
    const model = { parameters: null, layers: null, hiddenSize: null, vocabularySize: null };
    expect(plannedJob({}, { model }).plan.estimate).toMatchObject({
      gpu_memory_gb: null,
      hours: null,
      checkpoint_gb: null,
    });
  });
});

describe('settings that can’t be', () => {
  test.each([
    [{ set: { packing: true } }, /training\.set\.packing: refused, for the rows' ids and masks/],
    [{ set: { tokenized_path: '/x' } }, /tokenized_path: refused/],
    [{ set: { early_stopping_steps: 3 } }, /early_stopping_steps: refused, for the plan counts every step/],
    [{ set: { use_ray: true } }, /use_ray: refused, .*set training\.launcher instead/],
    [
      { set: { swanlab_mode: 'local', use_swanlab: false } },
      /swanlab_mode: does nothing without use_swanlab/,
    ],
    [
      { gpus_per_node: 2, processes_per_node: 16 },
      /training\.processes_per_node: expected at most 2, one a GPU, got 16/,
    ],
    [{ set: { 'a b': 1 } }, /expected a key of LLaMA-Factory's configuration/],
    [{ set: { run_name: `\${oc.env:HOME}` } }, /run_name: expected text without/],
    [{ set: { run_name: 'a\nb' } }, /expected one line/],
    [{ model: `\${oc.env:HOME}` }, /training\.model: expected text without/],
    [{ trainer: 'verl', set: { 'data.custom_cls.path': '/x' } }, /data\.custom_cls\.path: refused/],
    [{ trainer: 'verl', set: { '++data.max_length': 9 } }, /data\.max_length: refused/],
    [{ trainer: 'verl', set: { data: {} } }, /training\.set\.data: refused/],
    [{ trainer: 'verl', set: { 'data.custom_cls': {} } }, /custom_cls: refused/],
    [{ trainer: 'verl', set: { 'optim.x;y': 1 } }, /expected a key of verl's configuration/],
    [{ trainer: 'verl', lr_scheduler: 'linear' }, /expected cosine or constant/],
    [{ trainer: 'verl', epochs: 1.5 }, /expected a whole number/],
    [{ nodes: 2 }, /training\.nodes: expected 1 for launcher local/],
    [{ launcher: 'kubernetes' }, /training\.kubernetes\.image: expected an image/],
  ] as const)('%j', (section, message) => {
    expect(() => plannedJob(section as object)).toThrow(message);
  });

  test('a dataset without the trainer’s format', () => {
    const manifest = { ...sampleManifest(10), formats: ['afm' as const] };
    expect(() => plannedJob({}, { manifest })).toThrow(/has no tokenized format.*export RUN --to tokenized/);
  });

  test.each(['trainer.logger', '+trainer.logger', '++trainer.logger'])(
    'the job’s own log stays whatever %s says',
    (key) => {
      const { hyper_parameters } = plannedJob({ trainer: 'verl', set: { [key]: ['wandb'] } }).plan;
      const loggers = Object.entries(hyper_parameters).filter(([name]) => name.endsWith('logger'));
      expect(loggers).toEqual([['trainer.logger', ['console', 'file', 'wandb']]]);
    },
  );

  test('keys that only look alike are taken', () => {
    const { plan } = plannedJob({
      trainer: 'verl',
      set: { 'data.balance_dp_token': true, '+engine.mixed_precision': null, 'trainer.logger': ['wandb'] },
      gpus_per_node: 0,
    });
    expect(plan.hyper_parameters).toMatchObject({
      'data.balance_dp_token': true,
      '+engine.mixed_precision': null,
      'trainer.logger': ['console', 'file', 'wandb'],
    });
  });
});
