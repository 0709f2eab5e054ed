import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pythonScript, runPython } from './runPython.ts';
import { type LabelledRow, readRecordedRows, type TrainingRun } from './savedRows.ts';

/** Trains with `trl sft` by the dataset's own configuration and what a CPU asks for. */
export async function trainTrl(options: {
  readonly dataset: string;
  readonly model: string;
  readonly steps: number;
  readonly rowsPerStep: number;
}): Promise<TrainingRun> {
  const { dataset, model, steps, rowsPerStep } = options;
  const record = path.join(dataset, 'trl-rows.jsonl');
  const changed = {
    model_name_or_path: model,
    max_steps: steps,
    per_device_train_batch_size: rowsPerStep,
    gradient_accumulation_steps: 1,
    learning_rate: 1e-3,
    save_strategy: 'no',
    use_cpu: true,
    bf16: false,
    gradient_checkpointing: false,
  };
  const args = Object.entries(changed).flatMap(([key, value]) => [`--${key}`, String(value)]);
  const folder = path.join(dataset, 'hugging_face');
  await runPython({
    environment: 'trainers',
    args: [pythonScript('train_trl.py'), record, '--config', 'sft.yaml', ...args],
    folder,
  });
  return { losses: await loggedLosses(path.join(folder, 'output')), rows: await readRecordedRows(record) };
}

/** Rows after TRL's own loading, preparation and collator, in an order of its own. */
export async function loadTrlRows(dataset: string, model: string): Promise<LabelledRow[]> {
  const record = path.join(dataset, 'trl-loaded.jsonl');
  const changed = { model_name_or_path: model, use_cpu: true, bf16: false, per_device_train_batch_size: 1 };
  const args = Object.entries(changed).flatMap(([key, value]) => [`--${key}`, String(value)]);
  await runPython({
    environment: 'trainers',
    args: [pythonScript('trl_rows.py'), record, '--config', 'sft.yaml', ...args],
    folder: path.join(dataset, 'hugging_face'),
  });
  return readRecordedRows(record);
}

async function loggedLosses(output: string): Promise<number[]> {
  const state = JSON.parse(await readFile(path.join(output, 'trainer_state.json'), 'utf8')) as {
    log_history: { loss?: number }[];
  };
  return state.log_history.flatMap(({ loss }) => (loss === undefined ? [] : [loss]));
}
