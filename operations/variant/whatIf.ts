import { isDeepStrictEqual } from 'node:util';
import { quoteShellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { type FiltersConfig, filtersConfigSchema } from '../../schemas/config/filters.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { decideAgain } from '../../stages/filter/rules.ts';
import { changedConfig } from './changedConfig.ts';
import { type MeasuredRecord, readMeasured } from './measuredRecords.ts';
import { type Threshold, thresholdsOf } from './thresholds.ts';

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
      const context = { settings: now, seed, measures, nearInputs };
      return {
        key,
        was: found[0],
        now: decideAgain(trajectory, profileOf(trajectory.profile)!, context, found),
      };
    });
    const isKept = (when: 'was' | 'now') => (end: End) => end[when] === undefined;
    return {
      command: set.length === 0 ? null : commandOf(name, set),
      thresholds: thresholdsOf(was, this.#records, profileOf),
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

/** Settings that say what is measured, not only what is decided by it. */
const measuring: readonly ((filters: FiltersConfig) => readonly [key: string, value: unknown])[] = [
  ({ tool_input_similarity }) => ['tool_input_similarity', tool_input_similarity],
  ({ min_tests }) => ['min_tests', min_tests],
  ({ lint }) => ['lint', lint],
  ({ secrets }) => ['secrets.kinds', secrets?.kinds],
  ({ difficulty }) => ['difficulty.file', difficulty?.file],
  ({ languages }) => ['languages', languages !== undefined],
];

function refuseUnmeasured(was: FiltersConfig, now: FiltersConfig, [first]: readonly MeasuredRecord[]): void {
  const { min_tokens, max_tokens } = now.length ?? {};
  const isLong = (min_tokens ?? max_tokens) !== undefined && first?.measures.tokens === undefined;
  const changed = measuring.find((of) => !isDeepStrictEqual(of(was), of(now)));
  const key = changed ? changed(now)[0] : isLong ? 'length' : undefined;
  if (first !== undefined && key !== undefined)
    throw new UserError(
      `filters.${key}: this run has not measured what that asks for; coa-distill filter does`,
    );
}

function commandOf(name: string, set: readonly string[]): string {
  return ['coa-distill', 'filter', name, ...set.flatMap((setting) => ['--set', setting])]
    .map(quoteShellWord)
    .join(' ');
}
