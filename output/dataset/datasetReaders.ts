/** Trainers that read the dataset: PyPI packages, with versions from `test/trainers/requirements`. */
export const datasetReaders = {
  'llama-factory': { package: 'llamafactory', version: '0.9.5' },
  verl: { package: 'verl', version: '0.9.1' },
  trl: { package: 'trl', version: '1.12.0' },
  axolotl: { package: 'axolotl', version: '0.19.0' },
  'ms-swift': { package: 'ms-swift', version: '4.6.0' },
} as const;
export type ReaderName = keyof typeof datasetReaders;
