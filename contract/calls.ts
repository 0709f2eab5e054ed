import type { Usage } from '../schemas/chat.ts';
import type { ModelConfig } from '../schemas/config/models.ts';
import type { FailureCause } from '../schemas/failureCauses.ts';
import type { CallRole } from '../schemas/run/eventLine.ts';
import type { StageName } from './stageTable.ts';

/** What is known of an attempt at a call of a model, or of a service that is paid by the call, before it is sent. */
export interface AttemptToSend {
  readonly price: ModelConfig['price'];
  /** Length of the request's body without its images, as it is or normalised, whichever is longer. */
  readonly bodyBytes: number;
  /** Most tokens that its images count; 0 where absent. */
  readonly imageTokens?: number;
  readonly messages: number;
  /** Most tokens of the answer; undefined where the endpoint decides. */
  readonly maxTokens: number | undefined;
  /** What a service takes for the call, in US dollars; it counts no tokens. Absent for models. */
  readonly feeUsd?: number;
}

/** What an attempt is billed for. */
export type Bill =
  | { readonly kind: 'used'; readonly usage: Usage }
  /** The endpoint refused it, or never saw it. */
  | { readonly kind: 'nothing' }
  /** It may have been answered, and the answer was lost: taken for the worst case. */
  | { readonly kind: 'unknown' };

export interface SentAttempt {
  /** Called once, when the attempt has ended. */
  end(bill: Bill): void;
}

/** A report of an endpoint that was not believed, since it is far below what was sent and said. */
export interface Recount {
  readonly model: string;
  /** Tokens of the prompt and of the answer, as they were reported. */
  readonly reported: number;
  /** As we reckon them. */
  readonly counted: number;
}

/** An attempt at a call of a model or a service that brought no answer, and was not the call's last. */
export interface RetriedAttempt {
  /** The endpoint's or the service's address without user, password and query. */
  readonly provider: string;
  /** As it was asked for; absent for services. */
  readonly model?: string;
  readonly cause: FailureCause;
  /** The fault in the server's own words, without the key. */
  readonly message: string;
  /** How long the server asked to be left alone; absent where it did not ask. */
  readonly askedWaitMs?: number;
}

/** What may be sent to an address in a minute, by all machines of a run together. */
export interface RateLimit {
  /** The address, its key and what is counted, as a hash. */
  readonly key: string;
  /** The address without user, password and query, and what is counted: for people. */
  readonly provider: string;
  readonly counts: 'requests' | 'tokens';
  readonly perMinute: number;
  /** What is sent now: a request, or its tokens. */
  readonly units: number;
}

/** Keeps account of what models cost. Asked before every attempt, for a retry is paid again. */
export interface CallMeter {
  /** Aborted with `RunHalted` when nothing more may be sent; attempts in flight still end. */
  readonly drain: AbortSignal;
  /**
   * Puts the worst case of an attempt aside, waiting until there is room for it.
   *
   * @throws RunHalted when nothing more may be sent; the signal's reason when it is aborted
   */
  admit(attempt: AttemptToSend, signal: AbortSignal): Promise<SentAttempt>;
  /**
   * Waits until a limit that machines share has room; absent where this process keeps its limits alone.
   *
   * @throws the signal's reason when it is aborted
   */
  turn?(limit: RateLimit, signal: AbortSignal): Promise<void>;
  /** Told of each call that is billed by our own count; nobody is where absent. */
  recounted?(recount: Recount): void;
  /** Told of each attempt that is followed by another; nobody is where absent. */
  retried?(attempt: RetriedAttempt): void;
}

/** How a call ended: `ok`, why it failed, or `given_up` when the run was stopped. */
export type CallOutcome = 'ok' | FailureCause | 'given_up';

/** A model call that ended, its retries included. It holds no text. */
export interface ModelCall {
  readonly scope: CallScope | undefined;
  /** As it was asked for. */
  readonly model: string;
  /** Model that the answer names; undefined where there is no answer. */
  readonly answeredBy?: string;
  /** The endpoint's address without user, password and query. */
  readonly provider: string;
  readonly outcome: CallOutcome;
  readonly usage: Usage | undefined;
  readonly costUsd: number;
  readonly finishReason: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** A tool call that ended. It holds no text. */
export interface ToolCall {
  readonly work: TaskWork | undefined;
  readonly tool: string;
  readonly outcome: CallOutcome;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Told of every call that was not answered from the cache. */
export interface CallObserver {
  /** Told of each attempt that is followed by another; nobody is where absent. */
  retried?(attempt: RetriedAttempt): void;
  modelCall(call: ModelCall): void;
  toolCall(call: ToolCall): void;
}

/** The work on one task, from its first call to its last: one object for all of its calls. */
export interface TaskWork {
  readonly task_id: string;
  /**
   * How often the task was begun again because of what a model said; 0 by default. Answers to an earlier attempt are
   * not used again.
   */
  readonly attempt?: number;
  /** Which of the task's rollouts it is, from 0; 0 by default. What a model told another rollout is not used. */
  readonly rollout?: number;
  /** As in `StageContext`. */
  readonly lane?: number;
  /** The stage that asks, where a role is asked in several. */
  readonly stage?: StageName;
}

export interface CallScope {
  readonly work: TaskWork;
  readonly role: CallRole;
  /** Told of each attempt that another follows, with the milliseconds that it and the wait took; nobody is where absent. */
  readonly retried?: (ms: number) => void;
}

/** What a run's calls of models and tools go through. */
export type RunCalls = CallMeter & CallObserver;
