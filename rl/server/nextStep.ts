import { RecordFailure } from '../../contract/errors.ts';
import type { Tool } from '../../contract/tool.ts';
import { answerText } from '../../schemas/coa/answers.ts';
import { observationSegment } from '../../schemas/coa/play/playedSegments.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { Task } from '../../schemas/task.ts';
import type { Segment } from '../../schemas/trajectory.ts';
import { toolRequest } from '../../teachers/coaModel/toolRequest.ts';
import type { RlNextAnswer, RlNextRequest } from '../records/next.ts';
import { type PlayedRlStep, playedSteps } from './playedSteps.ts';

export interface PlayedTask {
  readonly task: Task;
  readonly profile: Profile;
}

export interface StepParts {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly maxSteps: number;
  /** Escapes special tokens of the trainer's tokenizer in an observation's segment. */
  readonly escapeSpecialTokens: (segment: Pick<Segment, 'tag' | 'text'>) => string;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * Continuation after a generation: observation of the called tool, nothing, or the end.
 *
 * @throws RecordFailure if the tool failed, after its own retries
 */
export async function nextStep(
  { segments, finish_reason }: RlNextRequest,
  { task, profile }: PlayedTask,
  parts: StepParts,
  signal: AbortSignal,
): Promise<RlNextAnswer> {
  const steps = playedSteps(profile, segments);
  const step = steps.at(-1);
  if (step === undefined || segments.at(-1)?.origin !== 'model')
    throw new RecordFailure('inexpressible', "the last segment is not the model's", {}, { retryable: false });
  const end = endOf(step, finish_reason);
  const generations = segments.filter(({ origin }) => origin === 'model').length;
  // A model that repeatedly stops in its thoughts also reaches the limit.
  if ((end === 'call' || end === 'continue') && generations >= parts.maxSteps)
    return answerOf('steps', step, task);
  if (end !== 'call') return answerOf(end, step, task);
  return observe(step, { task, profile }, parts, signal);
}

type StepEnd = 'call' | 'continue' | 'answer' | 'no_answer' | 'grammar' | 'length' | 'steps';

function endOf({ end, isOpen }: PlayedRlStep, finish: RlNextRequest['finish_reason']): StepEnd {
  if (end) return end.kind === 'answer' ? 'answer' : 'call';
  if (finish === 'length') return 'length';
  if (finish === 'eos') return 'no_answer';
  return isOpen ? 'continue' : 'grammar';
}

function answerOf(
  reason: Exclude<StepEnd, 'call'>,
  { end, events }: PlayedRlStep,
  { domain }: Task,
): RlNextAnswer {
  if (reason === 'continue') return { kind: 'continue', events: [...events] };
  const answer = reason === 'answer' && end ? answerText(domain, end.body) : null;
  return { kind: 'end', reason, answer, events: [...events] };
}

async function observe(
  { end, text, thought, events }: PlayedRlStep,
  { task, profile }: PlayedTask,
  { tools, escapeSpecialTokens, now }: StepParts,
  signal: AbortSignal,
): Promise<RlNextAnswer> {
  const { tag } = end!;
  const startedAt = now();
  const { tool, input } = toolRequest(profile, end!, { tools });
  const goal = { question: task.question, ...(thought !== undefined && { thinking: thought }) };
  // Cached separately from trajectories: equal calls have the same result.
  const found = input.ok
    ? await tool.call(input.input, signal, { task_id: task.id }, goal)
    : { observation: `Invalid input of ${tag}: ${input.error}`, cached: false };
  const { segment } = observationSegment(profile, found.observation)!;
  return {
    kind: 'observation',
    text: (text.endsWith('\n') ? '' : '\n') + escapeSpecialTokens(segment),
    tool: tag,
    duration_ms: now() - startedAt,
    cached: found.cached ?? false,
    events: input.ok ? [...events] : [...events, { name: 'malformed_tool_input', detail: input.error }],
  };
}
