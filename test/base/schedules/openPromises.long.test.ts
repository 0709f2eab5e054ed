import { test } from 'vitest';
import { trySchedules } from './support/trySchedules.ts';

test.each([
  ['simulated', 1_000, 6_000],
  ['real', 100, 150],
] as const)('no promise stays open in many schedules of %s threads and processes', (kind, first, count) =>
  trySchedules(kind, first, count),
);
