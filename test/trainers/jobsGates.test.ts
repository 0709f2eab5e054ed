import {
  appendFileSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TrainerName } from '../../schemas/training/jobNames.ts';
import { trainerFacts } from '../../training/gates/trainerFacts.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
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

/** A copy of the tiny model with something changed. */
function changedModel(name: string, change: (model: string) => void): string {
  const model = path.join(folder, name);
  cpSync(project.model, model, { recursive: true });
  change(model);
  return model;
}

/** Replaces text in a file of a model. */
function replaceIn(file: string, from: RegExp, to: string): void {
  const text = readFileSync(file, 'utf8');
  expect(text).toMatch(from);
  writeFileSync(file, text.replace(from, to));
}

const refusals: readonly [
  fault: string,
  options: () => Parameters<typeof trainArguments>[2],
  says: string,
][] = [
  [
    'a batch larger than the data',
    () => ({ set: ['per_device_batch_size=5'] }),
    'the dataset has 4: lower training.',
  ],
  [
    'a model folder that is not there',
    () => ({ model: path.join(folder, 'nowhere') }),
    'there is no such folder',
  ],
  [
    'a model without weights',
    () => ({ model: changedModel('bare', (model) => rmSync(path.join(model, 'model.safetensors'))) }),
    'its weights are missing (model.safetensors)',
  ],
  [
    'a model with another tokenizer',
    () => ({
      model: changedModel('other', (model) =>
        replaceIn(path.join(model, 'tokenizer.json'), /"<\|fim_pad\|>"/g, '"<|other|>"'),
      ),
    }),
    'it has no token "<|fim_pad|>"',
  ],
  [
    'a model of fewer positions than the rows have tokens',
    () => ({
      model: changedModel('short', (model) =>
        replaceIn(
          path.join(model, 'config.json'),
          /"max_position_embeddings": \d+/,
          '"max_position_embeddings": 64',
        ),
      ),
    }),
    'takes 64 (max_position_embeddings): set dataset.cutoff_len: 64',
  ],
  [
    'a Python without the trainer',
    () => ({ args: ['--python', trainerPython('trainers')] }),
    `${trainerPython('trainers')} has no llamafactory: install llamafactory==0.9.5 there`,
  ],
  [
    'a key that it does not have',
    () => ({ set: ['epochz=2'] }),
    'LLaMA-Factory 0.9.5 has no such key: training.set.epochz: did you mean epochs',
  ],
  [
    'a disk without room for the checkpoints',
    () => ({ set: ['save_steps=1', 'max_steps=10000000'] }),
    'keep fewer (--set save_total_limit=1)',
  ],
];

async function refusal(job: string, options: Parameters<typeof trainArguments>[2]): Promise<string> {
  const result = await runCli(trainArguments(project, job, options), {
    cwd: folder,
    env: trainerEnvironment(project, 'llamafactory'),
  });
  expect(result.code, result.stdout).toBe(2);
  expect(result.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(existsSync(jobFolder(project, job))).toBe(false);
  return result.stderr;
}

describe('nothing is started or written for', () => {
  test.each(refusals)('%s', async (_fault, options, says) => {
    expect(await refusal('refused', options())).toContain(says);
  });

  test('an edited dataset', async () => {
    const rows = path.join(folder, 'runs/t/dataset/tokenized/data-00000-of-00001.arrow');
    const { length } = readFileSync(rows);
    appendFileSync(rows, 'x');
    const told = await refusal('edited', {});
    expect(told).toContain(`${rows}: its SHA-256 is`);
    expect(told).toContain('export again: the command of the run, with --from export');
    truncateSync(rows, length);
  });
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
  });
  const tokens = JSON.parse(readFileSync(path.join(dataset, 'manifest.json'), 'utf8')).tokens as number;
  expect(facts).toMatchObject({ problem: null, loadError: null, loaded: { rows: 4, validationRows: 0 } });
  expect(facts.loaded!.longest).toBeGreaterThanOrEqual(tokens / 4);
  expect(facts.loaded!.longest).toBeLessThan(tokens);
});

test.each<[TrainerName, 'llamafactory' | 'trainers']>([
  ['llama-factory', 'llamafactory'],
  ['verl', 'trainers'],
  ['verl-rl', 'trainers'],
])('%s’s recorded keys are those of the installed trainer', async (trainer, environment) => {
  const { recorded, recordedFor, recordedWith = {} } = trainerTable[trainer].arguments;
  const facts = await trainerFacts({
    python: trainerPython(environment),
    // An unknown key makes it read them.
    plan: samplePlan({ trainer, hyper_parameters: { ...recordedFor, epochz: 2 } }),
    files: { train: [], validation: [] },
  });
  expect(facts.versions).toMatchObject(recordedWith);
  expect(facts.arguments!.toSorted()).toEqual(recorded.toSorted());
});

test('a dataset that the trainer can’t load is told by its own words', async () => {
  const rows = path.join(folder, 'runs/t/dataset/tokenized/data-00000-of-00001.arrow');
  renameSync(rows, `${rows}.away`);
  const facts = await trainerFacts({
    python: trainerPython('llamafactory'),
    plan: samplePlan({ dataset: { ...samplePlan().dataset, folder: path.join(folder, 'runs/t/dataset') } }),
    files: { train: [], validation: [] },
  });
  renameSync(`${rows}.away`, rows);
  expect(facts).toMatchObject({ loaded: null, loadError: expect.stringContaining('FileNotFoundError') });
});
