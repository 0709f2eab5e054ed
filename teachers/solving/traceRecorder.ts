import type { Clock } from '../../base/clock.ts';
import { contentId } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { sum } from '../../base/sum.ts';
import type { CallScope } from '../../contract/calls.ts';
import type { ChatMessage } from '../../schemas/chat.ts';
import type { StageFailure } from '../../schemas/outcome.ts';
import {
  type AgentCallEvent,
  eventId,
  type FailedTry,
  sumsOf,
  type TaskRollout,
  type ToolCallEvent,
  type TraceEvent,
  type TraceTotals,
} from '../../schemas/trace.ts';

/** Start of an event (wall clock for display, monotonic for durations), and the cost of its retries. */
export interface StartMark {
  readonly started_at: string;
  readonly monotonicMs: number;
  readonly retries: { readonly times: number; readonly ms: number };
  readonly retried: NonNullable<CallScope['retried']>;
}

type FilledIn = 'id' | 'parent' | 'started_at' | 'duration_ms' | 'retries' | 'type';
/** An agent call before the recorder completes it; with full messages. */
export type AgentCallDraft = Omit<AgentCallEvent, FilledIn | 'messages'> & {
  readonly messages: readonly ChatMessage[];
};
/** A tool call before the recorder completes it. */
export type ToolCallDraft = Omit<ToolCallEvent, FilledIn>;

/** Collects the events of one rollout; each one's parent is the preceding event that led to it. */
export class TraceRecorder {
  readonly events: TraceEvent[] = [];
  readonly messages: Record<string, ChatMessage> = {};
  readonly failedTries: FailedTry[] = [];
  #takenOver = 0;
  #usedTokens = 0;
  readonly #of: TaskRollout;
  readonly #clock: Clock;
  readonly #began: StartMark;

  constructor(of: TaskRollout, clock: Clock) {
    this.#of = of;
    this.#clock = clock;
    this.#began = this.start();
  }

  start(): StartMark {
    const retries = { times: 0, ms: 0 };
    return {
      started_at: new Date(this.#clock.now()).toISOString(),
      monotonicMs: this.#clock.monotonicMs(),
      retries,
      retried: (ms) => {
        retries.times += 1;
        retries.ms += ms;
      },
    };
  }

  /** Number of leading events taken over from another rollout. */
  get takenOver(): number {
    return this.#takenOver;
  }

  /** Starts with the events of another rollout of the task, which is billed for them. */
  takeOver(events: readonly TraceEvent[], messages: Readonly<Record<string, ChatMessage>>): void {
    this.events.push(...events);
    this.#takenOver = events.length;
    for (const event of events) {
      if (event.type !== 'agent_call') continue;
      for (const id of event.messages) this.messages[id] = messages[id]!;
    }
  }

  /** Ends the current try without an answer and starts another. */
  beginAgain(failure: StageFailure): void {
    const earlier = sum(this.failedTries.map(({ events }) => events));
    this.failedTries.push({ failure, events: this.events.length - earlier });
  }

  agentCall(draft: AgentCallDraft, start: StartMark): void {
    this.#usedTokens += draft.usage.prompt_tokens + draft.usage.completion_tokens;
    const { role, action, request_hash, answer, content, tool_calls } = draft;
    const identity = { type: 'agent_call' as const, role, action, request_hash, answer, content, tool_calls };
    const messages = draft.messages.map((message) => this.#keep(message));
    const id = eventId(this.#of, this.events.length, identity);
    const retries = start.retries.times > 0 && { retries: start.retries };
    this.events.push({ ...draft, type: 'agent_call', id, messages, ...this.#place(start), ...retries });
  }

  toolCall(draft: ToolCallDraft, start: StartMark): void {
    const { tool, input, observation } = draft;
    const id = eventId(this.#of, this.events.length, {
      type: 'tool_call' as const,
      tool,
      input,
      observation,
    });
    this.events.push({ ...draft, type: 'tool_call', id, ...this.#place(start) });
  }

  /** Prompt and completion tokens so far, read before each call. */
  get usedTokens(): number {
    return this.#usedTokens;
  }

  totals(): TraceTotals {
    const own = this.events.slice(this.#takenOver);
    const asks = own.map((event) => (event.type === 'agent_call' ? 1 + event.malformed.length : 0));
    return {
      model_calls: asks.reduce((sum, count) => sum + count, 0),
      ...sumsOf(own),
      duration_ms: this.#since(this.#began),
    };
  }

  /** Progress so far, for the ledger entry of a failed task. */
  partial(): JsonObject {
    const own = {
      ...(this.#takenOver > 0 && { taken_over: this.#takenOver }),
      ...(this.failedTries.length > 0 && { failed_tries: this.failedTries }),
    };
    return {
      events: this.events,
      messages: this.messages,
      totals: this.totals(),
      ...own,
    } as unknown as JsonObject;
  }

  #place(start: StartMark): Pick<TraceEvent, 'parent' | 'started_at' | 'duration_ms'> {
    return {
      parent: this.events.at(-1)?.id ?? null,
      started_at: start.started_at,
      duration_ms: this.#since(start),
    };
  }

  #since(start: StartMark): number {
    return Math.max(0, this.#clock.monotonicMs() - start.monotonicMs);
  }

  #keep(message: ChatMessage): string {
    const id = contentId('message', message);
    this.messages[id] = message;
    return id;
  }
}
