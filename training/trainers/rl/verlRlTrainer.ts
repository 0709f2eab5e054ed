import { join } from 'node:path';
import { z } from 'zod';
import type { JsonValue } from '../../../base/json.ts';
import type { EpochSteps, EpochWork, Trainer, TrainingFootprint } from '../../../contract/trainer.ts';
import { readerTable } from '../../../output/readers/readerTable.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';
import { rlGates } from '../../gates/rlGates.ts';
import { torchFailures } from '../torchFailures.ts';
import { verlCheckpoints } from '../verl/verlCheckpoints.ts';
import { rlFailures, rlLoadProgram } from './rlPrograms.ts';
import { type RlFigureNames, rlFormat, rlLogEntry, rlWork } from './rlWork.ts';
import { verlRlArguments } from './verlRlArguments.ts';
import { verlRlCommand, verlRlKeys, verlRlSettings } from './verlRlCommand.ts';

/** The loop's interfaces and the replay buffer are those of 0.9. */
const tested = { package: readerTable.verl.package, version: readerTable.verl.version, below: '0.10.0' };

/** verl's GRPO, DAPO and PPO over tasks that our loop plays. */
export const verlRlTrainer: Trainer = {
  name: 'verl-rl',
  title: 'verl',
  method: 'rl',
  format: rlFormat,
  tested,
  settings: verlRlSettings,
  arguments: verlRlArguments,
  keysOf: verlRlKeys,
  epochOf,
  workOf: (training) => rlWork(training, training.rl.engine),
  footprintOf,
  notesOn,
  commandOf: verlRlCommand,
  logEntryOf,
  // The tracker of finished checkpoints is that of its SFT trainer.
  checkpoints: { ...verlCheckpoints, modelFolder: join('actor', 'huggingface') },
  failures: rlFailures(torchFailures),
  gates: rlGates({
    title: 'verl',
    tested,
    settings: verlRlSettings,
    arguments: verlRlArguments,
    keepOneCheckpoint: 'trainer.max_actor_ckpt_to_keep=1',
  }),
  loadProgram: rlLoadProgram('actor_rollout_ref.model.path'),
};

/** A step takes no fewer tasks than it is told. */
function epochOf({ rows, rowsPerDevice }: EpochWork): EpochSteps {
  const steps = Math.floor(rows / rowsPerDevice);
  return { steps, rowsLeftOut: rows - steps * rowsPerDevice };
}

/** Each trained model: float32 weights and two moments; the actor once more as a folder that can be loaded. */
function footprintOf(keys: Readonly<Record<string, JsonValue>>): TrainingFootprint {
  const trained = keys['algorithm.adv_estimator'] === 'gae' ? 2 : 1;
  const limit = keys['trainer.max_actor_ckpt_to_keep'];
  return {
    fullFineTuning: !(Number(keys['actor_rollout_ref.model.lora_rank'] ?? 0) > 0),
    sharded: true,
    checkpointBytes: trained * (4 + 8) + 4,
    savesOptimizer: true,
    maxCheckpoints: typeof limit === 'number' && limit > 0 ? Math.max(2, limit) : Number.POSITIVE_INFINITY,
  };
}

function notesOn({ rl, nodes, gpus_per_node: gpus }: Omit<TrainingPlan, 'notes'>): string[] {
  const total = nodes * gpus;
  return [
    'rollouts are played against the server of COA_RL_URL, which every machine of the job has to reach (coa-distill serve rl)',
    ...(rl && gpus > 0 && total % rl.tensor_parallel !== 0
      ? [
          `${total} GPUs hold no whole number of engines of ${rl.tensor_parallel} GPUs: lower training.rl.tensor_parallel`,
        ]
      : []),
    ...(gpus === 0
      ? [
          'stock verl has no platform and no rollout engine for a CPU: such a job needs a plug-in (VERL_USE_EXTERNAL_MODULES)',
        ]
      : []),
  ];
}

const logLineSchema = z.object({ step: z.int().nonnegative(), data: z.record(z.string(), z.unknown()) });

const figures: RlFigureNames = {
  loss: ['actor/pg_loss'],
  learningRate: ['actor/lr'],
  reward: ['critic/score/mean'],
  entropy: ['actor/entropy', 'actor/entropy_loss'],
  kl: ['actor/kl_loss', 'actor/ppo_kl'],
  length: ['response_length/mean'],
};

/** A line of the file that verl's `file` logger writes. */
function logEntryOf(json: unknown) {
  const { success, data: line } = logLineSchema.safeParse(json);
  return success ? rlLogEntry(line.step, line.data, figures) : undefined;
}
