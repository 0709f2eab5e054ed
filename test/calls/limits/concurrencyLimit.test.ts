import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../../calls/limits/concurrencyLimit.ts';

const endings = fc.array(
  fc.record({ pick: fc.nat(), ending: fc.constantFrom('taken', 'refused', 'ended') }),
  { maxLength: 400 },
);

test('whatever happens, it stays between 1 and the ceiling and counts what is in flight', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), endings, (ceiling, steps) => {
      const limit = new ConcurrencyLimit(ceiling);
      const tickets: number[] = [];
      for (const { pick, ending } of steps) {
        while (limit.inFlight < limit.limit) tickets.push(limit.send());
        const [ticket] = tickets.splice(pick % tickets.length, 1);
        if (ending === 'refused') limit.refused(ticket!);
        else if (ending === 'taken') limit.taken();
        else limit.end();
        expect(limit.inFlight).toBe(tickets.length);
        expect(limit.limit).toBeGreaterThanOrEqual(1);
        expect(limit.limit).toBeLessThanOrEqual(ceiling);
      }
    }),
  );
});

/** Keeps as many in flight as the limit allows; the oldest ends first. Returns the limits that it had. */
function work(limit: ConcurrencyLimit, requests: number, isTaken: (inFlight: number, n: number) => boolean) {
  const limits: number[] = [];
  let open = limit.inFlight;
  for (let n = 0; n < requests; n++) {
    while (limit.inFlight < limit.limit) {
      const ticket = limit.send();
      if (isTaken(limit.inFlight, n)) open += 1;
      else {
        limit.refused(ticket);
        break;
      }
    }
    if (open > 0) {
      open -= 1;
      limit.taken();
    }
    limits.push(limit.limit);
  }
  return limits;
}

test.each([1, 2, 5, 18, 37, 63])('an endpoint that takes %i at once is given about so many', (atOnce) => {
  const limits = work(new ConcurrencyLimit(64), 8000, (inFlight) => inFlight <= atOnce).slice(4000);
  expect(Math.min(...limits)).toBeGreaterThanOrEqual(Math.floor(atOnce * 0.7));
  expect(Math.max(...limits)).toBeLessThanOrEqual(atOnce + 1);
});

test('requests that were sent together lower it once, a quarter, by 15 refusals', () => {
  const limit = new ConcurrencyLimit(64);
  const tickets = Array.from({ length: 64 }, () => limit.send());
  for (const ticket of tickets.slice(0, 14)) limit.refused(ticket);
  expect(limit.limit).toBe(64);
  for (const ticket of tickets.slice(14)) limit.refused(ticket);
  expect(limit.limit).toBe(48);
});

test('after an overload it doubles up to three quarters of what it was', () => {
  const limit = new ConcurrencyLimit(64);
  work(limit, 200, () => false);
  expect(limit.limit).toBe(1);
  const limits = work(limit, 120, () => true);
  expect([...new Set(limits)]).toEqual([2, 4, 8, 16, 32, 48]);
});

test('one that takes more again is given more', () => {
  const limit = new ConcurrencyLimit(64);
  work(limit, 2000, (inFlight) => inFlight <= 10);
  work(limit, 20_000, () => true);
  expect(limit.limit).toBe(64);
});

test('refusals that do not depend on what is in flight do not press it down', () => {
  const limit = new ConcurrencyLimit(64);
  work(limit, 5000, (_, n) => n % 10 !== 0);
  expect(limit.limit).toBe(64);
});
