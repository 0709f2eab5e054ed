import type fc from 'fast-check';
import type { JsonObject } from '../../base/json.ts';
import { parseProgramBody } from '../../schemas/coa/bodies.ts';
import { unescapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { answerOfBody, isAction, roleOfAction } from '../../schemas/interchange/actionAnswer.ts';
import { taskId } from '../../schemas/task.ts';
import { type AgentCallEvent, eventId, type Trace, type TraceEvent, traceId } from '../../schemas/trace.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';
import { trajectoryArbitrary } from '../support/trajectoryArbitrary.ts';

/** Traces such as the multi-agent teacher makes, of every profile, full of traps. */
export const traceArbitrary: fc.Arbitrary<Trace> = trajectoryArbitrary()
  .filter((trajectory) => trajectory.question.trim() !== '')
  .map(traceOfTrajectory);

/** A trace that converts to the trajectory's words: orchestrator, tool agent and tool apart, each with its figures. */
export function traceOfTrajectory(trajectory: Trajectory): Trace {
  const profile = builtinProfile(trajectory.profile)!;
  const fields = {
    question: trajectory.question,
    answers: trajectory.answers,
    domain: profile.domain,
    profile: profile.name,
  };
  const task = { id: taskId(fields), ...fields, source: { file: 'tasks.jsonl', row: 1 } };
  const writer = new EventWriter(task.id, profile);
  for (const [at, segment] of trajectory.segments.entries())
    writer.segment(segment, trajectory.segments[at + 1]);
  const { events } = writer;
  return {
    id: traceId({ task_id: task.id }, events),
    task_id: task.id,
    task,
    profile: profile.name,
    teacher: 'multi-agent',
    final_answer: writer.finalAnswer,
    events,
    messages: {},
    totals: {
      model_calls: events.length,
      tool_calls: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      cached_tokens: 0,
      cost_usd: 0,
      duration_ms: 0,
    },
  };
}

class EventWriter {
  readonly events: TraceEvent[] = [];
  finalAnswer = '';
  readonly #taskId: string;
  readonly #profile: Profile;
  #think: string | undefined;

  constructor(taskId: string, profile: Profile) {
    this.#taskId = taskId;
    this.#profile = profile;
  }

  segment({ tag, text }: Segment, next: Segment | undefined): void {
    const rule = tagRule(this.#profile, tag)!;
    const body = bodyOf(tag, text);
    if (rule.kind === 'thinking') this.#think = body;
    else if (isAction(rule)) {
      const think = this.#think;
      this.#think = undefined;
      const answer: JsonObject = { ...(think !== undefined && { think }), ...answerOfBody(rule, body) };
      this.#agent(roleOfAction(rule.kind), tag, answer);
      if (typeof answer.answer === 'string') this.finalAnswer = answer.answer;
    } else if (rule.kind === 'tool') {
      if (this.#think !== undefined) this.#agent('orchestrator', tag, { think: this.#think, next: tag });
      this.#think = undefined;
      this.#agent('tool_agent', tag, null);
      const shown = bodyOf(next!.tag, next!.text).replace(/^\n|\n$/g, '');
      this.#tool(tag, inputOf(rule.body, body), unescapeStructure(shown));
    }
  }

  #agent(role: AgentCallEvent['role'], action: string, answer: JsonObject | null): void {
    const shape = {
      type: 'agent_call' as const,
      role,
      action,
      request_hash: 'r',
      answer,
      content: answer && JSON.stringify(answer),
      tool_calls: [],
    };
    this.events.push({
      ...this.#base(eventId({ task_id: this.#taskId }, this.events.length, shape)),
      ...shape,
      model: 'm',
      messages: [],
      reasoning: null,
      finish_reason: 'stop',
      response_format: null,
      usage: { prompt_tokens: 3, completion_tokens: 2, cached_tokens: 1 },
      cost_usd: 0.25,
      malformed: [],
    });
  }

  #tool(tool: string, input: JsonObject, observation: string): void {
    const shape = { type: 'tool_call' as const, tool, input, observation };
    const id = eventId({ task_id: this.#taskId }, this.events.length, shape);
    this.events.push({ ...this.#base(id), ...shape, raw: null });
  }

  #base(id: string) {
    const parent = this.events.at(-1)?.id ?? null;
    return { id, parent, started_at: '2026-01-01T00:00:00.000Z', duration_ms: 1, failure: null };
  }
}

function inputOf(rule: string, body: string): JsonObject {
  if (rule === 'code') return { ...parseProgramBody(body)! };
  return rule === 'urls' ? { urls: body.split(' | ') } : { query: body };
}

function bodyOf(tag: string, text: string): string {
  return text.slice(tag.length + 2, text.lastIndexOf(`</${tag}>`));
}
