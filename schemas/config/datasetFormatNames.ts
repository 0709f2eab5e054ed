/** The formats that a dataset can be emitted in, beside `trajectories.jsonl`, which is always there. */
export const datasetFormatNames = [
  'afm',
  'llama_factory',
  'tokenized',
  'verl',
  'hugging_face',
  'axolotl',
  'ms_swift',
] as const;

/** One of them. */
export type DatasetFormatName = (typeof datasetFormatNames)[number];

/** What is emitted when `dataset.formats` names nothing, as far as the other options allow. */
export const defaultFormatNames: readonly DatasetFormatName[] = ['afm', 'llama_factory', 'tokenized', 'verl'];
