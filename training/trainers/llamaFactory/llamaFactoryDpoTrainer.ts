import type { JsonValue } from '../../../base/json.ts';
import type { JobSettings, Trainer } from '../../../contract/trainer.ts';
import { DPO_BETA, DPO_LEARNING_RATE } from '../../../output/dataset/formats/llamaFactoryConfig.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';
import { idsProbe, pairColumns } from '../huggingFace.ts';
import { llamaFactoryKeys } from './llamaFactoryCommand.ts';
import { llamaFactoryTrainer } from './llamaFactoryTrainer.ts';

/** DPO of unmodified LLaMA-Factory on ids and labels of both sides of each pair, through `tokenized_path`. */
export const llamaFactoryDpoTrainer: Trainer = {
  ...llamaFactoryTrainer,
  name: 'llama-factory-dpo',
  title: "LLaMA-Factory's DPO",
  method: 'preference',
  format: 'dpo',
  rowFiles: 'dpo/tokenized/',
  keysOf: dpoKeys,
  notesOn,
  probe: { keys_of: 'llama_factory_keys', ...idsProbe('dpo/tokenized', true, pairColumns) },
};

function dpoKeys(settings: JobSettings): Record<string, JsonValue> {
  const { packing: _, ...keys } = llamaFactoryKeys(settings);
  return {
    ...keys,
    stage: 'dpo',
    tokenized_path: `${settings.dataset}/dpo/tokenized`,
    pref_beta: DPO_BETA,
    ...settings.training.set,
  };
}

/** Warns that the defaults of `training` are for fine-tuning. */
function notesOn({ hyper_parameters: { learning_rate: rate } }: Omit<TrainingPlan, 'notes'>): string[] {
  return [
    'the model should be fine-tuned already: DPO goes on from it, and compares with it',
    'the GPU memory leaves out the model that is compared with (2 bytes a weight, spread as the other) and counts one side of a pair: set per_device_batch_size with room',
    ...(typeof rate === 'number' && rate > 2 * DPO_LEARNING_RATE
      ? [
          `learning_rate ${rate} is one of fine-tuning; DPO usually takes about ${DPO_LEARNING_RATE}: --set learning_rate=${DPO_LEARNING_RATE}`,
        ]
      : []),
  ];
}
