import { z } from 'zod';
import { contentId } from '../base/ids.ts';
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts';
import { sum } from '../base/sum.ts';
import { chatMessageSchema, chatToolCallSchema, usageOfAll, usageSchema } from './chat.ts';
import { sentSamplingSchema } from './config/sampling.ts';
import { stageFailureSchema } from './outcome.ts';
import { taskSchema } from './task.ts';

/**
 * The agents of the teacher. The orchestrator is CoA's thinking agent: it picks who acts next. `model` is a CoA model
 * that plays all of them in one text.
 */
export const roleSchema = z.enum([
  'orchestrator',
  'planner',
  'tool_agent',
  'reflector',
  'answerer',
  'verifier',
  'model',
]);
export type Role = z.infer<typeof roleSchema>;

const eventBase = {
  id: z.string(),
  /** The event that caused this one; null for the first. */
  parent: z.string().nullable(),
  /** When it began, ISO 8601. Not part of any id. */
  started_at: z.string(),
  duration_ms: z.number().nonnegative(),
  failure: stageFailureSchema.nullable(),
  /** What an imported trace's source says of this event beyond the fields here, by format. Not part of any id. */
  extra: jsonObjectSchema.optional(),
};

/** One call of an agent's model, with every ask that its answer took. */
export const agentCallEventSchema = z.object({
  ...eventBase,
  type: z.literal('agent_call'),
  role: roleSchema,
  /** The action this call produced or chose, a tag of the profile; null when it failed before that. */
  action: z.string().nullable(),
  model: z.string(),
  /** Hash of everything that shapes the answer. */
  request_hash: z.string(),
  /** Keys into the trace's `messages`. */
  messages: z.array(z.string()),
  /** The structured answer after validation; null for native tool calls and failures. */
  answer: jsonObjectSchema.nullable(),
  /** The text the model wrote, as it came. */
  content: z.string().nullable(),
  /** `reasoning_content` or `reasoning` of thinking models. */
  reasoning: z.string().nullable(),
  tool_calls: z.array(chatToolCallSchema),
  finish_reason: z.string().nullable(),
  /** How a structured answer was asked for; null where none was. */
  response_format: z.enum(['openai_schema', 'llama_cpp_schema', 'json_object', 'text']).nullable(),
  usage: usageSchema,
  cost_usd: z.number().nonnegative(),
  /**
   * Attempts that brought no answer and that another followed, and the milliseconds that they and the waits took. Absent
   * where there were none, and where a kept answer was used. Not part of any id.
   */
  retries: z.object({ times: z.int().positive(), ms: z.number().nonnegative() }).optional(),
  /** Earlier answers to this ask that were malformed, and what was wrong with each. */
  malformed: z.array(z.object({ content: z.string(), error: z.string() })),
});
export type AgentCallEvent = z.infer<typeof agentCallEventSchema>;

export const toolCallEventSchema = z.object({
  ...eventBase,
  type: z.literal('tool_call'),
  /** The tool's tag, for instance `web_search`. */
  tool: z.string(),
  input: jsonObjectSchema,
  /**
   * What the agent was shown, before look-alikes of structure were escaped in it; a message of the tool about
   * what went wrong is one too. Null when the tool failed: `failure` says why, and ended the task.
   */
  observation: z.string().nullable(),
  /** What the tool's service answered, before it was written as an observation; null when the tool failed. */
  raw: jsonValueSchema,
  /** Whether an earlier call's result was used. Absent where the trace's source does not say. Not part of any id. */
  cached: z.boolean().optional(),
});
export type ToolCallEvent = z.infer<typeof toolCallEventSchema>;

/** Anything that happened while the teacher worked on a task. */
export const traceEventSchema = z.discriminatedUnion('type', [agentCallEventSchema, toolCallEventSchema]);
export type TraceEvent = z.infer<typeof traceEventSchema>;

/** Sums over a trace's events. */
export const traceTotalsSchema = z.object({
  /** Model calls, malformed asks included. */
  model_calls: z.int().nonnegative(),
  tool_calls: z.int().nonnegative(),
  ...usageSchema.shape,
  cost_usd: z.number().nonnegative(),
  duration_ms: z.number().nonnegative(),
});
export type TraceTotals = z.infer<typeof traceTotalsSchema>;

/** Sums over events, but for what their recorder alone knows. */
export function sumsOf(events: readonly TraceEvent[]): Omit<TraceTotals, 'model_calls' | 'duration_ms'> {
  const calls = events.filter((event) => event.type === 'agent_call');
  return {
    tool_calls: events.length - calls.length,
    ...usageOfAll(calls.map(({ usage }) => usage)),
    cost_usd: sum(calls.map(({ cost_usd }) => cost_usd)),
  };
}

