import { expect, test } from 'vitest';
import { CircuitBreaker } from '../../../calls/limits/circuitBreaker.ts';

function failTimes(breaker: CircuitBreaker, times: number, nowMs = 0): void {
  for (let n = 0; n < times; n++) breaker.fail(breaker.send(), nowMs);
}

test('four failures in a row leave it closed, the fifth opens it for a second', () => {
  const breaker = new CircuitBreaker();
  failTimes(breaker, 4);
  expect(breaker.waitMs(0)).toBe(0);
  failTimes(breaker, 1);
  expect([breaker.waitMs(0), breaker.waitMs(400), breaker.waitMs(1000)]).toEqual([1000, 600, 0]);
});

test('one success in between begins the row again', () => {
  const breaker = new CircuitBreaker();
  failTimes(breaker, 4);
  breaker.succeed(breaker.send());
  failTimes(breaker, 4);
  expect(breaker.waitMs(0)).toBe(0);
});

test('a slow request from before the row may still be a good one', () => {
  const breaker = new CircuitBreaker();
  const slow = breaker.send();
  failTimes(breaker, 30);
  expect(breaker.waitMs(0)).toBe(0);
  breaker.fail(slow, 0);
  expect(breaker.waitMs(0)).toBe(1000);
});

test('one probe at a time; each that fails doubles the pause, up to 30 s', () => {
  const breaker = new CircuitBreaker();
  failTimes(breaker, 5);
  let nowMs = 0;
  const pauses: number[] = [];
  for (let probe = 0; probe < 7; probe++) {
    pauses.push(breaker.waitMs(nowMs));
    nowMs += breaker.waitMs(nowMs);
    const ticket = breaker.send();
    expect(ticket.isProbe).toBe(true);
    expect(breaker.waitMs(nowMs)).toBe(Number.POSITIVE_INFINITY);
    breaker.fail(ticket, nowMs);
    expect(breaker.failedProbes).toBe(probe + 1);
  }
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test('a probe that goes well closes it; one that is given up lets another go', () => {
  const breaker = new CircuitBreaker();
  failTimes(breaker, 5);
  breaker.abandon(breaker.send());
  expect(breaker.waitMs(1000)).toBe(0);
  breaker.succeed(breaker.send());
  expect(breaker.failedProbes).toBeUndefined();
  expect(breaker.waitMs(0)).toBe(0);
});

test('a longer pause that the endpoint asks for is kept', () => {
  const breaker = new CircuitBreaker();
  failTimes(breaker, 4);
  breaker.fail(breaker.send(), 0, 45_000);
  expect(breaker.waitMs(0)).toBe(45_000);
});
