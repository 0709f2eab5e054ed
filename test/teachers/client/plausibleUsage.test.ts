import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../base/systemClock.ts';
import { SpendingLog } from '../../../calls/budget/spendingLog.ts';
import { SpendingMeter } from '../../../calls/budget/spendingMeter.ts';
import { SessionCalls } from '../../../calls/sessionCalls.ts';
import type { Recount } from '../../../contract/calls.ts';
import { outgoingRequest } from '../../../teachers/client/outgoingRequest.ts';
import { plausibleUsage, reckonedTokens } from '../../../teachers/client/plausibleUsage.ts';
import { qwen } from '../../output/support/qwen.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { says, startTinyServer } from '../support/startTinyServer.ts';
import { modelAt, neverAborted } from '../support/tinyModel.ts';

const prose = 'The harbour of Vell was founded in 1874 by Ada Torrin, who had come from the north. ';

describe('our own count', () => {
  test.each([
    ['prose', prose.repeat(20)],
    ['code', readFileSync(import.meta.filename, 'utf8')],
    ['a table', `| name | value |\n|${'-'.repeat(60)}|${'-'.repeat(60)}|\n`.repeat(10)],
    ['indentation', `${' '.repeat(40)}x = 1\n`.repeat(20)],
    ['Chinese', '维尔港由艾达·托林于一八七四年建立，她来自北方。'.repeat(20)],
    ['Russian', 'Гавань Велла основала Ада Торрин, которая пришла с севера. '.repeat(20)],
    ['digits', '31415926535897932384626433832795 '.repeat(20)],
    ['JSON', JSON.stringify(Array.from({ length: 40 }, (_, id) => ({ id, name: `n${id}`, ok: true })))],
  ])('of %s is neither far below nor far above a tokenizer', async (_name, text) => {
    const share = reckonedTokens(text) / (await qwen.encode(text)).length;
    expect(share).toBeGreaterThan(0.8);
    expect(share).toBeLessThan(3.9);
  });
});

test('counting stops early only where the text has no more than enough', () => {
  const parts = fc.constantFrom('a', 'word ', '7', '===', ' ', '\n    ', 'ü', '港', '🙂', '\ud800');
  const texts = fc.array(parts, { maxLength: 2_000, size: 'max' }).map((list) => list.join(''));
  fc.assert(
    fc.property(texts, fc.nat({ max: 4_000 }), (text, enough) => {
      const all = reckonedTokens(text);
      const counted = reckonedTokens(text, enough);
      if (all > enough) expect(counted).toBe(all);
      else expect(counted).toBeLessThanOrEqual(enough);
    }),
  );
});

test('a report is believed from a quarter of our count on', () => {
  const said = prose.repeat(20);
  const counted = reckonedTokens(said);
  const request = outgoingRequest({ model: 'm', messages: [{ role: 'user', content: 'Go on.' }] });
  fc.assert(
    fc.property(fc.nat({ max: 2 * counted }), (completion_tokens) => {
      const told: Recount[] = [];
      const usage = { prompt_tokens: 9, completion_tokens, cached_tokens: 0 };
      const taken = plausibleUsage({ request, said, usage, recounted: (recount) => told.push(recount) });
      const isLow = completion_tokens < counted / 4;
      expect(taken).toEqual({ ...usage, completion_tokens: isLow ? counted : completion_tokens });
      const recount = { model: 'm', reported: 9 + completion_tokens, counted: 9 + counted };
      expect(told).toEqual(isLow ? [recount] : []);
    }),
  );
});

test.each([
  ['answers', {}],
  ['answers that are cut off', { finish_reason: 'length' }],
])('a cap is kept with an endpoint that counts one token a call: %s', async (_name, choice) => {
  const [question, answer] = [prose.repeat(30), prose.repeat(10)];
  let asked = 0;
  const server = await startTinyServer(() => {
    asked += 1;
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return { body: { ...(says(answer, {}, choice) as { body: object }).body, usage } };
  });
  const books = await SpendingLog.open(temporaryFolder(), systemClock);
  const drain = new AbortController();
  const caps = { maxCostUsd: undefined, maxTokens: 20_000 };
  const onSpent = (reason: Error) => drain.abort(reason);
  const meter = new SpendingMeter({ log: books, caps, drain: drain.signal, onSpent });
  const lines: string[] = [];
  const calls = new SessionCalls(drain.signal, (line) => lines.push(line));
  calls.connect(meter, []);
  const model = modelAt(server.baseUrl, {}, { meter: calls });
  const messages = [{ role: 'user', content: question } as const];
  for (let n = 0; n < 100 && !drain.signal.aborted; n++) {
    await model.chat({ messages, sampling: { max_tokens: 2_000 } }, neverAborted).catch(() => undefined);
  }
  await books.close();
  expect(drain.signal.aborted).toBe(true);
  // At least a token for every six bytes.
  expect((asked * (question.length + answer.length)) / 6).toBeLessThan(caps.maxTokens);
  expect(lines).toEqual([expect.stringContaining('(2 for')]);
});
