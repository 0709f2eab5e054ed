import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import type { GateFacts } from '../../contract/trainingGate.ts';
import type { TrainerName } from '../../schemas/training/jobNames.ts';
import { gatesOf, judgeFacts, passGates } from '../../training/gates/judgeJob.ts';
import { isInRange, unknownArguments } from '../../training/gates/trainerGates.ts';
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

const loading = (loaded: object): Pick<GateFacts, 'trainer'> => ({
  trainer: { ...trainer, loaded: { ...trainer.loaded!, ...loaded } },
});

/** A job whose trainer is told some keys, and has others. */
const told = (hyper_parameters: JsonObject, known: string[], of: TrainerName = 'llama-factory') => ({
  plan: { ...plan, trainer: of, hyper_parameters },
  trainer: { ...trainer, arguments: known },
});

test('a job without a fault passes all gates', () => {
  expect(pass(facts)).toEqual([]);
});

/** The gate that refuses, what its message names, and the fault. */
const refused: readonly [gate: string, names: string, fault: Partial<GateFacts>][] = [
  ['batch', '13 rows', { plan: { ...plan, batch: { ...plan.batch, rows_per_step: 13 } } }],
  ['rows', 'no rows', { plan: { ...plan, dataset: { ...plan.dataset, rows: 0 } } }],
  ['batch', 'more rows', { plan: { ...plan, steps: { ...plan.steps, per_epoch: 0, total: 0 } } }],
  // Near a key of the training section, near one of the trainer, and near none.
  ['trainer', 'did you mean epochs (a key', told({ epochz: 2 }, ['do_train'])],
  ['trainer', 'did you mean weight_decay?', told({ weight_decai: 0.1 }, ['weight_decay'])],
  [
    'trainer',
    'LLaMA-Factory 0.9.5 has no such key: training.set.weight_decay: expected a key of',
    told({ weight_decay: 0.1 }, ['do_train']),
  ],
  [
    'trainer',
    'did you mean +engine.mixed_precision?',
    told({ 'engine.mixed_precision': {} }, ['+engine.mixed_precision'], 'verl'),
  ],
  ['memory', '--set gpus_per_node=0', { gpusGiven: false }],
  ['disk', 't/sft runs', { folderProblem: 'job t/sft runs already' }],
  [
    'rows',
    '/d/tokenized/a.arrow: its SHA-256 is other (and 1 more)',
    { dataset: withAudit({ changedFiles: ['/d/tokenized/a.arrow: its SHA-256 is other', '/d/b: gone'] }) },
  ],
  [
    'masks',
    '3 faults in /runs/t/dataset, the first in /d/a row 2: x',
    { dataset: withAudit({ findings: 3, first: '/d/a row 2: x' }) },
  ],
  ['rows', 'plan it again', { dataset: { ...facts.dataset, manifestSha256: 'b'.repeat(64) } }],
  ['ids', '/models/tiny: no config', { model: { ...model, problem: 'no config.json' } }],
  ['ids', 'train_from_scratch=true', { model: { ...model, missingWeights: ['model.safetensors'] } }],
  [
    'ids',
    'token "a" is 2 there',
    { model: { ...model, tokenizer: { kind: 'differs', difference: 'token "a" is 2 there' } } },
  ],
  ['ids', 'tokenizer.json', { model: { ...model, tokenizer: { kind: 'missing' } } }],
  ['trainer', 'llamafactory==0.9.5', { trainer: { ...trainer, versions: {} } }],
  ['trainer', 'training.python venv/bin/python: gone', { trainer: { ...trainer, problem: 'gone' } }],
  ['trainer', 'llamafactory 0.9.4', { trainer: { ...trainer, versions: { llamafactory: '0.9.4' } } }],
  ['rows', '11 train rows', loading({ rows: 11 })],
  [
    'rows',
    '0 validation rows',
    { plan: { ...plan, dataset: { ...plan.dataset, validation_rows: 3 } }, ...loading({}) },
  ],
  [
    'rows',
    'No module named pyarrow',
    { trainer: { ...trainer, loaded: null, loadError: 'ModuleNotFoundError: No module named pyarrow' } },
  ],
  ['memory', 'cutoff_len: 1000', loading({ longest: 1_001 })],
  ['memory', 'cutoff_len: 899', { model: { ...model, maxPositions: 899 } }],
  ['disk', '2 checkpoints take about 0.200 GB, and 0.190 GB', { freeBytes: 0.19e9 }],
];

