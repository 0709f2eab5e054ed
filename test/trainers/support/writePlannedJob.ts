import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Manifest } from '../../../schemas/manifest.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';
import { plannedJob } from '../../training/support/plannedJob.ts';

/** Writes the job that the product renders for a run folder with `dataset/`, for the CPU unless told otherwise. */
export async function writePlannedJob(
  run: string,
  manifest: Manifest,
  job: string,
  section: Parameters<typeof plannedJob>[0] = {},
): Promise<{ folder: string; plan: TrainingPlan }> {
  const folder = path.join(run, 'train', job);
  const { plan, rendered } = plannedJob(
    { gpus_per_node: 0, ...section },
    { manifest, job, datasetFolder: path.join(run, 'dataset'), jobFolder: folder },
  );
  await mkdir(folder, { recursive: true });
  for (const file of rendered.files) await writeFile(path.join(folder, file.path), file.text);
  return { folder, plan };
}
