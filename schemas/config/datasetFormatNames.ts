/**
 * Dataset formats besides `trajectories.jsonl`, which is always written. In a separate file, since help lists them
 * without loading schemas.
 */
export const datasetFormatNames = [
  'afm',
  'llama_factory',
  'tokenized',
  'verl',
  'hugging_face',
  'axolotl',
  'ms_swift',
  'dpo',
  'hugging_face_dpo',
  'verl_rl',
  'verifiers',
] as const;

export type DatasetFormatName = (typeof datasetFormatNames)[number];

/** Aliases of formats by trainers' names for their rows. */
export const formatAliases = {
  alpaca: 'afm',
  sharegpt: 'llama_factory',
  trl: 'hugging_face',
} as const satisfies Record<string, DatasetFormatName>;
