import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { once } from '../../base/once.ts';
import type { DatasetRow } from '../../output/dataset/datasetFormat.ts';
import { renderRow } from '../../output/dataset/renderRow.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { TrainingLog } from '../../training/follow/trainingLog.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { qwenSettings } from '../output/support/qwen.ts';
import { rejectedOf } from '../output/support/writeDataset.ts';
import { tokenLosses } from './support/maskedLoss.ts';
import { labelledRow } from './support/matchRows.ts';
import type { LabelledRow } from './support/savedRows.ts';
import { readSavedPairs } from './support/savedRows.ts';
import { shortRows } from './support/shortRows.ts';
import {
  createTrainingProject,
  jobFolder,
  jobRecord,
  trainArguments,
  trainerEnvironment,
} from './support/trainJob.ts';
import {
  type PairsRun,
  preprocessTextPairs,
  trainLlamaFactoryPairs,
  trainTrlPairs,
} from './support/trainPairs.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';
import { writeRows } from './support/writeRows.ts';

const folder = sharedFolder();
const model = path.join(folder, 'model');
const dataset = path.join(folder, 'dataset');
/** The chosen and the rejected side of each pair, in order. */
let sides: DatasetRow[];
/** Sums of the log-probabilities of what our masks train, side by side. */
let logps: number[];
let everything: number[];

beforeAll(async () => {
  await writeModelFolder(model);
  const chosen = (await shortRows(1)).slice(0, 2).map((row) => row.trajectory);
  await writeRows(dataset, chosen, ['dpo', 'hugging_face_dpo']);
  sides = [];
  for (const trajectory of chosen.flatMap((row) => [row, rejectedOf(row)]))
    sides.push(await renderRow(trajectory, builtinProfile(trajectory.profile)!, qwenSettings));
  const losses = await tokenLosses('trainers', folder, model, sides);
  const sum = (row: number, mask: Int8Array) =>
    -losses[row]!.reduce((total, loss, token) => total + loss * mask[token]!, 0);
  logps = sides.map(({ lossMask }, row) => sum(row, lossMask));
  everything = sides.map(({ lossMask }, row) => sum(row, wholeAnswer(lossMask)));
});

/** The mask of a trainer that has all of an answer in the loss. */
function wholeAnswer(mask: Int8Array): Int8Array {
  return mask.slice().fill(1, mask.indexOf(1));
}

const ours = (): LabelledRow[] => sides.map(labelledRow);
const withObservations = (): LabelledRow[] =>
  sides.map((row) => labelledRow({ ...row, lossMask: wholeAnswer(row.lossMask) }));

/** The pair of ours that a run began with: trainers shuffle. */
function firstPair({ rows }: PairsRun): number {
  return sides.findIndex((side) => side.inputIds.join() === rows[0]!.input_ids.join());
}

/** One pair reached the loss, with these rows, and its log-probabilities are those of a plain forward pass. */
function expectRun(run: PairsRun, expected: readonly LabelledRow[], sums: readonly number[]): void {
  const at = firstPair(run);
  expect(at % 2).toBe(0);
  expect(run.rows).toEqual(expected.slice(at, at + 2));
  expect(run.logged.loss).toBeCloseTo(Math.log(2), 3);
  for (const [nth, side] of ['chosen', 'rejected'].entries())
    expect(Math.abs(run.logged[`logps/${side}`]! / sums[at + nth]! - 1), side).toBeLessThan(1e-4);
}

test('the folder of tokens holds our ids and labels of both sides', async () => {
  expect(sides).toHaveLength(4);
  expect(await readSavedPairs(path.join(dataset, 'dpo/tokenized'))).toEqual(ours());
  for (const [at, sum] of logps.entries()) expect(Math.abs(everything[at]! / sum - 1)).toBeGreaterThan(1e-2);
});

describe('stock LLaMA-Factory', () => {
  test('takes a step of DPO on the tokens with our labels on both sides', async () => {
    expectRun(await trainLlamaFactoryPairs(dataset, model), ours(), logps);
  });

  test('has the whole of both answers in the loss where it reads its ranking layout', async () => {
    expect(await preprocessTextPairs(dataset, 'sample-dpo', model)).toEqual(withObservations());
  });
});

/** A run with pairs, which jobs of both trainers read. */
const pairsOfRun = once(async () => {
  const own = path.join(folder, 'job');
  mkdirSync(own);
  const teacher = ', rollouts: 3, model: { model: scripted-teacher, sampling: { seed: 1 } }';
  const script = { planted: { wrong_answer: 0.5 }, rollouts: 3 };
  return createTrainingProject(own, 4, { teacher, script, formats: 'dpo, hugging_face_dpo' });
});

/** `plans`: the calls that only plan, before the one that trains; each starts the trainer's Python. */
test.each([
  {
    trainer: 'llama-factory-dpo',
    environment: 'llamafactory',
    plans: [['--dry-run']],
    set: ['disable_gradient_checkpointing=true', 'plot_loss=false'],
  },
  { trainer: 'trl-dpo', environment: 'trainers', plans: [], set: [] },
] as const)(
  'train starts a step of $trainer on the pairs of a run and follows it to its end',
  async ({ trainer, environment, plans, set }) => {
    const project = await pairsOfRun();
    const settings = ['max_steps=1', 'learning_rate=1e-6', ...set];
    const args = trainArguments(project, trainer, { environment, trainer, set: settings });
    const cli = (more: readonly string[]) =>
      runCli([...args, ...more], { cwd: project.folder, env: trainerEnvironment(project, environment) });
    for (const more of plans) {
      const planned = await cli(more);
      expect(planned.code, planned.stderr).toBe(0);
      expect(planned.stdout).toMatch(/passed +masks/);
    }
    const trained = await cli([]);
    expect(trained.code, trained.stderr).toBe(0);
    expect(trained.stdout).toMatch(
      new RegExp(`t/${trainer}: finished\\ncheckpoint: runs/t/train/${trainer}/output/checkpoint-1`),
    );
    // Both sides are as likely by the model as by the one that it is compared with, itself.
    const curve = await new TrainingLog(jobFolder(project, trainer), jobRecord(project, trainer)).read();
    expect(curve.steps.map(({ loss }) => loss)).toEqual([expect.closeTo(Math.log(2), 3)]);
  },
);

describe('TRL', () => {
  test('takes a step of DPO with our masks on both sides by the program of the dataset', async () => {
    expectRun(await trainTrlPairs('ours', dataset, model), ours(), logps);
  });

  test('has the whole of both answers in the loss by itself', async () => {
    const { rows } = await trainTrlPairs('trl', dataset, model);
    const at = sides.findIndex(({ inputIds }) =>
      rows[0]!.input_ids.slice(0, 40).every((id, token) => id === inputIds[token]),
    );
    const observation = sides[at]!.lossMask.indexOf(0, sides[at]!.lossMask.indexOf(1));
    expect(rows[0]!.labels[observation]).toBe(sides[at]!.inputIds[observation]);
  });
});
