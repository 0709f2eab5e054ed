import { isAbsolute } from 'node:path';
import { type Judge, pass, refuse, unchecked } from '../../contract/trainingGate.ts';
import { trainerTable } from '../trainers/trainerTable.ts';

export const modelGates = {
  /** The model's folder exists and is complete. */
  model({ plan, model }) {
    if (model === null) {
      const why = isAbsolute(plan.model)
        ? "is not on this machine, and the job's machines have to have it"
        : 'is a name, which the trainer looks up';
      return unchecked(`the model: ${plan.model} ${why}`);
    }
    if (model.problem !== null) return refuse(`model ${plan.model}: ${model.problem}`);
    if (model.missingWeights.length === 0) return pass;
    const { title, randomWeightsKey: key } = trainerTable[plan.trainer];
    if (key !== undefined && plan.hyper_parameters[key] === true) return pass;
    const orRandom =
      key === undefined ? '' : `, or start from random weights with --set ${key}=true (${title})`;
    return refuse(
      `model ${plan.model}: its weights are missing (${model.missingWeights.join(', ')}); copy them there${orRandom}`,
    );
  },

  /** The model's tokenizer equals the dataset's. */
  tokenizer({ plan, model, dataset }) {
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

  /** No row exceeds the trainer's limit or the model's positions. */
  'row length'({ plan, model, trainer }) {
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

  /** No prompt exceeds the trainer's limit, and the model has positions for prompt and response. */
  lengths({ plan: { rl, model: name }, trainer, model }) {
    const longest = trainer?.loaded?.longest ?? 0;
    const { max_prompt_tokens: most, max_response_tokens: response } = rl!;
    if (longest > most) {
      return refuse(
        `a prompt has ${longest} tokens, and training.rl.max_prompt_tokens is ${most}: raise it, or leave such tasks out`,
      );
    }
    const positions = model?.maxPositions ?? null;
    if (positions !== null && most + response > positions) {
      return refuse(
        `prompt and response take up to ${most + response} tokens (training.rl.max_prompt_tokens + max_response_tokens), and ${name} has ${positions} positions: lower one of them`,
      );
    }
    return longest === 0
      ? unchecked("the prompts' lengths: the model's tokenizer is not on this machine")
      : pass;
  },
} satisfies Record<string, Judge>;
