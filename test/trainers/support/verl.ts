import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { DatasetRow } from '../../../output/dataset/datasetFormat.ts';
import { type PythonResult, type PythonRun, pythonScript, runPython, tryPython } from './runPython.ts';
import { writeFormat } from './writeRows.ts';

/** Where the exporter puts what verl reads. */
export const sftParquet = (dataset: string): string => path.join(dataset, 'verl/sft.parquet');
const datasetClass = (dataset: string): string => path.join(dataset, 'verl/coa_dataset.py');

/** Writes the exporter's `verl/` with rows as they are, masks that no trajectory has included. */
export function writeVerlFolder(dataset: string, rows: readonly DatasetRow[]): Promise<void> {
  return writeFormat(dataset, 'verl', rows);
}

/** A row as verl's engine takes it. */
export interface VerlRow {
  readonly input_ids: readonly number[];
  readonly position_ids: readonly number[];
  readonly loss_mask: readonly number[];
}

/** Rows after verl's own loading by `data.custom_cls` and its collator. */
export async function loadVerlRows(dataset: string): Promise<VerlRow[]> {
  const output = path.join(dataset, 'rows.json');
  await runPython(loading(dataset, 100_000, output));
  return JSON.parse(await readFile(output, 'utf8')) as VerlRow[];
}

/** The same for a dataset that should be refused. */
export function tryVerlRows(dataset: string, maxLength: number): Promise<PythonResult> {
  return tryPython(loading(dataset, maxLength, path.join(dataset, 'rows.json')));
}

function loading(dataset: string, maxLength: number, output: string): PythonRun {
  const args = [datasetClass(dataset), sftParquet(dataset), String(maxLength), output];
  return { ...verl, args: [pythonScript('verl_rows.py'), ...args], folder: dataset };
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

/** The loss that verl's SFT trainer logs for a step over all rows, before any weight has changed. */
export async function verlFirstLoss(dataset: string, model: string, rows: number): Promise<number> {
  const log = path.join(dataset, 'steps.jsonl');
  await runPython({
    ...verl,
    args: ['-m', 'verl.trainer.sft_trainer', ...launchKeys(dataset, model, rows), ...onCpu],
    folder: dataset,
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

/** What a user would start it with. */
function launchKeys(dataset: string, model: string, rows: number): string[] {
  return [
    `data.train_files=${sftParquet(dataset)}`,
    'data.val_files=null',
    `data.custom_cls.path=${datasetClass(dataset)}`,
    'data.custom_cls.name=CoaDataset',
    `data.train_batch_size=${rows}`,
    'data.micro_batch_size_per_gpu=1',
    'data.use_dynamic_bsz=False',
    'data.max_length=2000',
    'data.pad_mode=no_padding',
    'data.truncation=error',
    `model.path=${model}`,
    'model.use_remove_padding=true',
    'engine=fsdp',
    'optim=fsdp',
    'optim.lr=1e-5',
    `trainer.default_local_dir=${path.join(dataset, 'checkpoints')}`,
    'trainer.project_name=test',
    'trainer.experiment_name=test',
    'trainer.logger=["console","file"]',
    'trainer.total_epochs=1',
    'trainer.save_freq=-1',
    'trainer.test_freq=-1',
    'trainer.resume_mode=disable',
  ];
}

/** What a CPU asks for on top. */
const onCpu = [
  'trainer.device=cpu',
  // FSDP1 refuses a CPU.
  'engine.strategy=fsdp2',
  'engine.use_torch_compile=false',
  // bfloat16 would round the loss.
  '+engine.mixed_precision={param_dtype:fp32,reduce_dtype:fp32,buffer_dtype:fp32}',
  '+model.override_config.attn_implementation=sdpa',
  'data.num_workers=0',
];
