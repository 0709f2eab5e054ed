import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountOf } from '../../../calls/budget/spendingMeter.ts';
import type { AttemptToSend, Bill } from '../../../contract/calls.ts';
import { WithheldAnswer } from '../../../contract/errors.ts';
import { tokenCostUsd } from '../../../schemas/tokenCost.ts';
import { says, startTinyServer } from '../support/startTinyServer.ts';
import { modelAt, neverAborted, plainRequest } from '../support/tinyModel.ts';

const usage = { prompt_tokens: 1_000_000, completion_tokens: 500_000, cached_tokens: 400_000 };

test('cached tokens have their own price', () => {
  const price = { input_usd_per_million: 2, cached_input_usd_per_million: 0.5, output_usd_per_million: 8 };
  expect(tokenCostUsd(usage, price)).toBeCloseTo(0.6 * 2 + 0.4 * 0.5 + 0.5 * 8);
});

test('and the price of input where they have none', () => {
  expect(tokenCostUsd(usage, { input_usd_per_million: 2, output_usd_per_million: 8 })).toBeCloseTo(6);
});

test('nothing is known without a price', () => {
  expect(tokenCostUsd(usage, undefined)).toBe(0);
});

const tokens = fc.integer({ min: 1_000, max: 1_000_000 });
const dollars = fc.double({ min: 0, max: 100, noNaN: true });
const prices = fc.record(
  {
    input_usd_per_million: dollars,
    cached_input_usd_per_million: dollars,
    output_usd_per_million: dollars,
  },
  { requiredKeys: ['input_usd_per_million', 'output_usd_per_million'] },
);
const reported = fc.record({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  cached: tokens,
  finish_reason: fc.constantFrom('stop', 'length'),
  isDeepSeek: fc.boolean(),
});

test('an answer, one that was cut, and the bill of either cost the same, however much is said to be cached', async () => {
  let usage: object = {};
  let finish_reason = '';
  const server = await startTinyServer(() => {
    const { body } = says('hi', {}, { finish_reason }) as { body: object };
    return { body: { ...body, usage } } as ReturnType<typeof says>;
  });
  await fc.assert(
    fc.asyncProperty(prices, reported, async (price, { cached, isDeepSeek, ...given }) => {
      finish_reason = given.finish_reason;
      const counted = isDeepSeek
        ? { prompt_cache_hit_tokens: cached }
        : { prompt_tokens_details: { cached_tokens: cached } };
      usage = { prompt_tokens: given.prompt_tokens, completion_tokens: given.completion_tokens, ...counted };
      const bills: [AttemptToSend, Bill][] = [];
      const meter = {
        drain: neverAborted,
        admit: async (attempt: AttemptToSend) => ({ end: (bill: Bill) => void bills.push([attempt, bill]) }),
      };
      const model = modelAt(server.baseUrl, { price }, { meter });
      const answer = await model.chat(plainRequest, neverAborted).catch((error) => {
        if (!(error instanceof WithheldAnswer)) throw error;
        return { usage: error.answer.usage!, cost_usd: error.answer.cost_usd };
      });
      expect(answer.usage.cached_tokens).toBe(cached);
      const cost = tokenCostUsd(answer.usage, price);
      expect(answer.cost_usd).toBe(cost);
      const [[attempt, bill]] = bills as [[AttemptToSend, Bill]];
      expect(amountOf(bill, { costUsd: -1, tokens: -1 }, attempt).costUsd).toBe(cost);
      const none = tokenCostUsd({ ...answer.usage, cached_tokens: 0 }, price);
      const all = tokenCostUsd({ ...answer.usage, cached_tokens: given.prompt_tokens }, price);
      expect(cost).toBeGreaterThanOrEqual(Math.min(none, all) - 1e-9);
      expect(cost).toBeLessThanOrEqual(Math.max(none, all) + 1e-9);
    }),
    { numRuns: 60 },
  );
});
