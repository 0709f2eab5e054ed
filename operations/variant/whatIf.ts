import { isDeepStrictEqual } from 'node:util';
import { quoteShellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { type FiltersConfig, filtersConfigSchema } from '../../schemas/config/filters.ts';
import type { Threshold } from '../../schemas/filters/filterRule.ts';
import { decideAgain, filterRules } from '../../schemas/filters/filterRules.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { changedConfig } from './changedConfig.ts';
import { type MeasuredRecord, readMeasured } from './measuredRecords.ts';

/** Records that are counted: each takes some hundred bytes. */
const MAX_RECORDS = 200_000;
/** Records named that enter or leave. */
const MAX_NAMED = 100;

/** What the filter would do by other settings. */
export interface WhatIfCounts {
  /** The command that makes it so; null where nothing is set otherwise. */
  readonly command: string | null;
  readonly thresholds: readonly Threshold[];
  /** Records that the filter has decided on, at most the first 200,000. */
  readonly records: number;
  readonly kept: { readonly was: number; readonly now: number };
  /** By reason: how many records it drops. */
  readonly dropped: readonly { readonly reason: string; readonly was: number; readonly now: number }[];
  /** How many records would be kept that are not, with the first of them. */
  readonly entered: { readonly count: number; readonly first: readonly string[] };
  /** How many would no longer be. */
  readonly left: { readonly count: number; readonly first: readonly string[] };
}

/**
 * Counts what the filter would keep by other settings, from what it measured: nothing is worked out again, so it takes
 * milliseconds. What comes after the filter, `balance` for instance, is not decided here.
 */
export class WhatIf {
  readonly #run: RunFile;
  readonly #records: readonly MeasuredRecord[];

  private constructor(run: RunFile, records: readonly MeasuredRecord[]) {
    this.#run = run;
    this.#records = records;
  }

  /** Reads what a run's filter has measured so far. */
  static async open(folder: string, run: RunFile): Promise<WhatIf> {
    return new WhatIf(run, await readMeasured(folder, run, MAX_RECORDS));
  }

  /**
   * Counts by other settings.
   *
   * @param set `filters.KEY=VALUE` each
   * @throws UserError for a setting that the filter does not have, or that asks for what was not measured
   */
  count(set: readonly string[]): WhatIfCounts {
    const other = set.find((setting) => !setting.startsWith('filters.'));
    if (other !== undefined)
      throw new UserError(`${other}: only settings of filters can be counted without a run`);
    const { config, seed, name } = this.#run;
    const was = filtersConfigSchema.parse(config.filters ?? {});
    const now = set.length === 0 ? was : changedConfig(config, set).filters;
    refuseUnmeasured(was, now, this.#records);
    const { profileOf } = profilesOfRun(config);
    const ends = this.#records.map(({ key, trajectory, measures, found }): End => {
      const nearInputs = Array.from({ length: measures.near_redundant_tool_inputs }, () => countedPair);
      const profile = profileOf(trajectory.profile)!;
      const context = { settings: now, profile, seed, measures, nearInputs };
      return { key, was: found[0], now: decideAgain(trajectory, context, found) };
    });
    const isKept = (when: 'was' | 'now') => (end: End) => end[when] === undefined;
    return {
      command: set.length === 0 ? null : commandOf(name, set),
      thresholds: filterRules.flatMap(
        ({ thresholds }) => thresholds?.(was, { records: this.#records, profileOf }) ?? [],
      ),
      records: ends.length,
      kept: { was: ends.filter(isKept('was')).length, now: ends.filter(isKept('now')).length },
      dropped: droppedBy(ends),
      entered: named(ends.filter((end) => end.was !== undefined && end.now === undefined)),
      left: named(ends.filter((end) => end.was === undefined && end.now !== undefined)),
    };
  }
}

/** Why a record is and would be dropped; undefined: kept. */
interface End {
  readonly key: string;
  readonly was: string | undefined;
  readonly now: string | undefined;
}

/** Stands for a pair of nearly equal inputs: rules count them, and only evidence names them. */
const countedPair = { tool: '', earlier: 0, segment: 0 };

function droppedBy(ends: readonly End[]): WhatIfCounts['dropped'] {
  const times = (when: 'was' | 'now', reason: string) => ends.filter((end) => end[when] === reason).length;
  return [...new Set(ends.flatMap((end) => [end.was ?? [], end.now ?? []].flat()))]
    .map((reason) => ({ reason, was: times('was', reason), now: times('now', reason) }))
    .sort((a, b) => b.was + b.now - a.was - a.now);
}

function named(ends: readonly End[]): WhatIfCounts['entered'] {
  return { count: ends.length, first: ends.slice(0, MAX_NAMED).map(({ key }) => key) };
}

function refuseUnmeasured(was: FiltersConfig, now: FiltersConfig, [first]: readonly MeasuredRecord[]): void {
  if (first === undefined) return;
  for (const { measuredBy } of filterRules) {
    const before = measuredBy?.(was, first.measures);
    const after = Object.entries(measuredBy?.(now, first.measures) ?? {});
    const changed = after.find(([key, value]) => !isDeepStrictEqual(before?.[key], value));
    if (changed)
      throw new UserError(
        `filters.${changed[0]}: this run has not measured what that asks for; coa-distill refilter does`,
      );
  }
}

function commandOf(name: string, set: readonly string[]): string {
  return ['coa-distill', 'refilter', name, ...set.flatMap((setting) => ['--set', setting])]
    .map(quoteShellWord)
    .join(' ');
}
