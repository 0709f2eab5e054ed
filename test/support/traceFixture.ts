import type { JsonObject } from '../../base/json.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import { type Task, taskId } from '../../schemas/task.ts';
import {
  type AgentCallEvent,
  type EventIdentity,
  eventId,
  type Role,
  type Trace,
  type TraceEvent,
  traceId,
} from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { convertTrace } from '../../stages/convert/createConvertStage.ts';

/** What a role answered, or what a tool was asked and showed. */
export type TraceStep =
  | {
      readonly role: Role;
      readonly action: string;
      readonly answer: JsonObject | null;
      readonly failed?: true;
    }
  | { readonly tool: string; readonly input: JsonObject; readonly observation: string | null };

/** A task of a profile. */
export function taskOf(profile: string, given: Partial<Task> = {}): Task {
  const domain = builtinProfile(profile)!.domain;
  const content = { question: 'Who?', answers: ['she'], domain, profile, ...given };
  return { id: taskId(content), source: { file: 'tasks.jsonl', row: 1 }, ...content };
}

/** The trace of a teacher that took these steps. */
export function traceOf(task: Task, steps: readonly TraceStep[], finalAnswer = ''): Trace {
  const events: TraceEvent[] = [];
  for (const step of steps) events.push(eventOf(task.id, step, events));
  return {
    id: traceId({ task_id: task.id }, events),
    task_id: task.id,
    task,
    profile: task.profile,
    teacher: 'fixture',
    final_answer: finalAnswer,
    events,
    messages: {},
    totals: {
      model_calls: 0,
      tool_calls: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      cached_tokens: 0,
      cost_usd: 0,
      duration_ms: 0,
    },
  };
}

const failure = { cause: 'malformed_answer', message: 'no JSON', retryable: true, evidence: {} } as const;

function eventOf(task: string, step: TraceStep, before: readonly TraceEvent[]): TraceEvent {
  const base = {
    parent: before.at(-1)?.id ?? null,
    started_at: '2025-01-01T00:00:00.000Z',
    duration_ms: 0,
    failure: 'failed' in step ? failure : null,
  };
  const id = (identity: EventIdentity) => eventId({ task_id: task }, before.length, identity);
  if ('tool' in step) {
    const call = { type: 'tool_call', ...step } as const;
    return { ...base, ...call, id: id(call), raw: null };
  }
  const { role, action, answer } = step;
  const call = {
    type: 'agent_call',
    role,
    action,
    request_hash: 'request_0',
    answer,
    content: null,
    tool_calls: [] as AgentCallEvent['tool_calls'],
  } as const;
  return {
    ...base,
    ...call,
    id: id(call),
    model: 'fixture',
    messages: [],
    reasoning: null,
    finish_reason: 'stop',
    response_format: null,
    usage: { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 },
    cost_usd: 0,
    malformed: [],
  };
}

/** A tool call as a team makes it: the orchestrator thinks and picks, the tool agent asks, the tool answers. */
export function toolSteps(
  tool: string,
  input: JsonObject,
  observation = 'found',
  think = 'look',
): TraceStep[] {
  return [
    { role: 'orchestrator', action: tool, answer: { think, next: tool } },
    { role: 'tool_agent', action: tool, answer: null },
    { tool, input, observation },
  ];
}

/** The steps of a right mhqa trajectory: a plan, searches, an answer. */
export function mhqaSteps(queries: readonly string[], answer = 'she'): TraceStep[] {
  return [
    { role: 'planner', action: 'plan', answer: { think: 'first plan', plan: '1. search' } },
    ...queries.flatMap((query) => toolSteps('wiki_search', { query }, 'found: she')),
    { role: 'orchestrator', action: 'answer', answer: { think: 'enough', next: 'answer' } },
    { role: 'answerer', action: 'answer', answer: { think: 'so it is', answer } },
  ];
}

/** The trajectory of these steps. */
export function trajectoryFrom(task: Task, steps: readonly TraceStep[]): Trajectory {
  return convertTrace(traceOf(task, steps), builtinProfile(task.profile)!, qwenSystemPrompt);
}
