import { expect, test } from 'vitest';
import { summaryLines } from '../../cli/summary.ts';
import { fullReport } from '../viewer/support/reportSample.ts';

test('the summary names the share of the prompts that the endpoint had cached, where it counts them', () => {
  const told = summaryLines(fullReport).find((line) => line.startsWith('spent:'));
  expect(told).toBe(
    'spent: 720 requests · 1,427,400 tokens · $1.99 · up to 20,000 tokens and $0.50 more for 2 requests without a bill (30% of the prompts cached by the endpoint)',
  );
});
