import type { JsonObject } from '../base/json.ts';
import type { EndpointMember } from './endpointPool.ts';

/** Address and limits of a tool's service. */
export interface ServiceLimits extends EndpointMember {
  /** Maximum concurrent calls; lowered while the service refuses. */
  readonly concurrency: number;
  /** Hard limit; undefined if the service's capacity is to be probed. */
  readonly requestsPerMinute: number | undefined;
  readonly maxRetries: number;
  /** Fee per answer in US dollars; undefined if free or unknown. */
  readonly feeUsd?: number | undefined;
}

/** Details of a fault besides its message. */
interface ServiceFaultDetails {
  /** Evidence for the ledger: service names and statuses, never a key. */
  readonly evidence?: JsonObject;
  /** HTTP status, if the service answered. */
  readonly status?: number;
  /** `Retry-After` of the answer. */
  readonly retryAfter?: string | undefined;
  /** True if a retry may succeed, if known better than by the status; without both, it may. */
  readonly retried?: boolean | undefined;
}

/** Thrown by a single attempt at a tool service that brought no answer. */
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
  /** Request as text: seeds the jitter of waits, the same on every machine. */
  readonly name: string;
  /** Sends the request once. Throws `ServiceFault`. */
  attempt(signal: AbortSignal): Promise<Answer>;
}

/**
 * Calls a service within its limits, with retries.
 * @throws RecordFailure `tool_unavailable` with the evidence of the last attempt and their number; the signal's reason
 * when it is aborted, and `RunHalted` when the run drains while the call waits
 */
export type CallService = <Answer>(request: ServiceRequest<Answer>, signal: AbortSignal) => Promise<Answer>;
