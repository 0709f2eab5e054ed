import { sum } from '../../base/sum.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { emitRecord, type RecordStage } from '../../contract/stage.ts';
import { answerBody } from '../../schemas/coa/answers.ts';
import { layOutBlocks } from '../../schemas/coa/layout.ts';
import {
  answerSegment,
  observationSegment,
  type PlayedSegment,
  playedAnswerSchema,
  stepSegments,
} from '../../schemas/coa/play/playedSegments.ts';
import { askedTurns } from '../../schemas/coa/play/turnTexts.ts';
import { type Profile, tagOfKind } from '../../schemas/coa/profile.ts';
import { type ConvertConfig, defaultConvertConfig } from '../../schemas/config/convert.ts';
import {
  PLAYED_BY_ONE_MODEL,
  type Trace,
  type TraceEvent,
  taskRollout,
  traceSchema,
} from '../../schemas/trace.ts';
import { type Segment, type Trajectory, trajectoryId, trajectorySchema } from '../../schemas/trajectory.ts';
import { inexpressible } from './flattenEvents.ts';
import { type MeasuredBlock, measureQuality } from './measureQuality.ts';
import { traceBlocks } from './traceBlocks.ts';

interface ConvertOptions {
  readonly profileOf: (name: string) => Profile | undefined;
  /** System turn of every row. */
  readonly systemPrompt: string;
  /** Default: the schema's defaults. */
  readonly config?: ConvertConfig;
}

export function createConvertStage({
  profileOf,
  systemPrompt,
  config,
}: ConvertOptions): RecordStage<Trace, Trajectory> {
  return {
    name: 'convert',
    version: 4,
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

interface WrittenTrace extends Pick<Trajectory, 'model'> {
  readonly segments: readonly (MeasuredBlock & Segment)[];
  /** Number of look-alikes escaped in observations. */
  readonly neutralised: number;
}

/**
 * Converts a trace to a trajectory. The trajectory's `question` is that of its user turn, with look-alikes of
 * structure escaped. Throws `RecordFailure` (`inexpressible`) for traces outside the profile's grammar.
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

/** A segment and the event of its text. */
type EventSegment = PlayedSegment & Pick<Segment, 'event'>;

/**
 * Converts the trace of a model that played every agent: its steps and observations in order, as they were played.
 * Nothing is omitted or checked against the grammar, which is the filter's task.
 * @throws RecordFailure (`inexpressible`) naming the event for a trace that no player makes
 */
function playedTrace(trace: Trace, profile: Profile): WrittenTrace {
  let neutralised = 0;
  const failedEvents = sum((trace.failed_tries ?? []).map(({ events }) => events));
  const segments = trace.events
    .slice(failedEvents)
    .filter(hasText)
    .flatMap((event) => {
      const observed = event.type === 'tool_call' ? observationOf(event, profile) : undefined;
      neutralised += observed?.neutralised ?? 0;
      return (observed ? [observed.segment] : stepOf(event, profile)).map(named(event.id));
    });
  const call = trace.events.find((event) => event.type === 'agent_call');
  return { segments: [...segments, ...suggestedAnswer(trace, profile)], neutralised, model: call?.model };
}

/** False for failed calls of the model or a tool. */
function hasText(event: TraceEvent): boolean {
  return event.failure === null || (event.type === 'agent_call' && event.answer !== null);
}

function named(event: string) {
  return (segment: PlayedSegment): EventSegment => ({ ...segment, event });
}

function observationOf(event: Extract<TraceEvent, { type: 'tool_call' }>, profile: Profile) {
  const observed = event.observation === null ? undefined : observationSegment(profile, event.observation);
  if (!observed) throw inexpressible(event.id, `${event.tool} gave no observation that the profile takes`);
  return observed;
}

function stepOf(event: TraceEvent, profile: Profile): PlayedSegment[] {
  const step = event.type === 'agent_call' ? playedAnswerSchema.safeParse(event.answer) : undefined;
  if (!step?.success) throw inexpressible(event.id, 'it holds no step of a player');
  return stepSegments(profile, step.data);
}

/** Answer that the model only suggested; its origin is the environment, which inserted it. */
function suggestedAnswer({ ending, events, final_answer, task }: Trace, profile: Profile): EventSegment[] {
  if (ending?.by !== 'suggested_answer') return [];
  const end = `</${tagOfKind(profile, 'answer')}>`;
  const segment = answerSegment(profile, answerBody(task.domain, final_answer) + end);
  return [named(events.at(-1)!.id)(segment)];
}
