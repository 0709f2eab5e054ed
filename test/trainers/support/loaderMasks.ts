import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../base/json.ts';
import { tokenRow } from '../../../output/check/tokenRow.ts';
import { readAnswers } from '../../../schemas/rows/codecTable.ts';
import { isProblem } from '../../../schemas/rows/datasetRow.ts';
import { ignoredLabel } from '../../../schemas/rows/tokens.ts';
import { qwenText } from '../../output/support/qwenText.ts';
import { llamaFactory, onCpu } from './llamaFactory.ts';
import { pythonScript, runPython, type TrainerEnvironment } from './runPython.ts';
import { type LabelledRow, readRecordedRows, readSavedRows } from './savedRows.ts';

/** Rows for a loader and its options. */
export interface LoaderRows {
  readonly name: string;
  readonly loader: 'trl' | 'axolotl' | 'llama_factory_v1';
  readonly rows: readonly JsonObject[];
  readonly options: JsonObject;
}

/** Rows of each request as its trainer's loader gives them, in order. */
export async function loadedRows(
  environment: TrainerEnvironment,
  folder: string,
  model: string,
  requests: readonly LoaderRows[],
): Promise<LabelledRow[][]> {
  const asked = requests.map(({ name, loader, rows, options }) => {
    const file = path.join(folder, `${name}.jsonl`);
    writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return { loader, rows: file, written: path.join(folder, `${name}-masks.jsonl`), model, options };
  });
  const file = path.join(folder, `${environment}-requests.json`);
  writeFileSync(file, JSON.stringify(asked));
  await runPython({ environment, args: [pythonScript('loader_masks.py'), file], folder });
  return Promise.all(asked.map(({ written }) => readRecordedRows(written)));
}

/** Rows as stock LLaMA-Factory gives them with `template: qwen`, by the entry of `dataset_info.json`. */
export async function llamaFactoryRows(
  folder: string,
  model: string,
  name: string,
  rows: readonly JsonObject[],
  info: JsonObject,
): Promise<LabelledRow[]> {
  const own = path.join(folder, name);
  mkdirSync(own);
  writeFileSync(path.join(own, 'rows.json'), JSON.stringify(rows));
  writeFileSync(
    path.join(own, 'dataset_info.json'),
    JSON.stringify({ rows: { file_name: 'rows.json', ...info } }),
  );
  const settings = {
    model_name_or_path: model,
    stage: 'sft',
    do_train: false,
    finetuning_type: 'full',
    dataset_dir: own,
    dataset: 'rows',
    template: 'qwen',
    cutoff_len: 32_768,
    tokenized_path: path.join(own, 'saved'),
    output_dir: path.join(own, 'output'),
    report_to: 'none',
  };
  writeFileSync(path.join(own, 'rows.yaml'), JSON.stringify(settings));
  const args = ['-m', 'llamafactory.cli', 'train', path.join(own, 'rows.yaml'), ...onCpu];
  await runPython({ ...llamaFactory, args, folder: own });
  return readSavedRows(path.join(own, 'saved/train'));
}

/** Texts of a row, and of what is in its loss, each stretch by itself. */
export interface MaskTexts {
  readonly text: string;
  readonly inLoss: readonly string[];
}

async function maskTexts(ids: readonly number[], isTrained: (token: number) => boolean): Promise<MaskTexts> {
  const stretches: number[][] = [];
  for (const [token, id] of ids.entries()) {
    if (!isTrained(token)) continue;
    if (token > 0 && isTrained(token - 1)) stretches.at(-1)!.push(id);
    else stretches.push([id]);
  }
  const text = await qwenText.decode(ids);
  return { text, inLoss: await Promise.all(stretches.map((each) => qwenText.decode(each))) };
}

export function loaderTexts({ input_ids, labels }: LabelledRow): Promise<MaskTexts> {
  return maskTexts(input_ids, (token) => labels[token] !== ignoredLabel);
}

/** Verdict of `check` on the only answer of a row. */
export async function checkTexts(row: JsonObject): Promise<MaskTexts> {
  const [read] = readAnswers(row);
  if (read === undefined || isProblem(read)) throw new Error(`not read: ${read?.path} ${read?.problem}`);
  const { row: encoded, trained } = await tokenRow(read, qwenText);
  return maskTexts(encoded.ids, (token) => trained[token] === 1);
}
