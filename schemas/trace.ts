import { z } from 'zod';
import { contentId } from '../base/ids.ts';
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts';
import { sum } from '../base/sum.ts';
import { chatMessageSchema, chatToolCallSchema, usageOfAll, usageSchema } from './chat.ts';
import { sentSamplingSchema } from './config/sampling.ts';
import { stageFailureSchema } from './outcome.ts';
import { taskSchema } from './task.ts';

/**
 * Agents of the teacher. The orchestrator is CoA's thinking agent: it selects the next agent. `model` is a CoA model
 * that plays all agents in one text.
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
  /** Id of the event that caused this one; null for the first. */
  parent: z.string().nullable(),
  started_at: z.string(),
  duration_ms: z.number().nonnegative(),
  failure: stageFailureSchema.nullable(),
  /** Fields of an imported event that this schema lacks, by format. Not part of any id. */
  extra: jsonObjectSchema.optional(),
};

/** One model call of an agent with every request its answer took. */
export const agentCallEventSchema = z.object({
  ...eventBase,
  type: z.literal('agent_call'),
  role: roleSchema,
  /** Action that the call produced or chose, a tag of the profile; null if the call failed earlier. */
  action: z.string().nullable(),
  model: z.string(),
  /** Hash of everything that affects the answer. */
  request_hash: z.string(),
  /** Keys into the trace's `messages`. */
  messages: z.array(z.string()),
  /** The structured answer after validation; null for native tool calls and failures. */
  answer: jsonObjectSchema.nullable(),
  /** Raw text from the model. */
  content: z.string().nullable(),
  /** `reasoning_content` or `reasoning` of thinking models. */
  reasoning: z.string().nullable(),
  tool_calls: z.array(chatToolCallSchema),
  finish_reason: z.string().nullable(),
  /** Method by which a structured answer was requested; null if it was not. */
  response_format: z.enum(['openai_schema', 'llama_cpp_schema', 'json_object', 'text']).nullable(),
  usage: usageSchema,
  cost_usd: z.number().nonnegative(),
  /**
   * Attempts without an answer that were retried, and the milliseconds spent on them and on waiting. Absent without
   * retries or if a cached answer was used. Not part of any id.
   */
  retries: z.object({ times: z.int().positive(), ms: z.number().nonnegative() }).optional(),
  /** Earlier malformed answers to this request, each with its error. */
  malformed: z.array(z.object({ content: z.string(), error: z.string() })),
});
export type AgentCallEvent = z.infer<typeof agentCallEventSchema>;

export const toolCallEventSchema = z.object({
  ...eventBase,
  type: z.literal('tool_call'),
  tool: z.string(),
  input: jsonObjectSchema,
  /**
   * Observation shown to the agent, before escaping of structural tags; includes error messages of the tool. Null if
   * the tool failed and ended the task; `failure` has the cause.
   */
  observation: z.string().nullable(),
  /** Raw answer of the tool's service; null if the tool failed. */
  raw: jsonValueSchema,
  /** True if an earlier call's result was reused. Absent if the trace's source does not say. Not part of any id. */
  cached: z.boolean().optional(),
});
export type ToolCallEvent = z.infer<typeof toolCallEventSchema>;

/** An event of the teacher's work on a task. */
export const traceEventSchema = z.discriminatedUnion('type', [agentCallEventSchema, toolCallEventSchema]);
export type TraceEvent = z.infer<typeof traceEventSchema>;

export const traceTotalsSchema = z.object({
  /** Model calls, retries of malformed answers included. */
  model_calls: z.int().nonnegative(),
  tool_calls: z.int().nonnegative(),
  ...usageSchema.shape,
  cost_usd: z.number().nonnegative(),
  duration_ms: z.number().nonnegative(),
});
export type TraceTotals = z.infer<typeof traceTotalsSchema>;

/** Sums over events, except for values that only the recorder has. */
export function sumsOf(events: readonly TraceEvent[]): Omit<TraceTotals, 'model_calls' | 'duration_ms'> {
  const calls = events.filter((event) => event.type === 'agent_call');
  return {
    tool_calls: events.length - calls.length,
    ...usageOfAll(calls.map(({ usage }) => usage)),
    cost_usd: sum(calls.map(({ cost_usd }) => cost_usd)),
  };
}

