/**
 * The formats that a dataset can be emitted in, beside `trajectories.jsonl`, which is always there. In a file of their
 * own, since help lists them and loads no schema.
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

/** Formats by the names under which trainers know their rows. */
export const formatAliases = {
  alpaca: 'afm',
  sharegpt: 'llama_factory',
  trl: 'hugging_face',
} as const satisfies Record<string, DatasetFormatName>;
