import { answerBody } from '../../schemas/coa/answers.ts';
import {
  answerSegment,
  observationSegment,
  type PlayedSegment,
  playedAnswerSchema,
  stepSegments,
} from '../../schemas/coa/play/playedSegments.ts';
import { type Profile, tagOfKind } from '../../schemas/coa/profile.ts';
import type { Trace, TraceEvent } from '../../schemas/trace.ts';
import { inexpressible } from './flattenEvents.ts';

/** A segment and the event that its words come from. */
interface EventSegment extends PlayedSegment {
  readonly event: string;
}

/** A played trace in segments, and the look-alikes made harmless in its observations. */
interface PlayedTrace {
  readonly segments: readonly EventSegment[];
  readonly neutralised: number;
  /** The model that played. */
  readonly model: string | undefined;
}

/**
 * The trace of a model that played every agent in one text: its steps and the observations, one after the other, as
 * they stood when they were played. Nothing is left out, and no grammar asked: that is the filter's part.
 *
 * @throws RecordFailure (`inexpressible`) naming the event for a trace that no player makes
 */
export function playedTrace(trace: Trace, profile: Profile): PlayedTrace {
  let neutralised = 0;
  const segments = trace.events.filter(hasText).flatMap((event) => {
    const observed = event.type === 'tool_call' ? observationOf(event, profile) : undefined;
    neutralised += observed?.neutralised ?? 0;
    return (observed ? [observed.segment] : stepOf(event, profile)).map(named(event.id));
  });
  const call = trace.events.find((event) => event.type === 'agent_call');
  return { segments: [...segments, ...suggestedAnswer(trace, profile)], neutralised, model: call?.model };
}

/** Where a call of the model or a tool failed there is nothing to be seen. */
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

/** An answer that the model only suggested: its origin is the environment, which put it there. */
function suggestedAnswer({ ending, events, final_answer, task }: Trace, profile: Profile): EventSegment[] {
  if (ending?.by !== 'suggested_answer') return [];
  const end = `</${tagOfKind(profile, 'answer')}>`;
  const segment = answerSegment(profile, answerBody(task.domain, final_answer) + end);
  return [named(events.at(-1)!.id)(segment)];
}
