import { RecordFailure } from '../../contract/errors.ts';
import { emitRecord, type RecordStage } from '../../contract/stage.ts';
import { layOutBlocks } from '../../schemas/coa/layout.ts';
import { askedTurns } from '../../schemas/coa/play/askedTurns.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { type ConvertConfig, defaultConvertConfig } from '../../schemas/config/convert.ts';
import { PLAYED_BY_ONE_MODEL, type Trace, taskRollout, traceSchema } from '../../schemas/trace.ts';
import { type Segment, type Trajectory, trajectoryId, trajectorySchema } from '../../schemas/trajectory.ts';
import { type MeasuredBlock, measureQuality } from './measureQuality.ts';
import { playedTrace } from './playedTrajectory.ts';
import { traceBlocks } from './traceBlocks.ts';

/** How traces are written as trajectories. */
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

/** A trace in segments. */
interface WrittenTrace extends Pick<Trajectory, 'model'> {
  readonly segments: readonly (MeasuredBlock & Segment)[];
  /** Look-alikes made harmless in observations. */
  readonly neutralised: number;
}

/**
 * Writes a trace as a trajectory. The trajectory's `question` is the one in its user turn, look-alikes of structure
 * made harmless. Throws `RecordFailure` (`inexpressible`) for what the profile's grammar can't say.
 */
export function convertTrace(
  trace: Trace,
  profile: Profile,
  systemPrompt: string,
  settings: ConvertConfig = defaultConvertConfig,
): Trajectory {
  const { task } = trace;
  const { segments, neutralised, model } =
    trace.teacher === PLAYED_BY_ONE_MODEL
      ? playedTrace(trace, profile)
      : writtenTrace(trace, profile, settings);
  const asked = askedTurns(profile, task.question, systemPrompt);
  const { question, ...turns } = asked.turns;
  const content = {
    ...taskRollout(trace),
    profile: profile.name,
    ...turns,
    segments: segments.map(({ tag, origin, text, event }) => ({ tag, origin, text, event })),
  };
  return {
    id: trajectoryId(content),
    trace_id: trace.id,
    ...content,
    ...(trace.repairs !== undefined && { repairs: trace.repairs }),
    ...(model !== undefined && { model }),
    ...(trace.member && { member: trace.member }),
    domain: task.domain,
    question,
    answers: task.answers,
    ...(task.tests ? { tests: task.tests } : {}),
    source: task.source.data_source ?? task.source.file,
    quality: measureQuality(profile, segments, neutralised + asked.neutralised),
  };
}

function writtenTrace(trace: Trace, profile: Profile, settings: ConvertConfig): WrittenTrace {
  const { blocks, neutralised } = traceBlocks(trace, profile, settings);
  const segments = layOutBlocks(blocks).map((laidOut, at) => ({ ...blocks[at]!, ...laidOut }));
  return { segments, neutralised };
}