test('the number of GPUs that a message names passes the gate of the batch', () => {
  const dataset = { ...plan.dataset, rows: 7 };
  const of = (gpus: number) => ({
    ...facts,
    plan: {
      ...plan,
      dataset,
      gpus_per_node: gpus,
      processes_per_node: Math.max(1, gpus),
      batch: { rows_per_device: 1, gradient_accumulation_steps: 1, rows_per_step: Math.max(1, gpus) },
    },
  });
  const resultOf = (gpus: number, gate: string, gpusGiven = true) =>
    judgeFacts({ ...of(gpus), gpusGiven }).find((verdict) => verdict.gate === gate)!.result;
  const named = { message: expect.stringContaining('--set gpus_per_node=7') };
  expect(resultOf(8, 'batch')).toMatchObject({ kind: 'refuse', ...named });
  expect(resultOf(0, 'memory', false)).toMatchObject({ kind: 'lacks', ...named });
  expect(resultOf(7, 'batch')).toEqual({ kind: 'pass' });
});

test.each(refused)('the gate of %s refuses, and names %s', (gate, names, fault) => {
  const changed = { ...facts, ...fault };
  const { result } = judgeFacts(changed).find((verdict) => verdict.gate === gate)!;
  expect(result).toMatchObject({
    kind: expect.stringMatching(/^(refuse|lacks)$/),
    message: expect.stringContaining(names),
  });
  expect(() => pass(changed)).toThrow(UserError);
});

test('each gate on rows has a fault that it refuses', () => {
  expect(new Set(refused.map(([gate]) => gate))).toEqual(new Set(Object.keys(gatesOf('llama-factory'))));
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
  const unchecked = pass({ ...facts, setKeys: ['epochz'], model: null, trainer: null });
  expect(unchecked).toHaveLength(4);
  expect(unchecked.join('\n')).toMatch(
    /which its Python does not say: training.set.epochz: did you mean epochs/,
  );
  expect(unchecked.join('\n')).toContain("the trainer's own loading: its Python is not on this machine");
});

test('a Python without the trainer is one fault: what it would have loaded is not known', () => {
  const gates = judgeFacts({
    ...facts,
    trainer: { ...trainer, versions: {}, loaded: null, loadError: null },
  });
  const kindOf = (name: string) => gates.find(({ gate }) => gate === name)?.result.kind;
  expect([kindOf('trainer'), kindOf('rows')]).toEqual(['lacks', 'unchecked']);
});

test('a dataset that can not be audited is said', () => {
  const dataset = withAudit({ problem: "dataset.tokenizer: t.json can't be read" });
  expect(pass({ ...facts, dataset })).toEqual([
    "the check of the masks: dataset.tokenizer: t.json can't be read",
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
  expect(() => pass({ ...facts, dataset })).toThrow('the check finds 1 faults');
});

test('a model that only pods have is unchecked', () => {
  expect(pass({ ...facts, model: null }).join()).toContain(
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

test('verl’s keys are known with what Hydra lets stand before them, and below what takes any', () => {
  const known = ['optim.weight_decay', '+engine.mixed_precision', '+model.override_config.*'];
  const keys = ['++engine.mixed_precision', '++optim.weight_decay', '+model.override_config.attn'];
  expect(unknownArguments([...keys, '+optim.weight_decay', 'optim'], known)).toEqual([
    '+optim.weight_decay',
    'optim',
  ]);
});
