import type { JsonObject } from '../../../base/json.ts';
import type { StageFailure } from '../../../schemas/outcome.ts';
import {
  type AgentCallEvent,
  eventId,
  type Role,
  type TaskRollout,
  type ToolCallEvent,
  type TraceEvent,
  type TraceTotals,
} from '../../../schemas/trace.ts';
import { type ForeignCall, type ForeignTurn, unknownFigures } from './foreignRun.ts';

/** An agent's part in a turn. */
export interface AgentPart {
  readonly role: Role;
  readonly action: string | null;
  readonly answer: JsonObject | null;
  /** True for the first part of a turn: it carries what the model wrote and what that took. */
  readonly opens: boolean;
}

/** Collects the events of an imported trace. */
export class ImportRecorder {
  readonly events: TraceEvent[] = [];
  readonly #of: TaskRollout;

  constructor(of: TaskRollout) {
    this.#of = of;
  }

  /** Records a part of a turn and gives its id. */
  agentCall(turn: ForeignTurn, { role, action, answer, opens }: AgentPart): string {
    const content = opens ? turn.text : null;
    const shape = {
      type: 'agent_call' as const,
      role,
      action,
      request_hash: '',
      answer,
      content,
      tool_calls: [],
    };
    const { model, started_at } = turn.figures;
    const { duration_ms, usage, cost_usd, finish_reason } = opens ? turn.figures : unknownFigures;
    const event: AgentCallEvent = {
      ...shape,
      id: eventId(this.#of, this.events.length, shape),
      parent: this.events.at(-1)?.id ?? null,
      started_at,
      duration_ms,
      failure: null,
      model,
      messages: [],
      reasoning: opens ? turn.reasoning : null,
      finish_reason,
      response_format: null,
      usage,
      cost_usd,
      malformed: [],
      ...(opens && turn.extra && { extra: turn.extra }),
    };
    this.events.push(event);
    return event.id;
  }

  /** Records a tool's call; its parent is the agent that asked for it, whatever other agents did since. */
  toolCall(
    turn: ForeignTurn,
    asker: string | null,
    call: Pick<ToolCallEvent, 'tool' | 'input'>,
    { observation, failure, extra }: Pick<ForeignCall, 'observation' | 'failure' | 'extra'>,
  ): void {
    const shape = { type: 'tool_call' as const, ...call, observation };
    this.events.push({
      ...shape,
      id: eventId(this.#of, this.events.length, shape),
      parent: asker,
      started_at: turn.figures.started_at,
      duration_ms: 0,
      failure: failure === undefined ? null : failedCall(failure),
      raw: null,
      ...(extra && { extra }),
    });
  }

  totals(): TraceTotals {
    const calls = this.events.filter((event) => event.type === 'agent_call');
    const sum = (figure: (call: AgentCallEvent) => number) =>
      calls.reduce((total, call) => total + figure(call), 0);
    return {
      model_calls: calls.filter((call) => call.content !== null).length,
      tool_calls: this.events.length - calls.length,
      prompt_tokens: sum((call) => call.usage.prompt_tokens),
      completion_tokens: sum((call) => call.usage.completion_tokens),
      cached_tokens: sum((call) => call.usage.cached_tokens),
      cost_usd: sum((call) => call.cost_usd),
      duration_ms: sum((call) => call.duration_ms),
    };
  }
}

/** The model asked for what can't be asked. */
function failedCall(message: string): StageFailure {
  return { cause: 'malformed_answer', message, retryable: false, evidence: {} };
}
