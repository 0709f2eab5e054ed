import type { Dispatcher } from 'undici';
import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { oncePer } from '../../base/once.ts';
import { UserError } from '../../base/userError.ts';
import type { CallMeter, CallScope, Recount } from '../../contract/calls.ts';
import type { AttemptVerdict, EndpointMember, EndpointPool } from '../../contract/endpointPool.ts';
import { RecordFailure, RunHalted } from '../../contract/errors.ts';
import { retryWaitMs } from '../../contract/retryPolicy.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { PricedEndpoint } from '../../schemas/config/models.ts';
import { createRedactor, type Redactor } from '../../schemas/createRedactor.ts';
import {
  createEndpointCall,
  type EndpointAttempt,
  type EndpointCall,
  type EndpointWire,
} from './createEndpointCall.ts';
import { type EndpointFault, endpointFault, faultFailure } from './endpointFault.ts';
import { estimatedTokens, meteredCall } from './meteredCall.ts';
import { type OutgoingRequest, outgoingRequest } from './outgoingRequest.ts';

/** Billed usage of every answer. */
type Billed = { readonly usage: Usage };

/** An endpoint with the limits, timeouts and meter of its requests. */
export interface RetryingSendOptions<Answer extends Billed> {
  readonly wire: EndpointWire<Answer>;
  readonly endpoint: Pick<PricedEndpoint, 'timeout_s' | 'max_retries' | 'price'>;
  readonly pool: EndpointPool;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly meter?: CallMeter;
}

/** Sends a request until it is answered; throws `RecordFailure` with the cause of the last attempt. */
export type RetryingSend<Answer> = (
  body: JsonObject,
  hash: string,
  signal: AbortSignal,
  scope?: CallScope,
) => Promise<Answer>;

type AttemptEnd<Answer> =
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** Unusable answer of the model: a retry would give another sample. */
  | { readonly kind: 'unanswered'; readonly failure: RecordFailure }
  | { readonly kind: 'fault'; readonly fault: EndpointFault };

/**
 * A request with its retries. A slot is held only during an attempt. A member that refuses us permanently (wrong key,
 * empty account) is skipped in favour of others at once, without counting as a retry; a failed probe does not count
 * either.
 */
export function createRetryingSend<Answer extends Billed>(
  options: RetryingSendOptions<Answer>,
): RetryingSend<Answer> {
  const { endpoint, pool, clock, meter } = options;
  const clientOf = clientsByMember(options);
  const waits = waitSignals(meter);

  return async function sendRetrying(body, hash, signal, scope) {
    const request = outgoingRequest(body);
    const tokens = estimatedTokens(request);
    const waiting = waits(signal);
    const barredBy = new Set<EndpointMember>();
    let avoid: EndpointMember | undefined;
    for (let attempt = 0, sent = 1; ; sent++) {
      const began = clock.monotonicMs();
      const lease = await pool.acquire({ attempt, tokens, avoid, lane: scope?.work.lane }, waiting);
      const { member } = lease;
      const { call, redactor } = clientOf(member);
      let verdict: AttemptVerdict = { kind: 'abandoned' };
      let end: AttemptEnd<Answer>;
      try {
        const leave = () => lease.leave(waiting);
        const placed = attempt === 0 ? inSlot(request, lease.slot) : request;
        end = await attemptOnce(call, { request: placed, requestId: `${hash}-${sent}`, leave, signal });
        if (end.kind === 'fault' && end.fault.isOfMember) barredBy.add(member);
        verdict = verdictOf(end, sent, redactor, pool.hasOther(barredBy));
      } finally {
        lease.settle(verdict);
      }
      if (end.kind === 'answer') return end.answer;
      if (end.kind === 'unanswered') throw end.failure;
      const { fault } = end;
      avoid = member;
      const isUncounted = verdict.kind === 'barred' || (fault.retried && lease.isProbe && !pool.isDown);
      if (!isUncounted && (!fault.retried || lease.isProbe || attempt >= endpoint.max_retries)) {
        throw faultFailure(fault, sent, redactor);
      }
      const { cause, retryAfterMs } = fault;
      const provider = addressWithoutSecrets(member.baseUrl);
      const { message } = faultFailure(fault, sent, redactor);
      const askedWait = retryAfterMs === undefined ? {} : { askedWaitMs: retryAfterMs };
      meter?.retried?.({ provider, model: String(body.model), cause, message, ...askedWait });
      if (!isUncounted) {
        await clock.sleep(retryWaitMs({ attempt, requestHash: hash, retryAfterMs }), waiting);
        attempt += 1;
      }
      scope?.retried?.(clock.monotonicMs() - began);
    }
  };

  async function attemptOnce(
    call: EndpointCall<Answer>,
    attempt: Omit<EndpointAttempt, 'timeoutMs' | 'limit'>,
  ): Promise<AttemptEnd<Answer>> {
    const limit = { expired: false };
    const timeoutMs = endpoint.timeout_s * 1000;
    try {
      return { kind: 'answer', answer: await call({ ...attempt, timeoutMs, limit }) };
    } catch (error) {
      attempt.signal.throwIfAborted();
      // Thrown by the meter: nothing was sent.
      if (error instanceof RunHalted || error instanceof UserError) throw error;
      if (error instanceof RecordFailure) return { kind: 'unanswered', failure: error };
      return { kind: 'fault', fault: endpointFault(error, limit.expired, clock.now()) };
    }
  }
}

/**
 * Requests a slot of llama-server. A retry leaves the choice to the server: after a restart with fewer slots, a
 * request for a missing slot would wait forever.
 */
function inSlot(request: OutgoingRequest, slot: number | undefined): OutgoingRequest {
  return slot === undefined ? request : { ...request, body: { ...request.body, id_slot: slot } };
}

/** Signals that end a wait: the work is abandoned, or the run drains and would send nothing afterwards. */
function waitSignals(meter: CallMeter | undefined): (signal: AbortSignal) => AbortSignal {
  return meter ? oncePer((signal) => AbortSignal.any([signal, meter.drain])) : (signal) => signal;
}

function verdictOf(
  end: AttemptEnd<Billed>,
  sent: number,
  redactor: Redactor,
  othersServe: boolean,
): AttemptVerdict {
  if (end.kind === 'answer') {
    const { prompt_tokens, completion_tokens } = end.answer.usage;
    return { kind: 'answered', tokens: prompt_tokens + completion_tokens || undefined };
  }
  if (end.kind === 'unanswered') return { kind: 'answered', tokens: undefined };
  const { fault } = end;
  if (fault.isOfMember && othersServe) return { kind: 'barred', reason: faultFailure(fault, sent, redactor) };
  if (!fault.retried) return { kind: 'answered', tokens: 0 };
  const reason = faultFailure(fault, sent, redactor);
  return fault.isOverload
    ? { kind: 'refused', retryAfterMs: fault.retryAfterMs, reason }
    : { kind: 'faulty', reason };
}

/** Client of each member, with the redactor of its key. */
function clientsByMember<Answer extends Billed>(options: RetryingSendOptions<Answer>) {
  const { wire, dispatcher, endpoint, meter } = options;
  return oncePer((member: EndpointMember) => {
    const redactor = createRedactor([member.apiKey]);
    const recounted = (recount: Recount) => meter?.recounted?.(recount);
    const call = createEndpointCall({ wire, ...member, redactor, recounted, dispatcher });
    return { redactor, call: meter ? meteredCall(call, meter, endpoint.price) : call };
  });
}
