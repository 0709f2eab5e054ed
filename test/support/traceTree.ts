import type { JsonObject } from '../../base/json.ts';
import type { Task } from '../../schemas/task.ts';
import {
  type AgentCallEvent,
  eventId,
  type Role,
  type ToolCallEvent,
  type Trace,
  type TraceEvent,
} from '../../schemas/trace.ts';
import { traceOf } from './traceFixture.ts';

/** What an agent did, as far as it is not like any other call. */
export interface AgentNode {
  readonly role: Role;
  readonly action?: string | null;
  readonly answer?: JsonObject | null;
  readonly reasoning?: string;
  readonly malformed?: AgentCallEvent['malformed'];
  /** Why the call failed. */
  readonly failure?: string;
}

/** A tool call; it failed where there is a failure. */
export interface ToolNode {
  readonly tool: string;
  readonly input: JsonObject;
  readonly observation: string | null;
  readonly failure?: string;
}

/** Builds traces whose events have whatever parents a test wants. */
export class TraceTree {
  readonly events: TraceEvent[] = [];
  readonly #task: Task;

  constructor(task: Task) {
    this.#task = task;
  }

  /** The last event. */
  get last(): string | null {
    return this.events.at(-1)?.id ?? null;
  }

  /** Adds an event under a parent, the last event unless told otherwise, and gives its id. */
  agent(node: AgentNode, parent = this.last): string {
    const { role, action = null, answer = null, reasoning = null, malformed = [], failure } = node;
    const shape = {
      type: 'agent_call',
      role,
      action,
      request_hash: '',
      answer,
      content: null,
      tool_calls: [] as AgentCallEvent['tool_calls'],
    } as const;
    return this.#add({
      ...shape,
      ...this.#base(shape, parent, failure),
      model: '',
      messages: [],
      reasoning,
      finish_reason: null,
      response_format: null,
      usage: { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 },
      cost_usd: 0,
      malformed,
    });
  }

  /** See {@link agent}. */
  tool({ failure, ...call }: ToolNode, parent = this.last): string {
    const shape = { type: 'tool_call', ...call } as const;
    return this.#add({ ...shape, ...this.#base(shape, parent, failure), raw: null });
  }

  trace(): Trace {
    return { ...traceOf(this.#task, []), events: this.events };
  }

  #base(shape: Parameters<typeof eventId>[2], parent: string | null, failure: string | undefined) {
    return {
      id: eventId({ task_id: this.#task.id }, this.events.length, shape),
      parent,
      started_at: '2025-01-01T00:00:00.000Z',
      duration_ms: 0,
      failure:
        failure === undefined
          ? null
          : ({ cause: 'tool_unavailable', message: failure, retryable: true, evidence: {} } as const),
    };
  }

  #add(event: AgentCallEvent | ToolCallEvent): string {
    this.events.push(event);
    return event.id;
  }
}
