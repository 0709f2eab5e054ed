import type { JsonValue } from '../../../base/json.ts';
import type {
  EpochSteps,
  EpochWork,
  Trainer,
  TrainerLogEntry,
  TrainingFootprint,
} from '../../../contract/trainer.ts';
import { datasetReaders } from '../../../output/dataset/datasetReaders.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';
import { figureOf, stepLineOf } from '../huggingFace.ts';
import { torchFailures } from '../torchFailures.ts';
import { verlCheckpoints } from './verlCheckpoints.ts';
import { bareKey, verlCommand, verlKeys, verlSettings } from './verlCommand.ts';

/** The mask has been unshifted since 0.6; launch keys, the loop's interfaces and the replay buffer are those of 0.9. */
export const testedVerl = {
  package: datasetReaders.verl.package,
  version: datasetReaders.verl.version,
  below: '0.10.0',
};

/** verl's SFT trainer on ids and masks, through `data.custom_cls`. */
export const verlTrainer: Trainer = {
  name: 'verl',
  title: 'verl',
  method: 'sft',
  format: 'verl',
  tested: testedVerl,
  settings: verlSettings,
  probe: { keys_of: 'verl_sft_keys', load: 'verl_rows' },
  keysOf: verlKeys,
  epochOf,
  footprintOf,
  notesOn,
  commandOf: verlCommand,
  logEntryOf,
  checkpoints: verlCheckpoints,
  failures: torchFailures,
  keepOneCheckpoint: 'trainer.max_ckpt_to_keep=1',
};

/**
 * verl (`SFTTrainer._build_dataloader`): sampler and loader both drop incomplete batches, so fewer rows than a batch
 * give no step at all.
 */
function epochOf({ rows, processes, rowsPerDevice, accumulationSteps }: EpochWork): EpochSteps {
  const rowsOfProcess = Math.floor(rows / processes);
  const batchOfProcess = rowsPerDevice * accumulationSteps;
  const steps = Math.floor(rowsOfProcess / batchOfProcess);
  return { steps, rowsLeftOut: rows - steps * batchOfProcess * processes };
}

/** Checkpoints contain float32 weights, two moments, and the model again as a loadable folder. */
function footprintOf(keys: Readonly<Record<string, JsonValue>>): TrainingFootprint {
  const bare = Object.fromEntries(Object.entries(keys).map(([key, value]) => [bareKey(key), value]));
  return {
    fullFineTuning: !(Number(bare['model.lora_rank'] ?? 0) > 0),
    sharded: true,
    checkpointBytes: 4 + 8 + 4,
    savesOptimizer: true,
    maxCheckpoints: keptByVerl(bare['trainer.max_ckpt_to_keep']),
  };
}

/** verl 0.9 (`ensure_checkpoint_capacity`) deletes before saving, unless the limit is one; zero means no limit. */
export function keptByVerl(limit: JsonValue | undefined): number {
  return typeof limit === 'number' && limit > 0 ? Math.max(2, limit) : Number.POSITIVE_INFINITY;
}

function notesOn({ steps, batch, gpus_per_node: gpus }: Omit<TrainingPlan, 'notes'>): string[] {
  const leftOut = `each epoch leaves out ${steps.rows_left_out} rows: verl takes no step with fewer than ${batch.rows_per_step} rows, and draws others each epoch`;
  const noPlatform =
    'stock verl has no platform for a CPU: such a job needs a plug-in (VERL_USE_EXTERNAL_MODULES)';
  return [...(steps.rows_left_out > 0 ? [leftOut] : []), ...(gpus === 0 ? [noPlatform] : [])];
}

/** Line of verl's `file` logger. Validations have their own lines. */
function logEntryOf(json: unknown): TrainerLogEntry | undefined {
  const line = stepLineOf(json);
  if (!line) return undefined;
  const { data, step } = line;
  return {
    step,
    ...('train/loss' in data && { loss: figureOf(data['train/loss']) }),
    learningRate: figureOf(data['train/lr']),
    validationLoss: figureOf(data['val/loss']),
    totalSteps: null,
    elapsedMs: null,
  };
}
