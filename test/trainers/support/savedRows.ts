import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';

/** A row as it reaches a model. */
export interface LabelledRow {
  readonly input_ids: readonly number[];
  /** The id where it is trained, -100 elsewhere. */
  readonly labels: readonly number[];
}

/** Rows of a folder that `save_to_disk` of `datasets` wrote, or our exporter in its place. */
export function readSavedRows(folder: string): Promise<LabelledRow[]> {
  return readSaved(folder, ['']);
}

/** The same of pairs: the chosen side of each, then the rejected one. */
export function readSavedPairs(folder: string): Promise<LabelledRow[]> {
  return readSaved(folder, ['chosen_', 'rejected_']);
}

async function readSaved(folder: string, prefixes: readonly string[]): Promise<LabelledRow[]> {
  const state = JSON.parse(await readFile(path.join(folder, 'state.json'), 'utf8')) as {
    _data_files: { filename: string }[];
  };
  const rows: LabelledRow[] = [];
  for (const { filename } of state._data_files) {
    for (const row of tableFromIPC(await readFile(path.join(folder, filename)))) {
      const numbers = (column: string): number[] => Array.from(row?.[column], Number);
      for (const prefix of prefixes)
        rows.push({ input_ids: numbers(`${prefix}input_ids`), labels: numbers(`${prefix}labels`) });
    }
  }
  return rows;
}

/** Rows of a JSONL file that one of the Python programs wrote. */
export async function readRecordedRows(file: string): Promise<LabelledRow[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as LabelledRow);
}

/** What a training run shows. */
export interface TrainingRun {
  /** The loss that it logged at each step. */
  readonly losses: readonly number[];
  /** What the model was given, in the order of the steps. */
  readonly rows: readonly LabelledRow[];
}
