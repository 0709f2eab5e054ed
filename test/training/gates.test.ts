import { describe, expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import type { GateFacts } from '../../contract/trainingGate.ts';
import { judgeFacts, passGates } from '../../training/gates/judgeJob.ts';
import { isInRange } from '../../training/gates/trainerGates.ts';
import { sampleFacts, samplePlan } from './support/sampleJob.ts';

const plan = samplePlan();
const facts = sampleFacts(plan, { python: 'venv/bin/python', versions: { llamafactory: '0.9.5' } });
/** What could not be checked; throws what a gate refuses. */
const pass = (changed: GateFacts) => passGates(judgeFacts(changed));
const withAudit = (audit: Partial<GateFacts['dataset']['audit']>) => ({
  ...facts.dataset,
  audit: { ...facts.dataset.audit, ...audit },
});
const { model, trainer } = facts as {
  model: NonNullable<GateFacts['model']>;
  trainer: NonNullable<GateFacts['trainer']>;
};

test('a job without a fault passes all gates', () => {
  expect(pass(facts)).toEqual([]);
});

const refused: readonly [fault: string, changed: Partial<GateFacts>, says: string, advises: string][] = [
  [
    'a batch larger than the data',
    { plan: { ...plan, batch: { ...plan.batch, rows_per_step: 13 } } },
    'an optimiser step takes 13 rows (nodes x processes x rows a device x accumulation), and the dataset has 12',
    'lower training.gradient_accumulation_steps',
  ],
  [
    'no rows',
    { plan: { ...plan, dataset: { ...plan.dataset, rows: 0 } } },
    '/runs/t/dataset has no rows to train on',
    'and make more',
  ],
  [
    'a key that nobody knows, near one of the training section',
    { plan: { ...plan, hyper_parameters: { epochz: 2 } } },
    'LLaMA-Factory 0.9.5 has no such key: training.set.epochz',
    'did you mean epochs (a key of the training section)?',
  ],
  [
    'a key that nobody knows, near one of the trainer',
    { plan: { ...plan, hyper_parameters: { weight_decai: 0.1 } } },
    'training.set.weight_decai',
    'did you mean weight_decay?',
  ],
  [
    'a key that only another version has',
    {
      plan: { ...plan, hyper_parameters: { weight_decay: 0.1 } },
      trainer: { ...trainer, versions: { llamafactory: '0.9.5.post1' }, arguments: ['do_train'] },
    },
    'LLaMA-Factory 0.9.5.post1 has no such key: training.set.weight_decay',
    "expected a key of LLaMA-Factory's configuration, such as weight_decay",
  ],
  [
    'a key that verl would have to be told with a +',
    {
      plan: { ...plan, trainer: 'verl', hyper_parameters: { engine: 'fsdp', 'engine.mixed_precision': {} } },
    },
    'verl 0.9.1 has no such key: training.set.engine.mixed_precision',
    'did you mean +engine.mixed_precision?',
  ],
  [
    'a machine without a GPU',
    { gpusGiven: false },
    'no GPU was found on this machine',
    'say --gpus-per-node 0 to train on the CPU',
  ],
  ['a folder in use', { folderProblem: 'job t/sft runs already' }, 'job t/sft runs already', ''],
  [
    'no step at all',
    { plan: { ...plan, steps: { ...plan.steps, per_epoch: 0, total: 0 } } },
    'an optimiser step takes',
    'make more rows',
  ],
  [
    'an edited dataset',
    { dataset: withAudit({ changedFiles: ['/d/tokenized/a.arrow: its SHA-256 is other', '/d/b: gone'] }) },
    '/d/tokenized/a.arrow: its SHA-256 is other (and 1 more)',
    'export again: the command of the run, with --from export',
  ],
  [
    'masks with a fault',
    { dataset: withAudit({ findings: 3, first: '/d/verl/sft.parquet row 2: an observation is trained' }) },
    'the audit finds 3 faults in /runs/t/dataset, the first in /d/verl/sft.parquet row 2: an observation is trained',
    'coa-distill audit /runs/t/dataset',
  ],
  [
    'another manifest than the plan’s',
    { dataset: { ...facts.dataset, manifestSha256: 'b'.repeat(64) } },
    'manifest.json changed since the job was planned',
    'plan it again',
  ],
  [
    'a folder that is no model',
    {
      model: {
        ...model,
        problem: 'config.json is missing (the folder holds a.txt); name the folder that has it',
      },
    },
    'model /models/tiny: config.json is missing',
    'name the folder that has it',
  ],
  [
    'missing weights',
    { model: { ...model, missingWeights: ['model-00002-of-00002.safetensors'] } },
    'its weights are missing (model-00002-of-00002.safetensors)',
    'train_from_scratch=true',
  ],
  [
    'another tokenizer',
    {
      model: {
        ...model,
        tokenizer: { kind: 'differs', difference: 'token "a" is 2 there and 1 in the dataset' },
      },
    },
    'those of tokenizer qwen2.5, and /models/tiny has another one (token "a" is 2 there and 1 in the dataset)',
    'set dataset.tokenizer: /models/tiny/tokenizer.json and export again',
  ],
  [
    'no tokenizer',
    { model: { ...model, tokenizer: { kind: 'missing' } } },
    'tokenizer.json is missing',
    'copy it there',
  ],
  [
    'a Python without the trainer',
    { trainer: { ...trainer, versions: {} } },
    'venv/bin/python has no llamafactory',
    "install llamafactory==0.9.5 there, or name the environment's Python with --python",
  ],
  [
    'a Python that is none',
    { trainer: { ...trainer, problem: 'there is no such program' } },
    '--python venv/bin/python: there is no such program',
    'name the Python of the environment with llamafactory',
  ],
  [
    'a version that was not tested',
    { trainer: { ...trainer, versions: { llamafactory: '0.9.4' } } },
    'has llamafactory 0.9.4, and the masks are proved with 0.9.5',
    'install llamafactory==0.9.5',
  ],
  [
    'rows that the trainer drops',
    { trainer: { ...trainer, loaded: { rows: 11, validationRows: 0, longest: 900 } } },
    'llama-factory loads 11 train rows from /runs/t/dataset, and the dataset has 12',
    'export again',
  ],
  [
    'validation rows that the trainer drops',
    {
      plan: { ...plan, dataset: { ...plan.dataset, validation_rows: 3 } },
      trainer: { ...trainer, loaded: { rows: 12, validationRows: 0, longest: 900 } },
    },
    'llama-factory loads 0 validation rows',
    'export again',
  ],
  [
    'a dataset that does not load',
    { trainer: { ...trainer, loaded: null, loadError: 'ModuleNotFoundError: No module named pyarrow' } },
    "can't be loaded by the trainer's Python (ModuleNotFoundError: No module named pyarrow)",
    'install what it misses',
  ],
  [
    'rows that are longer than the trainer is told',
    { trainer: { ...trainer, loaded: { rows: 12, validationRows: 0, longest: 1_001 } } },
    'rows of up to 1001 tokens, and the trainer is told of 1000',
    'export again with dataset.cutoff_len: 1000',
  ],
  [
    'a model of fewer positions',
    { model: { ...model, maxPositions: 899 } },
    'rows have up to 900 tokens, and /models/tiny takes 899 (max_position_embeddings)',
    'set dataset.cutoff_len: 899',
  ],
  [
    'too small a disk',
    { freeBytes: 0.19e9 },
    '2 checkpoints take about 0.200 GB, and 0.190 GB are free',
    'keep fewer (--set save_total_limit=1)',
  ],
];

describe('a gate refuses, and says what to change:', () => {
  test.each(refused)('%s', (_fault, changed, says, advises) => {
    const judge = () => pass({ ...facts, ...changed });
    expect(judge).toThrow(UserError);
    expect(judge).toThrow(says);
    expect(judge).toThrow(advises);
  });
});

test('several faults are told at once', () => {
  const judge = () =>
    pass({ ...facts, freeBytes: 0, model: { ...model, missingWeights: ['model.safetensors'] } });
  expect(judge).toThrow(/its weights are missing.*; also: .*checkpoints take about/);
});

test('random weights need no files of weights', () => {
  const fromScratch = { ...plan, hyper_parameters: { train_from_scratch: true } };
  expect(
    pass({ ...facts, plan: fromScratch, model: { ...model, missingWeights: ['model.safetensors'] } }),
  ).toEqual([]);
});

test('what can not be looked at is said: a model by name, a Python elsewhere', () => {
  const unchecked = pass({ ...facts, model: null, trainer: null });
  expect(unchecked).toHaveLength(5);
  expect(unchecked.join('\n')).toContain("the trainer's own loading: its Python is not on this machine");
});

test('a Python without the trainer is one fault: what it would have loaded is not known', () => {
  const gates = judgeFacts({
    ...facts,
    trainer: { ...trainer, versions: {}, loaded: null, loadError: null },
  });
  const kindOf = (name: string) => gates.find(({ gate }) => gate === name)?.result.kind;
  expect([kindOf('trainer'), kindOf('loaded rows')]).toEqual(['lacks', 'unchecked']);
});

test('a dataset that can not be audited is said', () => {
  const dataset = withAudit({ problem: "dataset.tokenizer: t.json can't be read" });
  expect(pass({ ...facts, dataset })).toEqual([
    "the audit of the masks: dataset.tokenizer: t.json can't be read",
  ]);
});

test('without the trainer’s own loading nobody knows the longest row, unless the model takes the cutoff', () => {
  const judge = (maxPositions: number) =>
    pass({ ...facts, trainer: null, model: { ...model, maxPositions } }).join();
  expect(judge(999)).toContain(
    'the longest row: up to 1000 tokens (dataset.cutoff_len), and /models/tiny takes 999',
  );
  expect(judge(1_000)).not.toContain('the longest row');
});

test('faults that were found before an audit broke off refuse', () => {
  const dataset = withAudit({ problem: 'it broke off', findings: 1, first: 'a row 2: x' });
  expect(() => pass({ ...facts, dataset })).toThrow('the audit finds 1 faults');
});

test('a model that only pods have is unchecked', () => {
  expect(pass({ ...facts, model: null })).toContain(
    "the model: /models/tiny is not on this machine, and the job's machines have to have it",
  );
});

test.each([
  ['0.9.5', true],
  ['0.9.5.post1', true],
  ['0.9.5+cpu', true],
  ['0.9.10', false],
  ['0.9.5.dev0', false],
  ['0.9.5rc1', false],
  ['0.9.4', false],
  ['0.9.6', false],
  ['0.9.6.dev0', false],
  ['0.10', false],
  ['1', false],
  ['unknown', false],
])('version %s lies in the tested range: %s', (version, isIn) => {
  expect(isInRange(version, '0.9.5', '0.9.6')).toBe(isIn);
});

test.each([
  ['with another engine', { engine: 'megatron', 'engine.tensor_model_parallel_size': 2 }],
  ['set whether it is there or not', { '++engine.mixed_precision': {}, '++optim.weight_decay': 0 }],
  ['below what takes any', { '+model.override_config.attn_implementation': 'sdpa', '+trainer.mine': 1 }],
])('verl’s keys %s are known', (_how, keys) => {
  const hyper_parameters = { engine: 'fsdp', optim: 'fsdp', ...keys };
  const verl = { ...facts, plan: { ...plan, trainer: 'verl' as const, hyper_parameters }, trainer: null };
  expect(judgeFacts(verl)).toContainEqual({ gate: 'keys', result: { kind: 'pass' } });
});
