import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from '../../../schemas/manifest.ts';
import { verlCommand } from '../../../training/trainers/verl/verlCommand.ts';
import { plannedJob } from '../../training/support/plannedJob.ts';
import { pythonScript, runPython } from './runPython.ts';

/** A row as verl's engine takes it. */
export interface VerlRow {
  readonly input_ids: readonly number[];
  readonly position_ids: readonly number[];
  readonly loss_mask: readonly number[];
}

/**
 * Rows after verl's own loading by `data.custom_cls` and its collator.
 *
 * @throws Error with what it printed when it refuses the dataset
 */
export async function loadVerlRows(dataset: string, maxLength = 100_000): Promise<VerlRow[]> {
  const [program, rows, output] = ['verl/coa_dataset.py', 'verl/sft.parquet', 'rows.json'].map((name) =>
    path.join(dataset, name),
  ) as [string, string, string];
  const args = [pythonScript('verl_rows.py'), program, rows, String(maxLength), output];
  await runPython({ ...verl, args, folder: dataset });
  return JSON.parse(await readFile(output, 'utf8')) as VerlRow[];
}

/** verl on a CPU, loaded once for all of its runs. */
const verl = {
  environment: 'trainers',
  loaded: {
    modules: ['verl.trainer.sft_trainer'],
    env: {
      PYTHONPATH: pythonScript(''),
      VERL_USE_EXTERNAL_MODULES: 'verl_cpu_platform',
      VERL_PLATFORM: 'cpu',
      VERL_ENGINE_DEVICE: 'cuda',
    },
  },
} as const;

/**
 * The loss that verl's SFT trainer logs for a step over all rows, before any weight has changed, by the keys of a job on
 * the CPU.
 */
export async function verlFirstLoss(dataset: string, model: string, manifest: Manifest): Promise<number> {
  const folder = path.join(dataset, 'job');
  await mkdir(folder);
  const { plan } = plannedJob(
    { trainer: 'verl', model, gpus_per_node: 0, gradient_accumulation_steps: manifest.rows, epochs: 1 },
    { manifest, datasetFolder: dataset, jobFolder: folder },
  );
  // Saving takes as long as the step.
  const unsaved = { ...plan, hyper_parameters: { ...plan.hyper_parameters, 'trainer.save_freq': -1 } };
  const { module, args } = verlCommand(unsaved);
  const log = path.join(folder, 'steps.jsonl');
  await runPython({
    ...verl,
    args: ['-m', module, ...args],
    folder,
    env: {
      // What torchrun sets for one process; they would meet at a file, not at a port.
      RANK: '0',
      LOCAL_RANK: '0',
      WORLD_SIZE: '1',
      MASTER_ADDR: 'localhost',
      MASTER_PORT: '29500',
      DIST_INIT_METHOD: `file://${path.join(dataset, 'processes')}?rank=0&world_size=1`,
      VERL_FILE_LOGGER_PATH: log,
    },
  });
  const [first] = (await readFile(log, 'utf8')).split('\n');
  const { step, data } = JSON.parse(first!) as { step: number; data: Record<string, number> };
  if (step !== 1) throw new Error(`verl's log begins with step ${step}`);
  return data['train/loss']!;
}
