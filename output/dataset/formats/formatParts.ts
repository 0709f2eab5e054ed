import { readFileSync } from 'node:fs';
import { RecordFailure } from '../../../contract/errors.ts';
import type { ManifestFile, Split } from '../../../schemas/manifest.ts';
import type { RowProblem } from '../../../schemas/rows/datasetRow.ts';
import type { FilePlace, FormatPart, TextFile, WrittenFormat } from '../datasetFormat.ts';
import { parquetRowFile } from '../files/columnFiles.ts';
import type { RowColumns } from '../files/columns.ts';
import { jsonLinesFile } from '../files/jsonFiles.ts';

/** What files are called by their split, without number and ending. */
type Stems = Readonly<Record<Split, string>>;

const splitNames: Stems = { train: 'train', validation: 'validation' };

/**
 * A row that a codec wrote.
 *
 * @throws RecordFailure for one that can't be written in its layout
 */
export function writtenRow<Row extends object>(row: Row | RowProblem): Row {
  if (!('problem' in row)) return row;
  throw new RecordFailure('internal', (row as RowProblem).problem);
}

/** Rows as JSON. Lone surrogates in any text become U+FFFD. */
export function jsonPart<Source>(
  rowOf: (source: Source) => object,
  folder: string,
  {
    stems = splitNames,
    begin = jsonLinesFile,
  }: { readonly stems?: Stems; readonly begin?: typeof jsonLinesFile } = {},
): FormatPart<string, Source> {
  const extension = begin === jsonLinesFile ? 'jsonl' : 'json';
  return {
    rowOf: (source) => JSON.stringify(rowOf(source), wellFormed),
    begin,
    pathOf: (place) => folder + shardName(stems[place.split], extension, place),
  };
}

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** Rows as parquet. */
export function parquetPart<Row, Source>(
  rowOf: (source: Source) => Row,
  columns: RowColumns<Row>,
  folder: string,
  stems: Stems = splitNames,
): FormatPart<Row, Source> {
  return {
    rowOf,
    begin: (file) => parquetRowFile(file, columns),
    pathOf: (place) => folder + shardName(stems[place.split], 'parquet', place),
  };
}

/** Name of a file: the stem alone where it is the only one of its split, else with its number as `datasets` writes it. */
function shardName(stem: string, extension: string, { shard, shards }: FilePlace): string {
  return shards === 1
    ? `${stem}.${extension}`
    : `${stem}-${shardNumber(shard)}-of-${shardNumber(shards)}.${extension}`;
}

/** Five digits, or more where they don't do. */
export function shardNumber(number: number): string {
  return String(number).padStart(5, '0');
}

/** Paths of a split's files inside a folder of the dataset, from that folder, in the order of the rows. */
export function filesOfSplit(
  { files }: { readonly files: readonly Pick<ManifestFile, 'path' | 'split'>[] },
  split: Split,
  folder: string,
): string[] {
  return files
    .filter((file) => file.split === split && file.path.startsWith(`${folder}/`))
    .map((file) => file.path.slice(folder.length + 1));
}

/**
 * The name under which LLaMA-Factory's `dataset_info.json` has each file of rows of a folder: the dataset's own for a
 * single file, else with the split and the file's number behind it. One name a file, since LLaMA-Factory reads a
 * folder's files in whatever order the file system lists them, but named data sets in the order of their names in
 * `dataset`.
 *
 * @param folder of the format, for instance `llama_factory`
 */
export function datasetNames(
  dataset: string,
  folder: string,
  files: readonly Pick<ManifestFile, 'path' | 'split'>[],
  split: Split,
): { readonly name: string; readonly fileName: string }[] {
  const stem = split === 'train' ? dataset : `${dataset}-validation`;
  return filesOfSplit({ files }, split, folder).map((fileName) => ({
    name: stem + (/-\d{5,}-of-\d{5,}(?=\.[a-z]+$)/.exec(fileName)?.[0] ?? ''),
    fileName,
  }));
}

/** {@link datasetNames} of a split, joined as LLaMA-Factory's configuration has them. */
export function namesOfSplit(...named: Parameters<typeof datasetNames>): string {
  return datasetNames(...named)
    .map(({ name }) => name)
    .join(',');
}

/** `dataset_info.json`: an entry for each file of rows of a folder. */
export function datasetInfo(
  dataset: string,
  folder: string,
  files: WrittenFormat['files'],
  entryOf: (fileName: string) => object,
): string {
  const named = (['train', 'validation'] as const).flatMap((split) =>
    datasetNames(dataset, folder, files, split),
  );
  const info = Object.fromEntries(named.map(({ name, fileName }) => [name, entryOf(fileName)]));
  return `${JSON.stringify(info, null, 2)}\n`;
}

/** A Python program that stands beside this file as it is shipped; `what` it is, for the README. */
export function programFile(folder: string, name: string, what: string): TextFile {
  return { path: `${folder}/${name}`, text: readFileSync(new URL(name, import.meta.url), 'utf8'), what };
}
