import { UserError } from '../base/userError.ts';
import { datasetParts, readRows, readTrajectories } from '../output/check/datasetFiles.ts';
import type { Manifest, Split } from '../schemas/manifest.ts';
import type { Trajectory } from '../schemas/trajectory.ts';

export interface OpenedDataset {
  readonly folder: string;
  readonly manifest: Manifest;
  /** Streams the trajectories of a split in row order; default: `train`. */
  trajectories(split?: Split): AsyncGenerator<Trajectory>;
}

/**
 * Opens a dataset folder, such as `runs/quickstart/dataset`.
 *
 * @throws UserError if it is no dataset, or a row of `trajectories.jsonl` is damaged
 */
export async function openDataset(folder: string): Promise<OpenedDataset> {
  const { own, trajectories } = await datasetParts(folder);
  if (!own) throw new UserError(`${folder}: no dataset of coa-distill; expected a folder with manifest.json`);
  return {
    ...own,
    trajectories: (split = 'train') => readTrajectories(trajectories.get(split) ?? [], readRows),
  };
}
