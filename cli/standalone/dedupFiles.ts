import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { printable } from '../../base/printable.ts';
import { UserError } from '../../base/userError.ts';
import {
  type Comparison,
  decontaminateRows,
  dedupRows,
  type NearPair,
} from '../../operations/standalone/dedupRows.ts';
import { loadSettings } from '../../operations/standalone/loadSettings.ts';
import { type DecontaminateConfig, decontaminateConfigSchema } from '../../schemas/config/decontaminate.ts';
import { type DedupConfig, questionDedupSchema, trajectoryDedupSchema } from '../../schemas/config/dedup.ts';
import { type RowOptions, shapeRows } from './shapeRows.ts';

export interface DedupFilesOptions extends RowOptions {
  readonly of: 'question' | 'trajectory';
  readonly column?: string;
}

/** `coa-distill dedup FILE... --out FILE`: one row of each cluster of exact and near duplicates. */
export async function dedupFiles(files: readonly string[], options: DedupFilesOptions): Promise<void> {
  const { config, profiles } = await loadSettings(options);
  const comparison = comparisonOf(config.dedup, options);
  const { column } = options;
  const stage = dedupRows({ comparison, column, profiles: profiles.profiles, spillFolder: tmpdir() });
  await shapeRows(files, stage, options, () => ({
    lines: stage.nearPairs.flatMap(pairLines),
    counts: { near_pairs: stage.nearPairs },
  }));
}

/** Characters of a question that are shown. */
const SHOWN_CHARS = 160;

/** What two near duplicates share, so that a reader sees what was taken for the same. */
function pairLines({ kept, dropped, jaccard }: NearPair): string[] {
  const shown = (text: string) => printable(text.slice(0, SHOWN_CHARS).toWellFormed());
  return [
    `near duplicates that share ${jaccard.toFixed(2)} of their shingles:`,
    `  kept:    ${shown(kept)}`,
    `  dropped: ${shown(dropped)}`,
  ];
}

/** Near duplicates are looked for by default: a file is deduplicated for no other reason. */
function comparisonOf(dedup: DedupConfig | undefined, { of }: DedupFilesOptions): Comparison {
  const section = of === 'question' ? 'questions' : 'trajectories';
  if (dedup?.[section]?.semantic)
    throw new UserError(
      `dedup.${section}.semantic: the command dedup asks no model; take it out of the configuration, or use it in a run`,
    );
  return of === 'question'
    ? { of, config: dedup?.questions ?? questionDedupSchema.parse({}) }
    : { of, config: dedup?.trajectories ?? trajectoryDedupSchema.parse({}) };
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
