import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { llamaFactory } from './llamaFactory.ts';
import { pythonScript, runPython } from './runPython.ts';
import { type LabelledRow, readRecordedRows, readSavedPairs } from './savedRows.ts';

/** What one of the programs for pairs did. */
export interface PairsRun {
  /** What reached the loss at the first step: the chosen side, then the rejected one. */
  readonly rows: readonly LabelledRow[];
  /** What it logged at the first step. */
  readonly logged: Readonly<Record<string, number>>;
}

const onCpu = {
  max_steps: '1',
  per_device_train_batch_size: '1',
  gradient_accumulation_steps: '1',
  use_cpu: 'true',
  bf16: 'false',
};

/** A step of LLaMA-Factory's DPO by the dataset's own configuration. */
export function trainLlamaFactoryPairs(dataset: string, model: string): Promise<PairsRun> {
  const changed = { ...onCpu, model_name_or_path: model, disable_gradient_checkpointing: 'true' };
  const args = ['train.yaml', ...Object.entries(changed).map(([key, value]) => `${key}=${value}`)];
  return trainPairs('llamafactory', path.join(dataset, 'dpo'), args);
}

/** A step of TRL's DPO: by the dataset's program (`ours`), or by `trl dpo` on the same rows. */
export function trainTrlPairs(program: 'ours' | 'trl', dataset: string, model: string): Promise<PairsRun> {
  const output = `output-${program}`;
  const changed = {
    ...onCpu,
    model_name_or_path: model,
    gradient_checkpointing: 'false',
    output_dir: output,
  };
  const args = Object.entries(changed).flatMap(([key, value]) => [`--${key}`, value]);
  const folder = path.join(dataset, 'hugging_face_dpo');
  return trainPairs(program, folder, ['--config', 'dpo.yaml', ...args], output);
}

async function trainPairs(
  trainer: 'llamafactory' | 'ours' | 'trl',
  folder: string,
  args: readonly string[],
  output = 'output',
): Promise<PairsRun> {
  const record = path.join(folder, `../rows-${trainer}.jsonl`);
  await runPython({
    ...(trainer === 'llamafactory' ? llamaFactory : { environment: 'trainers' }),
    args: [pythonScript('train_pairs.py'), trainer, record, ...args],
    folder,
  });
  const state = JSON.parse(await readFile(path.join(folder, output, 'trainer_state.json'), 'utf8')) as {
    log_history: Record<string, number>[];
  };
  return { rows: await readRecordedRows(record), logged: state.log_history[0]! };
}

/** What LLaMA-Factory makes of the text rows: both sides of each pair, by its own loading and template. */
export async function preprocessTextPairs(
  dataset: string,
  name: string,
  model: string,
): Promise<readonly LabelledRow[]> {
  const folder = path.join(dataset, 'dpo');
  const saved = path.join(dataset, '../preprocessed');
  const changed = {
    ...onCpu,
    model_name_or_path: model,
    do_train: 'false',
    dataset: name,
    tokenized_path: saved,
    output_dir: path.join(dataset, '../text-output'),
  };
  const args = Object.entries(changed).map(([key, value]) => `${key}=${value}`);
  await runPython({
    ...llamaFactory,
    args: ['-m', 'llamafactory.cli', 'train', 'train.yaml', ...args],
    folder,
  });
  return readSavedPairs(path.join(saved, 'train'));
}
