import type { Profile } from '../../schemas/coa/profile.ts';
import type { TurnMap } from '../../schemas/interchange/turnMap.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ImportRow } from './createImportSource.ts';
import { type ImportFormat, type ReadRun, runReaders } from './formats.ts';
import { type AfmContext, importAfmRow } from './importAfmRow.ts';
import type { ToolMap } from './runs/toolTags.ts';
import { traceOfRun } from './runs/traceOfRun.ts';

/** What is known of the files of an import. */
export interface TraceImportOptions {
  readonly format: Exclude<ImportFormat, 'afm'>;
  readonly profileOf: (name: string) => Profile | undefined;
  /** `--profile`: the profile of every row; where absent, rows say it themselves. */
  readonly profile?: string;
  readonly tools: ToolMap;
  /** How turns of text are read. */
  readonly turns?: TurnMap;
}

/** Makes traces of other systems' traces. */
export function importTraceRow(options: TraceImportOptions): ImportRow<Trace> {
  const readRun: ReadRun = runReaders[options.format];
  return (value, place) => {
    const run = readRun(value, options.turns);
    return { record: traceOfRun(run, { ...options, ...place }), remarks: run.remarks };
  };
}

/** Makes trajectories of AFM's alpaca rows. */
export function importTrajectoryRow(context: AfmContext): ImportRow<Trajectory> {
  return (value, { file }) => {
    const { trajectory, remarks } = importAfmRow(value, context);
    return { record: { ...trajectory, source: file }, remarks };
  };
}
