import { expect, test } from 'vitest';
import { withDelays } from './support/delayedCopy.ts';
import { trySchedules } from './support/trySchedules.ts';

test.each([
  ['simulated', 400],
  ['real', 6],
] as const)('no promise stays open in schedules of %s threads and processes', (kind, count) =>
  trySchedules(kind, 1, count),
);

test('every kind of waiting is delayed', () => {
  const source = `async function* all(a: AsyncIterable<number>) {
    for await (const one of a) yield (await f(await one))!;
    yield* a;
  }`;
  expect(withDelays(source)).toBe(`async function* all(a: AsyncIterable<number>) {
    for await (const one of __each(a)) yield (await __after(f(await __after(one))))!;
    yield* __each(a);
  }`);
});
