import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { UserError } from '../../base/userError.ts';
import { decontaminateRows, dedupRows } from '../../operations/standalone/dedupRows.ts';
import { loadSettings } from '../../operations/standalone/loadSettings.ts';
import { type DecontaminateConfig, decontaminateConfigSchema } from '../../schemas/config/decontaminate.ts';
import { trajectoryDedupSchema } from '../../schemas/config/dedup.ts';
import { type RowOptions, shapeRows } from './shapeRows.ts';

export interface DedupFilesOptions extends RowOptions {
  readonly of: 'question' | 'trajectory';
  readonly column?: string;
}

/** `coa-distill dedup FILE... --out FILE`: keeps one row per question, or per cluster of near duplicates. */
export async function dedupFiles(files: readonly string[], options: DedupFilesOptions): Promise<void> {
  const { config, profiles } = await loadSettings(options);
  const near = config.dedup?.trajectories ?? trajectoryDedupSchema.parse({});
  const { of, column } = options;
  if (of === 'trajectory' && near.semantic)
    throw new UserError(
      'dedup.trajectories.semantic: the command dedup asks no model; take it out of the configuration, or use it in a run',
    );
  const stage = dedupRows({ of, config: near, column, profiles: profiles.profiles, spillFolder: tmpdir() });
  await shapeRows(files, stage, options);
}

export interface DecontaminateFilesOptions extends RowOptions {
  readonly against?: readonly string[];
  readonly column?: string;
}

export async function decontaminateFiles(
  files: readonly string[],
  options: DecontaminateFilesOptions,
): Promise<void> {
  const { config, profiles } = await loadSettings(options);
  const settings = withBenchmarks(config.decontaminate ?? decontaminateConfigSchema.parse({}), options);
  const { column } = options;
  const stage = decontaminateRows({ config: settings, column, profiles: profiles.profiles });
  await shapeRows(files, stage, options);
}

function withBenchmarks(
  settings: DecontaminateConfig,
  { against = [] }: DecontaminateFilesOptions,
): DecontaminateConfig {
  const added = against.map((path) => ({ path: resolve(path) }));
  const benchmarks = [...settings.benchmarks, ...added];
  if (benchmarks.length === 0)
    throw new UserError('no benchmark: expected --against FILE, or --config with decontaminate.benchmarks');
  return decontaminateConfigSchema.parse({ ...settings, benchmarks });
}
