import type { EnvironmentFacts, GateFacts } from '../../../contract/trainingGate.ts';
import type { JobRecord } from '../../../schemas/training/jobRecord.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';

/** A plan of 12 rows in 12 steps an epoch, with some of it changed. */
export function samplePlan(changed: Partial<TrainingPlan> = {}): TrainingPlan {
  return {
    trainer: 'llama-factory',
    launcher: 'local',
    model: '/models/tiny',
    model_billion_parameters: 0.01,
    preset: null,
    dataset: {
      folder: '/runs/t/dataset',
      manifest_sha256: 'a'.repeat(64),
      rows: 12,
      validation_rows: 0,
      tokens: 7_000,
      trained_tokens: 3_000,
      cutoff_len: 1_000,
    },
    hyper_parameters: {},
    nodes: 1,
    gpus_per_node: 0,
    processes_per_node: 1,
    batch: { rows_per_device: 1, gradient_accumulation_steps: 1, rows_per_step: 1 },
    steps: { per_epoch: 12, total: 24, rows_left_out: 0 },
    epochs: 2,
    estimate: { gpu_memory_gb: null, hours: null, checkpoint_gb: 0.1, checkpoints: 2 },
    notes: [],
    ...changed,
  };
}

/** A record of a job that was started once, as a process that is not there. */
export function sampleRecord(changed: Partial<JobRecord> = {}): JobRecord {
  return {
    format_version: 1,
    run: 't',
    job: 'sft',
    coa_distill_version: '0.1.0',
    config_hash: 'config_0',
    plan: samplePlan(),
    start: { argv: ['true'], env: {} },
    follow: {
      metrics_file: 'output/trainer_log.jsonl',
      earlier_metrics_file: null,
      console_file: 'console.log',
      checkpoint_folder: 'output',
    },
    unchecked: [],
    versions: { llamafactory: '0.9.5' },
    attempts: [],
    ...changed,
  };
}

/** What the gates see of a job without a fault; the trainer has loaded the plan's 12 rows. */
export function sampleFacts(
  plan: TrainingPlan,
  trainer: Partial<NonNullable<GateFacts['trainer']>> & { readonly versions: Record<string, string> },
  {
    maxPositions = 1_000,
    freeBytes = 1e9,
    environment = null,
  }: { maxPositions?: number; freeBytes?: number; environment?: EnvironmentFacts | null } = {},
): GateFacts {
  return {
    plan,
    setKeys: [],
    gpusGiven: true,
    folderProblem: null,
    dataset: {
      manifestSha256: plan.dataset.manifest_sha256,
      audit: { problem: null, findings: 0, first: '', changedFiles: [] },
      tokenizerName: 'qwen2.5',
    },
    model: { problem: null, missingWeights: [], maxPositions, tokenizer: { kind: 'same' } },
    trainer: {
      python: 'python',
      problem: null,
      loaded: { rows: 12, validationRows: 0, longest: 900 },
      loadError: null,
      arguments: null,
      ...trainer,
    },
    freeBytes,
    environment,
  };
}

/** What `run.json` of a run `t` holds that tests of jobs need. */
export const sampleRun = {
  format_version: 1,
  name: 't',
  created_at: '2026-11-21T00:00:00.000Z',
  coa_distill_version: '0.1.0',
  node_version: 'v24.0.0',
  seed: 7,
  config_file: 'coa.yaml',
  dataset_name: 't',
  config: {},
  shaping: {},
  config_hash: 'config_0',
  stage_hashes: {},
};
