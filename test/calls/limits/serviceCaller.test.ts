import { expect, test } from 'vitest';
import { systemClock } from '../../../base/systemClock.ts';
import { createServiceCaller, type ServiceCallerOptions } from '../../../calls/limits/createServiceCaller.ts';
import { SPACED_MINUTE_MS } from '../../../calls/limits/rateBucket.ts';
import type { AttemptToSend, Bill } from '../../../contract/calls.ts';
import { RecordFailure, RunHalted } from '../../../contract/errors.ts';
import { ServiceFault } from '../../../contract/serviceCalls.ts';
import { stillClock } from '../../teachers/support/clocks.ts';

const { signal } = new AbortController();

function callerOf(options: Partial<ServiceCallerOptions> = {}) {
  const clock = stillClock();
  const call = createServiceCaller({
    baseUrl: 'http://a.example',
    apiKey: undefined,
    concurrency: 4,
    requestsPerMinute: undefined,
    maxRetries: 2,
    clock,
    ...options,
  });
  return { call, clock };
}

/** Fails in turn, and answers afterwards. */
function failing(...faults: readonly ServiceFault[]) {
  const left = [...faults];
  const state = { asked: 0 };
  const request = {
    name: 'q',
    attempt: async () => {
      state.asked += 1;
      const fault = left.shift();
      if (fault) throw fault;
      return 'answer';
    },
  };
  return { request, state };
}

const status = (code: number, retryAfter?: string) => new ServiceFault('no', { status: code, retryAfter });

test('what may go well is tried again, at the latest after the longest wait', async () => {
  const { call, clock } = callerOf();
  const { request, state } = failing(status(429, '3600'), new ServiceFault('broke'));
  expect(await call(request, signal)).toBe('answer');
  expect(state.asked).toBe(3);
  expect(clock.sleeps).toEqual([120_000, expect.any(Number)]);
});

test('what will not go well is not', async () => {
  for (const fault of [
    status(403),
    status(400),
    new ServiceFault('wrong', { status: 503, retried: false }),
  ]) {
    const { call } = callerOf();
    const { request, state } = failing(fault);
    const error = await call(request, signal).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(RecordFailure);
    expect(error.failure).toMatchObject({
      cause: 'tool_unavailable',
      evidence: { status: fault.details.status, attempts: 1 },
    });
    expect(state.asked).toBe(1);
    // One call's wrong key or query is no reason to leave the others waiting.
    expect(await call(failing().request, signal)).toBe('answer');
  }
});

test('an error that is no fault of the service goes through as it is', async () => {
  const { call } = callerOf();
  const mistake = new TypeError('ours');
  const attempt = () => Promise.reject(mistake);
  await expect(call({ name: 'q', attempt }, signal)).rejects.toBe(mistake);
});

test('stopping ends the attempt and the wait with its own reason', async () => {
  const stop = new AbortController();
  const { call } = callerOf();
  const attempt = async () => {
    stop.abort(new Error('stopped'));
    throw new ServiceFault('broke');
  };
  await expect(call({ name: 'q', attempt }, stop.signal)).rejects.toThrow('stopped');
});

test('a run that drains sends nothing after a wait', async () => {
  const drain = new AbortController();
  const meter = { drain: drain.signal, admit: async () => ({ end: () => {} }) };
  const { call } = callerOf({ meter, clock: systemClock });
  const { request, state } = failing(status(429, '600'));
  const calling = call(request, signal);
  await new Promise(setImmediate);
  drain.abort(new RunHalted('drained'));
  await expect(calling).rejects.toThrow('drained');
  expect(state.asked).toBe(1);
});

test('what a service takes is booked once an answer, refusals are not', async () => {
  const booked: unknown[] = [];
  const meter = {
    drain: new AbortController().signal,
    admit: async ({ feeUsd }: AttemptToSend) => ({
      end: ({ kind }: Bill) => void booked.push([feeUsd, kind]),
    }),
  };
  const { call } = callerOf({ meter, feeUsd: 0.005 });
  await call(failing(status(429), new ServiceFault('lost on the way')).request, signal);
  expect(booked).toEqual([
    [0.005, 'nothing'],
    [0.005, 'unknown'],
    [0.005, 'used'],
  ]);
  booked.length = 0;
  await callerOf({ meter }).call(failing().request, signal);
  expect(booked).toEqual([]);
});

test('no more calls are in flight than allowed', async () => {
  const { call } = callerOf({ concurrency: 3 });
  let inFlight = 0;
  let most = 0;
  const attempt = async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await new Promise(setImmediate);
    inFlight -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => call({ name: 'q', attempt }, signal)));
  expect(most).toBe(3);
});

test('a rate is kept by waiting', async () => {
  const clock = stillClock();
  const { call } = callerOf({ requestsPerMinute: 60, clock });
  for (let n = 0; n < 3; n++) await call(failing().request, signal);
  // A second, and its part of what may pass until a request arrives.
  expect(clock.sleeps).toEqual([SPACED_MINUTE_MS / 60, SPACED_MINUTE_MS / 60]);
});

test('a service that only fails is left alone, and every call learns why', async () => {
  const { call } = callerOf({ maxRetries: 3 });
  let asked = 0;
  const attempt = async () => {
    asked += 1;
    throw new ServiceFault('broke');
  };
  const ends = await Promise.allSettled(
    Array.from({ length: 30 }, (_, n) => call({ name: `${n}`, attempt }, signal)),
  );
  for (const end of ends) {
    expect(end).toMatchObject({
      status: 'rejected',
      reason: { failure: { cause: 'tool_unavailable', message: 'broke' } },
    });
  }
  // Four attempts each would be 120.
  expect(asked).toBeLessThan(30);
});
