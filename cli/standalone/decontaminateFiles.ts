import { resolve } from 'node:path';
import { UserError } from '../../base/userError.ts';
import { decontaminateRows } from '../../operations/standalone/dedupRows.ts';
import { loadSettings } from '../../operations/standalone/loadSettings.ts';
import { type DecontaminateConfig, decontaminateConfigSchema } from '../../schemas/config/decontaminate.ts';
import { type RowOptions, shapeRows } from './shapeRows.ts';

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
