import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Manifest, Split } from '../../schemas/manifest.ts';
import { type AfmRow, afmRowSchema, alpacaDatasetInfoSchema } from '../../schemas/trainers/afmMask.ts';
import {
  savedDatasetDictSchema,
  savedDatasetInfoSchema,
  savedDatasetStateSchema,
  type TokenizedRow,
  tokenizedRowSchema,
} from '../../schemas/trainers/huggingFace.ts';
import {
  type LlamaFactoryRow,
  llamaFactoryRowSchema,
  shareGptDatasetInfoSchema,
} from '../../schemas/trainers/llamaFactory.ts';
import { trajectoryOfRow, trajectoryRowSchema } from '../../schemas/trainers/trajectoryRow.ts';
import { type VerlSftRow, verlSftRowSchema } from '../../schemas/trainers/verl.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';

/** The rows of one split in every format that the dataset has; absent where it has not. */
export interface DatasetRows {
  readonly trajectories: readonly Trajectory[];
  readonly afm?: readonly AfmRow[];
  readonly llamaFactory?: readonly LlamaFactoryRow[];
  readonly verl?: readonly VerlSftRow[];
  /** Formats of ids and labels, by their folder. */
  readonly labelled: Readonly<Record<string, readonly TokenizedRow[]>>;
}

/**
 * Reads a split without any of the exporter's code: the files that a trainer would find by the descriptions beside
 * them, which must be those of the manifest, shard after shard.
 */
export async function readDatasetRows(
  folder: string,
  manifest: Manifest,
  split: Split,
): Promise<DatasetRows> {
  const reader = new SplitReader(folder, manifest, split);
  const has = (format: Manifest['formats'][number]) => manifest.formats.includes(format);
  const tokenized = has('tokenized') ? { tokenized: await reader.tokenized() } : {};
  const huggingFace = has('hugging_face')
    ? { hugging_face: await reader.labelledParquet('hugging_face/data') }
    : {};
  const axolotl = has('axolotl') ? { 'axolotl/tokens': await reader.labelledParquet('axolotl/tokens') } : {};
  return {
    trajectories: await reader.trajectories(),
    ...(has('afm') && { afm: await reader.afm() }),
    ...(has('llama_factory') && { llamaFactory: await reader.llamaFactory() }),
    ...(has('verl') && { verl: await reader.verl() }),
    labelled: { ...tokenized, ...huggingFace, ...axolotl },
  };
}

class SplitReader {
  readonly #folder: string;
  readonly #manifest: Manifest;
  readonly #split: Split;

  constructor(folder: string, manifest: Manifest, split: Split) {
    this.#folder = folder;
    this.#manifest = manifest;
    this.#split = split;
  }

  async trajectories(): Promise<Trajectory[]> {
    const files = this.#files('.').filter((file) => file.startsWith('trajectories'));
    const rows = await this.#jsonl(files);
    return rows.map((row) => trajectoryOfRow(trajectoryRowSchema.parse(row)));
  }

  async afm(): Promise<AfmRow[]> {
    const info = alpacaDatasetInfoSchema.parse(await this.#json('afm/dataset_info.json'));
    const rows: AfmRow[] = [];
    for (const file of this.#described('afm', info)) {
      rows.push(...((await this.#json(file)) as unknown[]).map((row) => afmRowSchema.parse(row)));
    }
    return rows;
  }

  async llamaFactory(): Promise<LlamaFactoryRow[]> {
    const info = shareGptDatasetInfoSchema.parse(await this.#json('llama_factory/dataset_info.json'));
    const rows = await this.#jsonl(this.#described('llama_factory', info));
    return rows.map((row) => llamaFactoryRowSchema.parse(row));
  }

  async verl(): Promise<VerlSftRow[]> {
    return (await this.#parquet('verl')).map((row) => verlSftRowSchema.parse(row));
  }

  async labelledParquet(folder: string): Promise<TokenizedRow[]> {
    return (await this.#parquet(folder)).map(labelledRow);
  }

  /** With a validation split a `DatasetDict`, by the files that each `state.json` names. */
  async tokenized(): Promise<TokenizedRow[]> {
    const hasValidation = this.#manifest.splits.validation > 0;
    if (!hasValidation && this.#split === 'validation') return [];
    if (hasValidation) savedDatasetDictSchema.parse(await this.#json('tokenized/dataset_dict.json'));
    const folder = hasValidation ? `tokenized/${this.#split}` : 'tokenized';
    savedDatasetInfoSchema.parse(await this.#json(`${folder}/dataset_info.json`));
    const state = savedDatasetStateSchema.parse(await this.#json(`${folder}/state.json`));
    assert.equal(state._split, this.#split);
    const files = state._data_files.map(({ filename }) => `${folder}/${filename}`);
    assert.deepEqual(files, this.#files(folder), `data files of ${folder}`);
    const rows: TokenizedRow[] = [];
    for (const file of files) {
      const table = tableFromIPC(await readFile(path.join(this.#folder, file)));
      rows.push(...table.toArray().map(labelledRow));
    }
    return rows;
  }

  /** The split's files of rows directly in a folder, in the order of their rows. */
  #files(folder: string): string[] {
    const files = this.#manifest.files.filter(
      (file) => file.split === this.#split && path.posix.dirname(file.path) === folder,
    );
    return files.map((file) => file.path).sort();
  }

  /** The same, as `dataset_info.json` has them, which names all files of both splits and no other. */
  #described(folder: string, info: Readonly<Record<string, { readonly file_name: string }>>): string[] {
    const described = Object.values(info).map((entry) => `${folder}/${entry.file_name}`);
    const all = this.#manifest.files.filter(
      (file) => file.split !== null && path.posix.dirname(file.path) === folder,
    );
    assert.deepEqual(
      [...described].sort(),
      all.map((file) => file.path).sort(),
      `${folder}/dataset_info.json`,
    );
    const own = new Set(this.#files(folder));
    return described.filter((file) => own.has(file));
  }

  async #parquet(folder: string): Promise<Record<string, unknown>[]> {
    const rows: Record<string, unknown>[] = [];
    for (const name of this.#files(folder)) {
      const file = await asyncBufferFromFile(path.join(this.#folder, name));
      rows.push(...(await parquetReadObjects({ file, compressors })));
    }
    return rows;
  }

  async #jsonl(files: readonly string[]): Promise<unknown[]> {
    const rows: unknown[] = [];
    for (const file of files) {
      const lines = (await readFile(path.join(this.#folder, file), 'utf8')).split('\n');
      assert.equal(lines.pop(), '', `${file} ends with a line feed`);
      rows.push(...lines.map((line) => JSON.parse(line) as unknown));
    }
    return rows;
  }

  async #json(file: string): Promise<unknown> {
    return JSON.parse(await readFile(path.join(this.#folder, file), 'utf8'));
  }
}

function labelledRow(row: Record<string, unknown>): TokenizedRow {
  const list = (column: string) => Array.from(row[column] as Iterable<number | bigint>, Number);
  return tokenizedRowSchema.parse({
    input_ids: list('input_ids'),
    attention_mask: list('attention_mask'),
    labels: list('labels'),
  });
}
