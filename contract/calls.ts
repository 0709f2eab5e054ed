import type { Usage } from '../schemas/chat.ts';
import type { ModelConfig } from '../schemas/config/models.ts';
import type { FailureCause } from '../schemas/failureCauses.ts';
import type { CallRole } from '../schemas/run/eventLine.ts';
import type { StageName } from './stageTable.ts';

/** A call attempt about to be sent, to a model or a service billed per call. */
export interface AttemptToSend {
  readonly price: ModelConfig['price'];
  /** Length of the request body without images, raw or normalised, whichever is longer. */
  readonly bodyBytes: number;
  /** Maximum tokens of its images; default: 0. */
  readonly imageTokens?: number;
  readonly messages: number;
  /** Maximum tokens of the answer; undefined if the endpoint decides. */
  readonly maxTokens: number | undefined;
  /** Fee of a service per call, in US dollars; absent for models, which are billed by tokens. */
  readonly feeUsd?: number;
}

/** Billing of an attempt. */
export type Bill =
  | { readonly kind: 'used'; readonly usage: Usage }
  /** The endpoint refused or never received it. */
  | { readonly kind: 'nothing' }
  /** The answer may have been lost: billed at the worst case. */
  | { readonly kind: 'unknown' };

export interface SentAttempt {
  /** Called once, when the attempt ends. */
  end(bill: Bill): void;
}

/** A token count that was rejected because it is far below what was sent and received. */
export interface Recount {
  readonly model: string;
  /** Tokens of prompt and answer as reported. */
  readonly reported: number;
  /** Tokens by our own count. */
  readonly counted: number;
}

/** A failed attempt at a model or service call that is retried. */
export interface RetriedAttempt {
  /** Address without user, password and query. */
  readonly provider: string;
  /** Requested model; absent for services. */
  readonly model?: string;
  readonly cause: FailureCause;
  /** Error message of the server, with keys redacted. */
  readonly message: string;
  /** Wait requested by the server; absent without one. */
  readonly askedWaitMs?: number;
}

/** Limit per minute of an address, shared by all machines of a run. */
export interface RateLimit {
  /** Hash of the address, its key and the counted unit. */
  readonly key: string;
  /** Address without user, password and query, and the counted unit, for display. */
  readonly provider: string;
  readonly counts: 'requests' | 'tokens';
  readonly perMinute: number;
  /** Units of this request: 1, or its tokens. */
  readonly units: number;
}

/** Accounts for the cost of model calls. Consulted before every attempt, since a retry is billed again. */
export interface CallMeter {
  /** Aborted with `RunHalted` when no more may be sent; attempts in flight still finish. */
  readonly drain: AbortSignal;
  /**
   * Reserves the worst case of an attempt, waiting until there is room for it.
   * @throws RunHalted when nothing more may be sent; the signal's reason when it is aborted
   */
  admit(attempt: AttemptToSend, signal: AbortSignal): Promise<SentAttempt>;
  /**
   * Waits for a limit shared by machines; absent if this process enforces its limits alone.
   * @throws the signal's reason when it is aborted
   */
  turn?(limit: RateLimit, signal: AbortSignal): Promise<void>;
  /** Called for each call billed by our own count. */
  recounted?(recount: Recount): void;
  /** Called for each attempt that is retried. */
  retried?(attempt: RetriedAttempt): void;
}

/** Result of a call: `ok`, the cause of its failure, or `given_up` if the run was stopped. */
export type CallOutcome = 'ok' | FailureCause | 'given_up';

/** A finished model call, retries included. Contains no text. */
export interface ModelCall {
  readonly scope: CallScope | undefined;
  readonly model: string;
  /** Model named in the answer; undefined without an answer. */
  readonly answeredBy?: string;
  /** Address of the endpoint without user, password and query. */
  readonly provider: string;
  readonly outcome: CallOutcome;
  readonly usage: Usage | undefined;
  readonly costUsd: number;
  readonly finishReason: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** A finished tool call. Contains no text. */
export interface ToolCall {
  readonly work: TaskWork | undefined;
  readonly tool: string;
  readonly outcome: CallOutcome;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
}

/** Notified of every call that was not answered from the cache. */
export interface CallObserver {
  retried?(attempt: RetriedAttempt): void;
  modelCall(call: ModelCall): void;
  toolCall(call: ToolCall): void;
}

/** The work on one task: one object for all of its calls. */
export interface TaskWork {
  readonly task_id: string;
  /** Number of restarts caused by model answers; default: 0. Answers of earlier attempts are not reused. */
  readonly attempt?: number;
  /** Rollout number from 0; default: 0. Answers to other rollouts are not reused. */
  readonly rollout?: number;
  /** As in `StageContext`. */
  readonly lane?: number;
  /** Calling stage, for roles used in several. */
  readonly stage?: StageName;
}

export interface CallScope {
  readonly work: TaskWork;
  readonly role: CallRole;
  /** Called for each retried attempt with the milliseconds of the attempt and the wait. */
  readonly retried?: (ms: number) => void;
}

/** Accounting and observation of a run's calls. */
export type RunCalls = CallMeter & CallObserver;
