import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256Hex } from '../../base/ids.ts';
import type { Bill, CallMeter } from '../../contract/calls.ts';
import type { AttemptVerdict } from '../../contract/endpointPool.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { isRetriedStatus, parseRetryAfterMs, retryWaitMs } from '../../contract/retryPolicy.ts';
import {
  type CallService,
  ServiceFault,
  type ServiceLimits,
  type ServiceRequest,
} from '../../contract/serviceCalls.ts';
import { nothingUsed } from '../../schemas/chat.ts';
import { createEndpointPools, turnOf } from './createEndpointPools.ts';

/** A service with its clock and meter. */
export interface ServiceCallerOptions extends ServiceLimits {
  readonly clock: Clock;
  /** Counts the service's fees, and ends waits when the run drains, since nothing would be sent afterwards. */
  readonly meter?: CallMeter | undefined;
}

/** 429, and statuses by which services report that they are at capacity. */
const overloadStatuses: ReadonlySet<number | undefined> = new Set([429, 503, 529]);

/**
 * Calls a tool's service with the limits, circuit breaker and back-off of model endpoints. A failed probe of a silent
 * service is not counted as an attempt.
 */
export function createServiceCaller(options: ServiceCallerOptions): CallService {
  const { maxRetries, clock, meter } = options;
  const pool = openPool(options);
  const send = payingSend(options);

  return async (request, signal) => {
    const requestHash = sha256Hex(request.name);
    const waiting = meter ? AbortSignal.any([signal, meter.drain]) : signal;
    for (let attempt = 0, sent = 1; ; sent++) {
      const lease = await pool.acquire({ attempt, tokens: 0 }, waiting);
      let verdict: AttemptVerdict = { kind: 'abandoned' };
      let fault: ServiceFault;
      try {
        const answer = await send(request, signal, () => lease.leave(waiting));
        verdict = { kind: 'answered', tokens: undefined };
        return answer;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ServiceFault)) throw error;
        fault = error;
        verdict = verdictOf(fault, sent, clock.now());
      } finally {
        lease.settle(verdict);
      }
      const mayGoWell = isRetried(fault);
      const isUncounted = mayGoWell && lease.isProbe && !pool.isDown;
      if (!isUncounted && (!mayGoWell || lease.isProbe || attempt >= maxRetries))
        throw failureOf(fault, sent);
      const retryAfterMs = parseRetryAfterMs(fault.details.retryAfter, clock.now());
      meter?.retried?.({
        provider: addressWithoutSecrets(options.baseUrl),
        cause: 'tool_unavailable',
        message: fault.message,
        ...(retryAfterMs !== undefined && { askedWaitMs: retryAfterMs }),
      });
      if (isUncounted) continue;
      await clock.sleep(retryWaitMs({ attempt, requestHash, retryAfterMs }), waiting);
      attempt += 1;
    }
  };
}

function openPool({ baseUrl, apiKey, concurrency, requestsPerMinute, ...options }: ServiceCallerOptions) {
  const member = {
    baseUrl,
    apiKey,
    concurrency,
    requestsPerMinute,
    tokensPerMinute: undefined,
    probes: options.maxRetries,
    weight: 1,
    fallback: false,
  };
  return createEndpointPools(options.clock, turnOf(options.meter))([member]);
}

const answered: Bill = { kind: 'used', usage: nothingUsed };

/** Sends a request once `leave` admits it. */
type LeavingSend = <Answer>(
  request: ServiceRequest<Answer>,
  signal: AbortSignal,
  leave: () => Promise<void>,
) => Promise<Answer>;

function payingSend({ feeUsd, meter }: ServiceCallerOptions): LeavingSend {
  if (!feeUsd || !meter) return (request, signal) => request.attempt(signal);
  const toSend = { feeUsd, price: undefined, bodyBytes: 0, messages: 0, maxTokens: 0 };
  return async (request, signal, leave) => {
    const sent = await meter.admit(toSend, signal);
    // Nothing is sent before it leaves.
    let bill: Bill = { kind: 'nothing' };
    try {
      await leave();
      bill = { kind: 'unknown' };
      const answer = await request.attempt(signal);
      bill = answered;
      return answer;
    } catch (error) {
      if (error instanceof ServiceFault && error.details.status !== undefined) bill = { kind: 'nothing' };
      throw error;
    } finally {
      sent.end(bill);
    }
  };
}

function isRetried({ details: { retried, status } }: ServiceFault): boolean {
  return retried ?? (status === undefined || isRetriedStatus(status));
}

/** A service that refuses to serve us is healthy: only its callers are told. */
function verdictOf(fault: ServiceFault, sent: number, nowMs: number): AttemptVerdict {
  if (!isRetried(fault)) return { kind: 'answered', tokens: undefined };
  const reason = failureOf(fault, sent);
  const { status, retryAfter } = fault.details;
  return overloadStatuses.has(status)
    ? { kind: 'refused', retryAfterMs: parseRetryAfterMs(retryAfter, nowMs), reason }
    : { kind: 'faulty', reason };
}

function failureOf(fault: ServiceFault, attempts: number): RecordFailure {
  const { evidence, status } = fault.details;
  return new RecordFailure(
    'tool_unavailable',
    fault.message,
    { ...evidence, ...(status !== undefined && { status }), attempts },
    { cause: fault },
  );
}