/** `teacher` value of traces in which one CoA model played every agent. */
export const PLAYED_BY_ONE_MODEL = 'coa_model';

/** Ending of a trace cut short by a limit or the model, if the configuration accepts another answer. */
const traceEndingSchema = z.object({
  /** Source of the answer: requested at the limit, or the model's last suggestion. */
  by: z.enum(['forced_answer', 'suggested_answer']),
  /** Failure that would have ended the trace without an answer. */
  failure: stageFailureSchema,
});

/** A failed try of a rollout; the task was restarted after it. */
const failedTrySchema = z.object({
  failure: stageFailureSchema,
  /** Number of events of this try; they follow those of earlier tries. */
  events: z.int().nonnegative(),
});
export type FailedTry = z.infer<typeof failedTrySchema>;

/** Mixture member that made a rollout. */
export const rolloutMemberSchema = z.object({
  name: z.string(),
  model: z.string(),
  /** Sampling as sent; absent values were left to the endpoint. */
  sampling: sentSamplingSchema,
});

/** The teacher's complete run on one task. Events are ordered by start time; parents precede children. */
export const traceSchema = z.object({
  id: z.string(),
  task_id: z.string(),
  /** Rollout number from 0; absent for the first. */
  rollout: z.int().positive().optional(),
  /** Rollout whose wrong answer this second try corrects; absent for other rollouts. */
  repairs: z.int().nonnegative().optional(),
  /**
   * Number of leading events taken over from that rollout; this one was told that their answer is wrong and
   * continued. Not counted in `totals`. Absent like `repairs`, and for imported traces.
   */
  taken_over: z.int().positive().optional(),
  task: taskSchema,
  profile: z.string(),
  teacher: z.string(),
  /** Mixture member that made it; absent without a mixture. */
  member: rolloutMemberSchema.optional(),
  final_answer: z.string(),
  events: z.array(traceEventSchema),
  /** Messages of all calls by content id, each stored once. */
  messages: z.record(z.string(), chatMessageSchema),
  totals: traceTotalsSchema,
  /** Failed tries before the answer: their events come first and are in no trajectory. Absent if none failed. */
  failed_tries: z.array(failedTrySchema).optional(),
  /** Absent if the teacher answered on its own. */
  ending: traceEndingSchema.optional(),
  /** Fields of an imported trace that this schema lacks, by format. Not part of the id. */
  extra: jsonObjectSchema.optional(),
});
export type Trace = z.infer<typeof traceSchema>;

/** Fields that determine an event's id: place and content, never timing, cost or ports. */
export type EventIdentity =
  | Pick<AgentCallEvent, 'type' | 'role' | 'action' | 'request_hash' | 'answer' | 'content' | 'tool_calls'>
  | Pick<ToolCallEvent, 'type' | 'tool' | 'input' | 'observation'>;

/** Events of a trace itself, without those a second try took over from the first. */
export function ownEvents<T>(trace: {
  readonly events: readonly T[];
  readonly taken_over?: number | undefined;
}): readonly T[] {
  return trace.events.slice(trace.taken_over);
}

/** Task and rollout of a record. */
export interface TaskRollout {
  readonly task_id: string;
  /** From 1; absent for the first. */
  readonly rollout?: number;
}

/**
 * Omits `rollout` for the first, so that its records do not depend on whether others follow. Names derived from a
 * rollout use this form.
 */
export function taskRollout({ task_id, rollout = 0 }: Pick<Trace, 'task_id' | 'rollout'>): TaskRollout {
  return rollout === 0 ? { task_id } : { task_id, rollout };
}

/** Id of an event, from its task's rollout, its index among the rollout's events (from 0) and its content. */
export function eventId(of: TaskRollout, index: number, identity: EventIdentity): string {
  return contentId('event', { ...taskRollout(of), index, ...identity });
}

/** Id of a trace, from its task's rollout and its events' ids in order. */
export function traceId(of: TaskRollout, events: readonly Pick<TraceEvent, 'id'>[]): string {
  return contentId('trace', { ...taskRollout(of), events: events.map((event) => event.id) });
}
