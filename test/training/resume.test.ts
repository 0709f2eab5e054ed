import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TrainerName, trainerNames } from '../../schemas/training/jobNames.ts';
import {
  listCheckpoints,
  planResume,
  prepareResume,
  type SavedCheckpoints,
  stepOf,
} from '../../training/checkpoints.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { samplePlan, sampleRecord } from './support/sampleJob.ts';

const saved: fc.Arbitrary<SavedCheckpoints> = fc
  .uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 6 })
  .chain((steps) => fc.subarray(steps).map((whole) => ({ steps, whole })));

describe('a resumed job', () => {
  test('goes on from the newest whole checkpoint, and the trainer finds no other that is newer', () => {
    fc.assert(
      fc.property(saved, ({ steps, whole }) => {
        const plan = planResume({ steps, whole });
        expect(plan.fromStep).toBe(Math.max(0, ...whole));
        const left = steps.filter((step) => !plan.torn.includes(step));
        expect(Math.max(0, ...left)).toBe(plan.fromStep);
        // Nothing but torn checkpoints is moved.
        expect(plan.torn.every((step) => steps.includes(step) && !whole.includes(step))).toBe(true);
      }),
    );
  });

  test('keeps a newer whole one than the one that could not be read', () => {
    fc.assert(
      fc.property(saved, fc.nat({ max: 40 }), (listing, broken) => {
        const { fromStep } = planResume(listing);
        fc.pre(broken !== fromStep);
        const plan = planResume(listing, broken);
        expect(plan.fromStep).toBe(fromStep);
        expect(plan.torn.includes(broken)).toBe(listing.steps.includes(broken));
      }),
    );
  });

  test('passes over the newest one when that could not be read', () => {
    fc.assert(
      fc.property(saved, (listing) => {
        const first = planResume(listing);
        const second = planResume(listing, first.fromStep);
        fc.pre(first.fromStep > 0);
        expect(second.fromStep).toBeLessThan(first.fromStep);
        expect(second.torn).toContain(first.fromStep);
      }),
    );
  });
});

test.each(trainerNames)(
  'the checkpoints of %s have names that are read back, and nothing else is one',
  (name) => {
    const { checkpoints } = trainerTable[name];
    const { prefix } = checkpoints;
    fc.assert(fc.property(fc.nat(), (step) => stepOf(checkpoints, `${prefix}${step}`) === step));
    for (const other of [`torn-${prefix}3`, `${prefix}3-2`, prefix, 'runs', 'checkpoint-x'])
      expect(stepOf(checkpoints, other)).toBeUndefined();
  },
);

test('verl is told of a loader at the end of an epoch and of no other, and of its tracker where that names another step', async () => {
  const { changesFor } = trainerTable.verl.checkpoints;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(9),
      fc.nat(9),
      fc.integer({ min: 1, max: 9 }),
      async (fromStep, tracked, stepsPerEpoch) => {
        const folder = jobFolder({
          'latest_checkpointed_iteration.txt': String(tracked),
          [`global_step_${fromStep}/data_0.pt`]: 'loader',
        });
        const { renamed, written } = await changesFor!(folder, { fromStep, stepsPerEpoch });
        const isAtEnd = fromStep > 0 && fromStep % stepsPerEpoch === 0;
        expect(renamed.some(([from]) => from === `global_step_${fromStep}/data_0.pt`)).toBe(isAtEnd);
        expect(written.length + renamed.filter(([from]) => from.startsWith('latest')).length).toBe(
          tracked === fromStep ? 0 : 1,
        );
      },
    ),
    { numRuns: 40 },
  );
});

test('verl’s whole checkpoints are those up to its tracker', async () => {
  const folder = jobFolder({
    'latest_checkpointed_iteration.txt': '4',
    'global_step_2/model.pt': '',
    'global_step_4/model.pt': '',
    'global_step_6/model.pt': '',
    'torn-global_step_8/model.pt': '',
  });
  const rules = trainerTable.verl.checkpoints;
  expect(await listCheckpoints(rules, folder)).toEqual({ steps: [2, 4, 6], whole: [2, 4] });
  writeFileSync(join(folder, 'latest_checkpointed_iteration.txt'), 'four');
  expect((await listCheckpoints(rules, folder)).whole).toEqual([]);
});

/** A job folder with these files, each holding its own path. */
function jobFolder(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function record(trainer: TrainerName) {
  return { follow: sampleRecord().follow, plan: samplePlan({ trainer }) };
}

test('a torn checkpoint of LLaMA-Factory is put aside under a name that no trainer looks for, and is kept', async () => {
  const folder = jobFolder({
    'output/checkpoint-2/trainer_state.json': '{}',
    'output/checkpoint-4/trainer_state.json': '{"global_step": 4',
    'output/checkpoint-6/model.safetensors': 'half',
    'output/torn-checkpoint-6/model.safetensors': 'of an earlier crash',
  });
  expect(await prepareResume(folder, record('llama-factory'))).toEqual({
    fromStep: 2,
    setAside: ['output/checkpoint-4 -> torn-checkpoint-4', 'output/checkpoint-6 -> torn-checkpoint-6-2'],
  });
  expect(readdirSync(join(folder, 'output')).sort()).toEqual([
    'checkpoint-2',
    'torn-checkpoint-4',
    'torn-checkpoint-6',
    'torn-checkpoint-6-2',
  ]);
  expect(readFileSync(join(folder, 'output/torn-checkpoint-6-2/model.safetensors'), 'utf8')).toBe('half');
  expect(await prepareResume(folder, record('llama-factory'))).toEqual({ fromStep: 2, setAside: [] });
});

test('verl’s checkpoint at the end of an epoch loses its loader’s state, on every rank, and nothing else', async () => {
  const folder = jobFolder({
    'output/latest_checkpointed_iteration.txt': '12',
    'output/global_step_12/data_0.pt': 'loader',
    'output/global_step_12/data_1.pt': 'loader',
    'output/global_step_12/model.pt': 'weights',
    'output/global_step_18/model.pt': 'half',
  });
  expect(await prepareResume(folder, record('verl'))).toEqual({
    fromStep: 12,
    setAside: [
      'output/global_step_18 -> torn-global_step_18',
      'output/global_step_12/data_0.pt -> data_0.pt.epoch_end',
      'output/global_step_12/data_1.pt -> data_1.pt.epoch_end',
    ],
  });
  expect(existsSync(join(folder, 'output/global_step_12/model.pt'))).toBe(true);
});

test('verl’s tracker goes back to the checkpoint before one that could not be read, and away where there is none', async () => {
  const folder = jobFolder({
    'output/latest_checkpointed_iteration.txt': '10',
    'output/global_step_5/data_0.pt': 'loader',
    'output/global_step_10/data_0.pt': 'loader',
  });
  const tracker = join(folder, 'output/latest_checkpointed_iteration.txt');
  expect(await prepareResume(folder, record('verl'), 10)).toMatchObject({ fromStep: 5 });
  expect(readFileSync(tracker, 'utf8')).toBe('5');
  expect(await prepareResume(folder, record('verl'), 5)).toMatchObject({ fromStep: 0 });
  expect(existsSync(tracker)).toBe(false);
});

test('a job that saved nothing starts over', async () => {
  expect(await prepareResume(temporaryFolder(), record('llama-factory'))).toEqual({
    fromStep: 0,
    setAside: [],
  });
  expect(await prepareResume(temporaryFolder(), record('verl'))).toEqual({ fromStep: 0, setAside: [] });
});
