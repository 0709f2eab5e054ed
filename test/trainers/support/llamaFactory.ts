import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { pythonScript, runPython } from './runPython.ts';
import { type LabelledRow, readRecordedRows, readSavedRows, type TrainingRun } from './savedRows.ts';

/** Stock LLaMA-Factory, loaded once for all of its runs. */
export const llamaFactory = {
  environment: 'llamafactory',
  loaded: { modules: ['llamafactory.train.tuner'] },
} as const;

/** What makes a job for GPUs one for this machine. */
const onCpu = [
  'deepspeed=null',
  'use_cpu=true',
  'bf16=false',
  'disable_gradient_checkpointing=true',
  'gradient_accumulation_steps=1',
];

/** What LLaMA-Factory makes of the text emission: ids and labels, by its own loading, template and masks. */
export async function preprocessText(folder: string, dataset: string, model: string): Promise<LabelledRow[]> {
  const saved = path.join(folder, 'preprocessed');
  await mkdir(folder, { recursive: true });
  await runPython({
    ...llamaFactory,
    args: [
      '-m',
      'llamafactory.cli',
      'train',
      path.join(dataset, 'llama_factory/train.yaml'),
      ...onCpu,
      `model_name_or_path=${model}`,
      `dataset_dir=${path.join(dataset, 'llama_factory')}`,
      `output_dir=${path.join(folder, 'output')}`,
      'do_train=false',
      `tokenized_path=${saved}`,
    ],
    folder,
  });
  return readSavedRows(path.join(saved, 'train'));
}

/** Trains for some steps, one row each, by a configuration of the job and what is changed in it. */
export async function trainLlamaFactory(options: {
  readonly job: string;
  readonly config: string;
  readonly model: string;
  readonly steps: number;
  /** Names the run's output. */
  readonly name: string;
  readonly changed?: readonly string[];
}): Promise<TrainingRun> {
  const { job, config, model, steps, name, changed = [] } = options;
  const record = path.join(job, `${name}.jsonl`);
  await runPython({
    ...llamaFactory,
    args: [
      pythonScript('train_llama_factory.py'),
      record,
      config,
      ...onCpu,
      `model_name_or_path=${model}`,
      `output_dir=${name}`,
      `max_steps=${steps}`,
      'learning_rate=1.0e-3',
      'lr_scheduler_type=constant',
      ...changed,
    ],
    folder: job,
  });
  return { losses: await loggedLosses(path.join(job, name)), rows: await readRecordedRows(record) };
}

async function loggedLosses(output: string): Promise<number[]> {
  const lines = (await readFile(path.join(output, 'trainer_log.jsonl'), 'utf8')).trimEnd().split('\n');
  return lines.flatMap((line) => {
    const { loss } = JSON.parse(line) as { loss?: number };
    return loss === undefined ? [] : [loss];
  });
}
