import { join } from 'node:path';
import type { JsonValue } from '../../base/json.ts';
import type { Trainer, TrainingFootprint } from '../../contract/trainer.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { verlCheckpoints } from '../../training/trainers/verl/verlCheckpoints.ts';
import { keptByVerl, testedVerl } from '../../training/trainers/verl/verlTrainer.ts';
import { type RlFigureNames, rlLogEntry, rlTrainer } from './rlWork.ts';
import {
  TENSOR_PARALLEL_KEY,
  verlRlCommand,
  verlRlKeys,
  verlRlSettings,
  verlRlWork,
} from './verlRlCommand.ts';

/** GRPO, DAPO and PPO of verl with coa-distill's loop. */
export const verlRlTrainer: Trainer = {
  ...rlTrainer,
  name: 'verl-rl',
  title: 'verl',
  tested: testedVerl,
  settings: verlRlSettings,
  probe: {
    keys_of: 'verl_rl_keys',
    load: 'rl_tasks',
    options: { model_key: 'actor_rollout_ref.model.path' },
  },
  keysOf: verlRlKeys,
  workOf: verlRlWork,
  footprintOf,
  notesOn,
  commandOf: verlRlCommand,
  logEntryOf: (line) => rlLogEntry(line, figures),
  // Checkpoints are tracked as in its SFT trainer.
  checkpoints: { ...verlCheckpoints, modelFolder: join('actor', 'huggingface') },
  keepOneCheckpoint: 'trainer.max_actor_ckpt_to_keep=1',
};

/** Per trained model: float32 weights and two moments; the actor again as a loadable folder. */
function footprintOf(keys: Readonly<Record<string, JsonValue>>): TrainingFootprint {
  const trained = keys['algorithm.adv_estimator'] === 'gae' ? 2 : 1;
  return {
    fullFineTuning: !(Number(keys['actor_rollout_ref.model.lora_rank'] ?? 0) > 0),
    sharded: true,
    checkpointBytes: trained * (4 + 8) + 4,
    savesOptimizer: true,
    maxCheckpoints: keptByVerl(keys['trainer.max_actor_ckpt_to_keep']),
  };
}

function notesOn({ rl, nodes, gpus_per_node: gpus }: Omit<TrainingPlan, 'notes'>): string[] {
  const total = nodes * gpus;
  return [
    'rollouts are played against the server of COA_RL_URL, which every machine of the job has to reach (coa-distill serve rl)',
    ...(rl && gpus > 0 && total % rl.tensor_parallel !== 0
      ? [
          `${total} GPUs hold no whole number of engines of ${rl.tensor_parallel} GPUs: set ${TENSOR_PARALLEL_KEY}`,
        ]
      : []),
    ...(gpus === 0
      ? [
          'stock verl has no platform and no rollout engine for a CPU: such a job needs a plug-in (VERL_USE_EXTERNAL_MODULES)',
        ]
      : []),
  ];
}

const figures: RlFigureNames = {
  loss: ['actor/pg_loss'],
  learningRate: ['actor/lr'],
  reward: ['critic/score/mean'],
  entropy: ['actor/entropy', 'actor/entropy_loss'],
  kl: ['actor/kl_loss', 'actor/ppo_kl'],
  length: ['response_length/mean'],
};
