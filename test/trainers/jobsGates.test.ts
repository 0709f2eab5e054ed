import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type TrainerName, trainerNames } from '../../schemas/training/jobNames.ts';
import { trainerFacts } from '../../training/gates/trainerFacts.ts';
import { unknownArguments } from '../../training/gates/trainerGates.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { plannedJob } from '../training/support/plannedJob.ts';
import { samplePlan } from '../training/support/sampleJob.ts';
import {
  createTrainingProject,
  jobFolder,
  type TrainingProject,
  trainArguments,
  trainerEnvironment,
  trainerPython,
} from './support/trainJob.ts';

const folder = sharedFolder();
let project: TrainingProject;

beforeAll(async () => {
  project = await createTrainingProject(folder, 4);
});

test('a key that the installed trainer does not have, and no room for checkpoints, are refused and nothing is written', async () => {
  const options = { set: ['epochz=2', 'save_steps=1', 'max_steps=10000000'] };
  const result = await runCli(trainArguments(project, 'refused', options), {
    cwd: folder,
    env: trainerEnvironment(project, 'llamafactory'),
  });
  expect(result.code, result.stdout).toBe(2);
  expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(existsSync(jobFolder(project, 'refused'))).toBe(false);
  expect(result.stderr).toContain(
    'LLaMA-Factory 0.9.5 has no such key: training.set.epochz: did you mean epochs',
  );
  expect(result.stderr).toContain('keep fewer (--set save_total_limit=1)');
});

test.each<[TrainerName, 'llamafactory' | 'trainers']>([
  ['llama-factory', 'llamafactory'],
  ['verl', 'trainers'],
])('%s’s own loading gives the rows and their lengths', async (trainer, environment) => {
  const dataset = path.join(folder, 'runs/t/dataset');
  const { dataset: sample } = samplePlan();
  const facts = await trainerFacts({
    python: trainerPython(environment),
    plan: samplePlan({ trainer, dataset: { ...sample, folder: dataset } }),
    files: { train: ['verl/sft.parquet'], validation: [] },
    readsKeys: false,
  });
  const tokens = JSON.parse(readFileSync(path.join(dataset, 'manifest.json'), 'utf8')).tokens as number;
  expect(facts).toMatchObject({ problem: null, loadError: null, loaded: { rows: 4, validationRows: 0 } });
  expect(facts.loaded!.longest).toBeGreaterThanOrEqual(tokens / 4);
  expect(facts.loaded!.longest).toBeLessThan(tokens);
});

/** What a job may set: with a critic and a reference, and on a CPU, there are most keys. */
const sections = [{}, { gpus_per_node: 0, max_steps: 3, save_steps: 2 }, { preset: 'afm-mhqa-7b' }] as const;

test.each(trainerNames)('every key that %s is told is one of the installed trainer', async (trainer) => {
  const plans = sections.map((section) => plannedJob({ trainer, ...section }).plan);
  const keys = plans.flatMap((plan) => Object.keys(plan.hyper_parameters));
  const facts = await trainerFacts({
    python: trainerPython(trainer.startsWith('llama-factory') ? 'llamafactory' : 'trainers'),
    plan: plans[0]!,
    files: { train: [], validation: [] },
    readsKeys: true,
  });
  expect(unknownArguments([...new Set([...keys, 'epochz'])], facts.arguments!)).toEqual(['epochz']);
});

test('a dataset that the trainer can’t load is told by its own words', async () => {
  const rows = path.join(folder, 'runs/t/dataset/tokenized/data-00000-of-00001.arrow');
  renameSync(rows, `${rows}.away`);
  const facts = await trainerFacts({
    python: trainerPython('llamafactory'),
    plan: samplePlan({ dataset: { ...samplePlan().dataset, folder: path.join(folder, 'runs/t/dataset') } }),
    files: { train: [], validation: [] },
    readsKeys: false,
  });
  renameSync(`${rows}.away`, rows);
  expect(facts).toMatchObject({ loaded: null, loadError: expect.stringContaining('FileNotFoundError') });
});
