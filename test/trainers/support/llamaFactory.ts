import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pythonScript, runPython } from './runPython.ts';
import { readRecordedRows, type TrainingRun } from './savedRows.ts';

/** Stock LLaMA-Factory, loaded once for all of its runs. */
export const llamaFactory = {
  environment: 'llamafactory',
  loaded: { modules: ['llamafactory.train.tuner'] },
} as const;

/** What makes a job for GPUs one for this machine. */
export const onCpu = [
  'deepspeed=null',
  'use_cpu=true',
  'bf16=false',
  'disable_gradient_checkpointing=true',
  'gradient_accumulation_steps=1',
];

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
