import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { parseJson } from '../../base/json.ts';
import type { DatasetFiles } from '../../contract/trainer.ts';
import type { TrainerFacts } from '../../contract/trainingGate.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { trainerTable } from '../trainers/trainerTable.ts';

const probeSchema = z.object({
  versions: z.record(z.string(), z.string()),
  loaded: z
    .object({
      rows: z.int().nonnegative(),
      validation_rows: z.int().nonnegative(),
      longest: z.int().nonnegative(),
      first_task: z.string().nullish(),
    })
    .nullable(),
  load_error: z.string().nullable(),
  arguments: z.array(z.string()).nullable(),
});

/** Packages whose versions are part of a job's identity. */
const packages = [
  'torch',
  'transformers',
  'datasets',
  'accelerate',
  'deepspeed',
  'peft',
  'trl',
  'ray',
  'pyarrow',
];

/** Program that reports versions and loads a dataset in the same way as a trainer. */
export const probeProgram = fileURLToPath(new URL('probe.py', import.meta.url));

/** Opening a large dataset on a slow file system takes minutes. */
const TIMEOUT_MS = 15 * 60_000;

interface ProbeRequest {
  readonly python: string;
  readonly plan: TrainingPlan;
  /** Files that the trainer reads, relative to the dataset folder. */
  readonly files: Pick<DatasetFiles, 'train' | 'validation'>;
  /** True to read the trainer's keys, which takes ten seconds to import its modules. */
  readonly readsKeys: boolean;
}

/**
 * Queries the trainer's Python for versions, and loads the dataset in the same way as the trainer, without training.
 */
export async function trainerFacts({ python, plan, files, readsKeys }: ProbeRequest): Promise<TrainerFacts> {
  const { probe: functions, tested } = trainerTable[plan.trainer];
  const request = {
    folder: plan.dataset.folder,
    keys: plan.hyper_parameters,
    reads_keys: readsKeys,
    packages: [...new Set([tested.package, ...packages])],
    ...functions,
    ...files,
  };
  try {
    const { stdout } = await promisify(execFile)(python, [probeProgram, JSON.stringify(request)], {
      timeout: TIMEOUT_MS,
      maxBuffer: 16 * 1024 * 1024,
    });
    // Packages may print on import, so the answer is the last line.
    const probe = probeSchema.parse(parseJson(stdout.trimEnd().split('\n').at(-1)!));
    const { loaded } = probe;
    return {
      python,
      problem: null,
      versions: probe.versions,
      loaded: loaded && {
        rows: loaded.rows,
        validationRows: loaded.validation_rows,
        longest: loaded.longest,
        ...(loaded.first_task && { firstTask: loaded.first_task }),
      },
      loadError: probe.load_error,
      arguments: probe.arguments,
    };
  } catch (error) {
    const problem = problemOf(error);
    return { python, problem, versions: {}, loaded: null, loadError: null, arguments: null };
  }
}

function problemOf(error: unknown): string {
  const { code, stderr } = error as { code?: unknown; stderr?: string };
  if (code === 'ENOENT') return 'the program does not exist';
  if (code === 'EACCES') return 'it is not a program that may be run';
  const lastLine = stderr?.trimEnd().split('\n').at(-1);
  return `it gives no answer (${lastLine || (error as Error).message.split('\n')[0]})`;
}
