import { expect, test } from 'vitest';
import { summaryLines } from '../../cli/summary.ts';
import { fullReport } from '../viewer/support/reportSample.ts';

test('the summary names the share of the prompts that the endpoint had cached, where it counts them', () => {
  const told = summaryLines(fullReport).find((line) => line.includes('model calls'));
  expect(told).toMatch(/tokens \(30% of the prompts cached by the endpoint\), \$/);
});
