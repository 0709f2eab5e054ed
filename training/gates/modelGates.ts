import { isAbsolute } from 'node:path';
import type { TrainingGate } from '../../contract/trainingGate.ts';
import { pass, refuse, unchecked } from './gateResults.ts';

/**
 * The model's folder is there and whole.
 *
 * @param title the trainer's, for messages
 * @param randomWeightsKey the trainer's key that starts from random weights; null where there is none
 */
export function modelGate(title: string, randomWeightsKey: string | null): TrainingGate {
  return {
    name: 'model',
    judge({ plan, model }) {
      if (model === null) {
        const why = isAbsolute(plan.model)
          ? "is not on this machine, and the job's machines have to have it"
          : 'is a name, which the trainer looks up';
        return unchecked(`the model: ${plan.model} ${why}`);
      }
      if (model.problem !== null) return refuse(`model ${plan.model}: ${model.problem}`);
      if (model.missingWeights.length === 0) return pass;
      if (randomWeightsKey !== null && plan.hyper_parameters[randomWeightsKey] === true) return pass;
      const orRandom =
        randomWeightsKey === null
          ? ''
          : `, or start from random weights with --set ${randomWeightsKey}=true (${title})`;
      return refuse(
        `model ${plan.model}: its weights are missing (${model.missingWeights.join(', ')}); copy them there${orRandom}`,
      );
    },
  };
}

/** The model's tokenizer is the dataset's: the same ids for the same words. */
export const tokenizerGate: TrainingGate = {
  name: 'tokenizer',
  judge({ plan, model, dataset }) {
    if (model === null) return unchecked("the model's tokenizer: the model is not on this machine");
    const { tokenizer } = model;
    switch (tokenizer.kind) {
      case 'same':
        return pass;
      case 'missing':
        return refuse(
          `model ${plan.model}: tokenizer.json is missing; copy it there from where the model comes from`,
        );
      case 'unknown':
        return unchecked(`the model's tokenizer: ${tokenizer.reason}`);
      case 'differs':
        return refuse(
          `the ids of the dataset are those of tokenizer ${dataset.tokenizerName}, and ${plan.model} has another one (${tokenizer.difference}): set dataset.tokenizer: ${plan.model}/tokenizer.json and export again`,
        );
    }
  },
};

/** No row is longer than the trainer is told, or than the model has positions for. */
export const lengthGate: TrainingGate = {
  name: 'row length',
  judge({ plan, model, trainer }) {
    const { cutoff_len, folder } = plan.dataset;
    const longest = trainer?.loaded?.longest ?? cutoff_len;
    if (longest > cutoff_len) {
      return refuse(
        `${folder} has rows of up to ${longest} tokens, and the trainer is told of ${cutoff_len}: it would cut them; export again with dataset.cutoff_len: ${cutoff_len}`,
      );
    }
    if (model === null) return unchecked("the model's number of positions: it is not on this machine");
    const positions = model.maxPositions;
    if (positions === null)
      return unchecked("the model's number of positions: config.json has no max_position_embeddings");
    if (longest <= positions) return pass;
    if (!trainer?.loaded) {
      return unchecked(
        `the longest row: up to ${cutoff_len} tokens (dataset.cutoff_len), and ${plan.model} takes ${positions} (max_position_embeddings)`,
      );
    }
    return refuse(
      `rows have up to ${longest} tokens, and ${plan.model} takes ${positions} (max_position_embeddings): set dataset.cutoff_len: ${positions} and export again, or train a model with more positions`,
    );
  },
};
