import type { MaskSource } from '../../schemas/rows/datasetRow.ts';

/** The trainers whose own preprocessing the audit can run. What is known of each stands in its row. */
export const readerNames = ['llama-factory', 'verl', 'trl', 'axolotl', 'ms-swift'] as const;
/** The name of a trainer that reads datasets. */
export type ReaderName = (typeof readerNames)[number];

/** A trainer as a reader of datasets. */
export interface DatasetReader {
  readonly name: ReaderName;
  /** Its Python package, as it is imported. */
  readonly module: string;
  /** Its name at PyPI. */
  readonly package: string;
  /** The version that the tests run: the one of `test/trainers/requirements`. */
  readonly version: string;
  /** Whether it reads a part of a dataset. */
  reads(first: FirstRow): boolean;
  /** The Python program that writes the rows as they reach the model, see {@link readerScript}. */
  readonly script: string;
}

/** The first row of a part, which tells whether a trainer reads it. */
export interface FirstRow {
  readonly file: string;
  readonly maskedBy: MaskSource;
  /** Whether the texts of the turns carry the chat markup. */
  readonly hasMarkup: boolean;
  readonly columns: readonly string[];
}
