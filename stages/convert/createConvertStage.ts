import { RecordFailure } from '../../contract/errors.ts';
import { emitRecord, type RecordStage } from '../../contract/stage.ts';
import { layOutBlocks, normaliseText } from '../../schemas/coa/layout.ts';
import { neutralise } from '../../schemas/coa/neutralise.ts';
import { type Profile, renderPrompt } from '../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { type ConvertConfig, defaultConvertConfig } from '../../schemas/config/convert.ts';
import { type Trace, taskRollout, traceSchema } from '../../schemas/trace.ts';
import { type Segment, type Trajectory, trajectoryId, trajectorySchema } from '../../schemas/trajectory.ts';
import { measureQuality } from './measureQuality.ts';
import { type EventBlock, traceBlocks } from './traceBlocks.ts';

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
  const { blocks, neutralised } = traceBlocks(trace, profile, settings);
  const question = neutralise(normaliseText(task.question), structuralTagsOf(profile));
  const content = {
    ...taskRollout(trace),
    profile: profile.name,
    system: systemPrompt,
    user: renderPrompt(profile, question.text).user,
    segments: segmentsOf(blocks),
  };
  return {
    id: trajectoryId(content),
    trace_id: trace.id,
    ...content,
    domain: task.domain,
    question: question.text,
    answers: task.answers,
    ...(task.tests ? { tests: task.tests } : {}),
    source: task.source.data_source ?? task.source.file,
    quality: measureQuality(profile, blocks, neutralised + question.count),
  };
}

function segmentsOf(blocks: readonly EventBlock[]): Segment[] {
  return layOutBlocks(blocks).map(({ tag, origin, text }, at) => ({
    tag,
    origin,
    text,
    event: blocks[at]!.event,
  }));
}
