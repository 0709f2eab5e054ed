import { RecordFailure } from '../../contract/errors.ts';
import { emitRecord, type RecordStage } from '../../contract/stage.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { ConvertConfig } from '../../schemas/config/convert.ts';
import { type Trace, traceSchema } from '../../schemas/trace.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { convertTrace } from './convertTrace.ts';

/** What {@link createConvertStage} needs. */
export interface ConvertOptions {
  readonly profileOf: (name: string) => Profile | undefined;
  /** System turn of every row. */
  readonly systemPrompt: string;
  /** Defaults where absent. */
  readonly config?: ConvertConfig;
}

/** Writes each trace as a trajectory. What its profile can't say fails as `inexpressible`. */
export function createConvertStage({
  profileOf,
  systemPrompt,
  config,
}: ConvertOptions): RecordStage<Trace, Trajectory> {
  return {
    name: 'convert',
    version: 3,
    input: traceSchema,
    output: trajectorySchema,
    concurrency: 1,
    async run(trace) {
      const profile = profileOf(trace.profile);
      if (!profile) throw new RecordFailure('inexpressible', `unknown profile ${trace.profile}`);
      return emitRecord(convertTrace(trace, profile, systemPrompt, config));
    },
  };
}
