import { axolotlReader } from './axolotlReader.ts';
import type { DatasetReader, ReaderName } from './datasetReader.ts';
import { llamaFactoryReader } from './llamaFactoryReader.ts';
import { msSwiftReader } from './msSwiftReader.ts';
import { trlReader } from './trlReader.ts';
import { verlReader } from './verlReader.ts';

/** Every trainer that reads datasets, by name. */
export const readerTable: Readonly<Record<ReaderName, DatasetReader>> = {
  'llama-factory': llamaFactoryReader,
  verl: verlReader,
  trl: trlReader,
  axolotl: axolotlReader,
  'ms-swift': msSwiftReader,
};
