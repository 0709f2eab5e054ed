import { z } from 'zod';
import { usageSchema } from '../chat.ts';
import { failureCauseSchema } from '../failureCauses.ts';
import { synthesisRoles } from '../taskSynthesis.ts';
import { roleSchema } from '../trace.ts';
import { stageCountsSchema } from './runFile.ts';

/** `given_up`: the run was stopped meanwhile. */
const callOutcome = z.union([z.literal('ok'), z.literal('given_up'), failureCauseSchema]);

/** Caller of a model: an agent of the teacher, the judge, a tool, the probe of a task, or a role of its synthesis. */
export const callRoleSchema = z.enum([...roleSchema.options, 'judge', 'tool', 'probe', ...synthesisRoles]);
export type CallRole = z.infer<typeof callRoleSchema>;

/** Schema of a timed event with its fields. */
const event = <const Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) =>
  z.object({ at: z.string().describe('ISO 8601'), event: z.literal(name), ...shape });

/**
 * One line of `events.jsonl`: an event of the run with its time. Cached calls leave no line; no line contains
 * questions or answers.
 */
export const eventLineSchema = z.discriminatedUnion('event', [
  event('run_started', { resumed: z.boolean(), pid: z.int() }),
  event('stage_discarded', {
    stage: z.string(),
    reasons: z.array(z.enum(['version', 'settings', 'inputs', 'asked'])),
  }),
  event('inputs_pending_again', { stage: z.string(), inputs: z.int() }),
  event('stage_started', { stage: z.string(), pending: z.int().nullable() }),
  event('stage_finished', { stage: z.string(), counts: stageCountsSchema }),
  event('model_call', {
    task_id: z.string().optional(),
    role: callRoleSchema.optional(),
    stage: z.string().optional().describe('That asks; of a synthesis, whose roles are asked in several'),
    model: z.string(),
    provider: z.string().describe('Address of the endpoint without user, password and query'),
    outcome: callOutcome,
    duration_ms: z.int().nonnegative().describe('Retries and waits included'),
    usage: usageSchema.optional(),
    cost_usd: z.number().nonnegative().optional().describe('Of the answer; retries are in spending.jsonl'),
    finish_reason: z.string().optional(),
  }),
  event('attempt_retried', {
    provider: z.string().describe('Address of the endpoint or service without user, password and query'),
    model: z.string().optional().describe('Absent for services of tools'),
    cause: failureCauseSchema.describe('Why the attempt brought no answer; another followed'),
    message: z.string().describe("What was wrong, with the server's own words"),
    asked_wait_ms: z.number().nonnegative().optional().describe('How long the server asked to be left alone'),
  }),
  event('tool_call', {
    task_id: z.string().optional(),
    tool: z.string(),
    outcome: callOutcome,
    duration_ms: z.int().nonnegative(),
  }),
  event('run_ended', {
    outcome: z.enum(['finished', 'stopped', 'budget_spent', 'failed']),
    message: z.string().optional(),
  }),
]);
type EventLine = z.infer<typeof eventLineSchema>;

/** An event without its time. */
export type RunEvent = EventLine extends infer E ? (E extends EventLine ? Omit<E, 'at'> : never) : never;
