import { test } from 'vitest';
import { trySchedules } from './support/trySchedules.ts';

test.each([
  ['simulated', 1_000, 2_500],
  ['real', 100, 60],
] as const)('no promise stays open in many schedules of %s threads and processes', (kind, first, count) =>
  trySchedules(kind, first, count),
);