/** What traces name as their `teacher` where one CoA model played every agent. */
export const PLAYED_BY_ONE_MODEL = 'coa_model';

/** How a trace ended that a limit or the model broke off, where the configuration takes another answer. */
const traceEndingSchema = z.object({
  /** Whose words the answer is: asked for at the limit, or the last one that the model suggested. */
  by: z.enum(['forced_answer', 'suggested_answer']),
  /** What would have ended it without an answer. */
  failure: stageFailureSchema,
});

/** A try of a rollout that gave no answer, so that the task was begun again. */
const failedTrySchema = z.object({
  failure: stageFailureSchema,
  /** How many events it has: those after the events of the tries before it. */
  events: z.int().nonnegative(),
});
export type FailedTry = z.infer<typeof failedTrySchema>;

/** The member of a mixture of teachers that made a rollout. */
export const rolloutMemberSchema = z.object({
  name: z.string(),
  model: z.string(),
  /** As it was sent; what is absent was left to the endpoint. */
  sampling: sentSamplingSchema,
});

/** The teacher's whole run on one task. Events are in the order in which they began; parents come before children. */
export const traceSchema = z.object({
  id: z.string(),
  task_id: z.string(),
  /** Which of the task's rollouts it is, from 0; absent for the first. */
  rollout: z.int().positive().optional(),
  /** The rollout of the task whose wrong answer this one is to put right; absent for what is not a second try. */
  repairs: z.int().nonnegative().optional(),
  /**
   * How many of the first events are that rollout's, taken over: this one was told that the answer they led to is wrong,
   * and went on. `totals` does not count them. Absent as `repairs`, and where the trace was imported.
   */
  taken_over: z.int().positive().optional(),
  /** The task that was solved, whole, so that a trace can be converted and judged on its own. */
  task: taskSchema,
  profile: z.string(),
  /** Which program made the trace. */
  teacher: z.string(),
  /** Which member of a mixture made it; absent where there is none. */
  member: rolloutMemberSchema.optional(),
  final_answer: z.string(),
  events: z.array(traceEventSchema),
  /** Every message that any call carried, once, by content id. */
  messages: z.record(z.string(), chatMessageSchema),
  totals: traceTotalsSchema,
  /** Tries before the one that gave the answer: their events come first, and are in no trajectory. Absent where none failed. */
  failed_tries: z.array(failedTrySchema).optional(),
  /** Absent where the teacher gave the answer by itself. */
  ending: traceEndingSchema.optional(),
  /** What an imported trace's source says beyond the fields here, by format. Not part of the id. */
  extra: jsonObjectSchema.optional(),
});
export type Trace = z.infer<typeof traceSchema>;

/** What of an event shapes its id: its place and content, never its timing, cost or ports. */
export type EventIdentity =
  | Pick<AgentCallEvent, 'type' | 'role' | 'action' | 'request_hash' | 'answer' | 'content' | 'tool_calls'>
  | Pick<ToolCallEvent, 'type' | 'tool' | 'input' | 'observation'>;

/** What was done for a trace itself: without the events that a second try took over from the first. */
export function ownEvents<T>(trace: {
  readonly events: readonly T[];
  readonly taken_over?: number | undefined;
}): readonly T[] {
  return trace.events.slice(trace.taken_over);
}

/** The task that a record comes from, and which of its rollouts. */
export interface TaskRollout {
  readonly task_id: string;
  /** From 1; absent for the first. */
  readonly rollout?: number;
}

/**
 * The same with `rollout` left out for the first, so that its records are the same whether others follow or not.
 * Everything that is named after a rollout is named after this.
 */
export function taskRollout({ task_id, rollout = 0 }: Pick<Trace, 'task_id' | 'rollout'>): TaskRollout {
  return rollout === 0 ? { task_id } : { task_id, rollout };
}

/** The id of an event: its task's rollout, its place among the rollout's events (from 0) and its content. */
export function eventId(of: TaskRollout, index: number, identity: EventIdentity): string {
  return contentId('event', { ...taskRollout(of), index, ...identity });
}

/** The id of a trace: its task's rollout and its events' ids in order. */
export function traceId(of: TaskRollout, events: readonly Pick<TraceEvent, 'id'>[]): string {
  return contentId('trace', { ...taskRollout(of), events: events.map((event) => event.id) });
}
