import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { readTrajectories } from '../../output/check/datasetFiles.ts';
import { formatTable } from '../../output/dataset/formatTable.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { type Manifest, manifestSchema, type Split } from '../../schemas/manifest.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { checkMasks } from '../output/check/support/checkRows.ts';
import { readRowsHere } from '../output/check/support/readRowsHere.ts';
import { qwenText } from '../output/support/qwenText.ts';

/** What {@link checkDataset} counted. */
export interface CheckedDataset {
  readonly rows: number;
  readonly trainedTokens: number;
}

/**
 * Checks a dataset folder by the product's own check, which imports nothing of the exporter: every format must carry the
 * text of the trajectories and train the tokens of what the model wrote. Beside that, what no row tells: which tasks
 * lie on which side of the split, which files there are, and what the manifest counts.
 */
export async function checkDataset(folder: string): Promise<CheckedDataset> {
  const manifest = await manifestOf(folder);
  expect(manifest.tokenizer.sha256).toBe(qwenText.sha256);
  const run = await readRunFile(path.join(folder, '..'));
  const profileOf = run ? profilesOfRun(run.config).profileOf : builtinProfile;
  // The canonical records are what others are held against.
  if (manifest.formats.some((format) => formatTable[format].records !== 'task'))
    expect((await checkMasks(folder, { profileOf })).findings).toEqual([]);

  const train = await trajectoriesOf(folder, 'train');
  const validation = await trajectoriesOf(folder, 'validation');
  const tasks = new Set(train.map(({ task_id }) => task_id));
  expect(validation.filter(({ task_id }) => tasks.has(task_id))).toEqual([]);
  const { rows, splits, boundary_tokens, profiles } = manifest;
  expect({ rows, splits, boundary_tokens, profiles }).toEqual({
    rows: train.length + validation.length,
    splits: { train: train.length, validation: validation.length },
    boundary_tokens: 0,
    profiles: countProfiles([...train, ...validation]),
  });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'));
  expect(['manifest.json', ...manifest.files.map((file) => file.path)].sort()).toEqual(files.sort());
  return { rows, trainedTokens: manifest.trained_tokens };
}

/** The canonical rows of a split, in their order. */
export async function trajectoriesOf(folder: string, split: Split): Promise<Trajectory[]> {
  const listed = (await manifestOf(folder)).files.filter(
    (file) => file.split === split && /^trajectories[^/]*$/.test(file.path),
  );
  const files = listed.map((file) => path.join(folder, file.path));
  const trajectories: Trajectory[] = [];
  for await (const trajectory of readTrajectories(files, readRowsHere)) trajectories.push(trajectory);
  return trajectories;
}

async function manifestOf(folder: string): Promise<Manifest> {
  return manifestSchema.parse(JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8')));
}

function countProfiles(trajectories: readonly Trajectory[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { profile } of trajectories) counts[profile] = (counts[profile] ?? 0) + 1;
  return counts;
}
