import type { JsonObject } from '../base/json.ts';
import type { EndpointMember } from './endpointPool.ts';

/** Where a tool's service is, and how it may be called. */
export interface ServiceLimits extends EndpointMember {
  /** Most calls in flight at once; fewer while the service refuses so many. */
  readonly concurrency: number;
  /** Never passed in any minute; undefined where what the service bears is to be found out. */
  readonly requestsPerMinute: number | undefined;
  readonly maxRetries: number;
  /** What the service takes for an answer, in US dollars; undefined where it is free, or its price is not known. */
  readonly feeUsd?: number | undefined;
}

/** What is known of a fault besides its message. */
interface ServiceFaultDetails {
  /** For the ledger: names of services and statuses, never a key. */
  readonly evidence?: JsonObject;
  /** The HTTP status, where the service answered with one. */
  readonly status?: number;
  /** The `Retry-After` that came with it. */
  readonly retryAfter?: string | undefined;
  /** Whether another attempt may go well, where that is known better than by the status; without both, it may. */
  readonly retried?: boolean | undefined;
}

/** Thrown by one attempt at a call of a tool's service that brought no answer. */
export class ServiceFault extends Error {
  override readonly name = 'ServiceFault';
  readonly details: ServiceFaultDetails;

  constructor(message: string, { cause, ...details }: ServiceFaultDetails & ErrorOptions = {}) {
    super(message, { cause });
    this.details = details;
  }
}

/** A call of a tool's service. */
export interface ServiceRequest<Answer> {
  /** What is asked for, as a text: it makes the jitter of waits the same on every machine. */
  readonly name: string;
  /** Sends it once. Throws `ServiceFault`. */
  attempt(signal: AbortSignal): Promise<Answer>;
}

/**
 * Calls a service within its limits, again where another attempt may go well.
 *
 * @throws RecordFailure `tool_unavailable` with the evidence of the last attempt and their number; the signal's reason
 * when it is aborted, and `RunHalted` when the run drains while the call waits
 */
export type CallService = <Answer>(request: ServiceRequest<Answer>, signal: AbortSignal) => Promise<Answer>;
