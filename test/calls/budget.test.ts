import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sealedLine } from '../../base/journal/sealed.ts';
import { systemClock } from '../../base/systemClock.ts';
import { capsOf } from '../../calls/budget/capsOf.ts';
import { mostSpent, readSpent, SpendingLog, worstCase } from '../../calls/budget/spendingLog.ts';
import { type Caps, SpendingMeter } from '../../calls/budget/spendingMeter.ts';
import { type BudgetSpent, RecordFailure, RunHalted } from '../../contract/errors.ts';
import { Interrupted } from '../../pipeline/run/runError.ts';
import { type Config, configSchema } from '../../schemas/config/config.ts';
import type { ModelConfig } from '../../schemas/config/models.ts';
import { listedPrice } from '../../schemas/config/resolved/sectionModel.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import { requestBody } from '../../teachers/client/createChatModel.ts';
import { answerLimitOf } from '../../teachers/client/meteredCall.ts';
import { qwen } from '../output/support/qwen.ts';
import { seededRandom } from '../support/seededRandom.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import {
  says,
  startTinyServer,
  type TinyAnswer,
  type TinyRequest,
} from '../teachers/support/startTinyServer.ts';
import { modelAt, neverAborted } from '../teachers/support/tinyModel.ts';

type Price = NonNullable<ModelConfig['price']>;
const noCaps: Caps = { maxCostUsd: undefined, maxTokens: undefined };

/** The bill that a server makes out, whatever becomes of its answers. */
class ServerBooks {
  costUsd = 0;
  tokens = 0;
  readonly #price: Price;
  readonly #random: () => number;

  constructor(price: Price, random: () => number) {
    this.#price = price;
    this.#random = random;
  }

  /** Answers, or fails to: refusals are not billed, answers that get lost are. */
  answer(request: TinyRequest): TinyAnswer {
    const dice = this.#random();
    if (dice < 0.08) return { status: 429, body: { error: { message: 'slow down' } } };
    if (dice < 0.14) return { status: 500, body: { error: { message: 'broken' } } };
    const usage = this.#usage(request);
    this.costUsd += tokenCostUsd(usage, this.#price);
    this.tokens += usage.prompt_tokens + usage.completion_tokens;
    if (dice < 0.18) return 'cut';
    if (dice < 0.22) return { body: '<html>gateway</html>' };
    const { prompt_tokens, completion_tokens, cached_tokens } = usage;
    const answer = says('word') as { body: object };
    return {
      body: {
        ...answer.body,
        usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
      },
    };
  }

  /** Up to what the request allows: a token a byte, and an answer of full length. */
  #usage({ body }: TinyRequest) {
    const prompt_tokens = Math.ceil(this.#random() * Buffer.byteLength(JSON.stringify(body)));
    const completion_tokens = Math.ceil(this.#random() * Number(body.max_tokens));
    return { prompt_tokens, completion_tokens, cached_tokens: Math.floor(this.#random() * prompt_tokens) };
  }
}

interface Session {
  readonly runFolder: string;
  readonly baseUrl: string;
  readonly price: Price;
  readonly caps: Caps;
  readonly concurrency: number;
  readonly random: () => number;
  /** Calls begun until the process is killed; never where absent. */
  readonly killAfter?: number;
}

/** Calls as often as the budget lets it. A killed session leaves what is on disk at that moment, and calls in flight. */
async function callUntilSpent(session: Session): Promise<'spent' | 'killed' | 'done'> {
  const { runFolder, baseUrl, price, caps, random } = session;
  const [drain, kill] = [new AbortController(), new AbortController()];
  const books = await SpendingLog.open(runFolder, systemClock);
  const meter = new SpendingMeter({
    log: books,
    caps,
    drain: drain.signal,
    onSpent: (reason) => drain.abort(reason),
  });
  const settings = { price, concurrency: session.concurrency, max_retries: 2, tool_calls: 'native' as const };
  const model = modelAt(baseUrl, settings, { meter });
  let left = session.killAfter ?? Number.POSITIVE_INFINITY;
  const worker = async (): Promise<void> => {
    for (let calls = 0; calls < 12 && !drain.signal.aborted && !kill.signal.aborted; calls++) {
      if (--left < 0) {
        copyFileSync(join(runFolder, 'spending.jsonl'), join(runFolder, 'as-killed.jsonl'));
        kill.abort(new Interrupted('SIGTERM'));
        return;
      }
      const content = 'x'.repeat(Math.ceil(random() * 2_000));
      const request = {
        messages: [{ role: 'user', content } as const],
        sampling: { max_tokens: 100 + Math.ceil(random() * 900) },
      };
      try {
        await model.chat(request, kill.signal);
      } catch (error) {
        if (!(error instanceof RecordFailure) && !(error instanceof RunHalted)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: session.concurrency }, worker));
  await books.close();
  if (!kill.signal.aborted) return drain.signal.aborted ? 'spent' : 'done';
  copyFileSync(join(runFolder, 'as-killed.jsonl'), join(runFolder, 'spending.jsonl'));
  return 'killed';
}

describe('a cap', () => {
  test("is not passed on the server's own account, with any price, concurrency and kill point", async () => {
    const folder = temporaryFolder();
    const usd = fc.double({ min: 0.01, max: 50, noNaN: true });
    let run = 0;
    let spentRuns = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.record({ input: usd, output: usd, cached: fc.option(usd, { nil: undefined }) }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 3 }),
        fc.constantFrom('cost', 'tokens'),
        fc.integer({ min: 2, max: 40 }),
        fc.nat(),
        async ({ input, output, cached }, concurrency, kills, kind, worstCalls, seed) => {
          const price: Price = {
            input_usd_per_million: input,
            output_usd_per_million: output,
            ...(cached !== undefined && { cached_input_usd_per_million: cached }),
          };
          const big = worstCase({ price, bodyBytes: 2_100, messages: 1, maxTokens: 1_000 });
          const caps: Caps =
            kind === 'cost'
              ? { ...noCaps, maxCostUsd: big.costUsd * worstCalls }
              : { ...noCaps, maxTokens: big.tokens * worstCalls };
          const random = seededRandom(seed);
          const bill = new ServerBooks(price, random);
          const server = await startTinyServer((request) => bill.answer(request));
          const runFolder = join(folder, String(run++));
          mkdirSync(runFolder);
          const session = { runFolder, baseUrl: server.baseUrl, price, caps, concurrency, random };
          for (const killAfter of kills) await callUntilSpent({ ...session, killAfter });
          if ((await callUntilSpent(session)) === 'spent') spentRuns++;
          await server.close();
          expect(bill.costUsd).toBeLessThanOrEqual(caps.maxCostUsd ?? Number.POSITIVE_INFINITY);
          expect(bill.tokens).toBeLessThanOrEqual(caps.maxTokens ?? Number.POSITIVE_INFINITY);
          const ours = mostSpent(await readSpent(runFolder));
          expect(ours.tokens).toBeGreaterThanOrEqual(bill.tokens);
          expect(ours.costUsd).toBeGreaterThanOrEqual(bill.costUsd - 1e-9);
        },
      ),
      { numRuns: 50 },
    );
    // A test in which nothing is ever spent would show nothing.
    expect(spentRuns).toBeGreaterThan(5);
  });

  test('that has no room waits for what is in flight, and is spent only when nothing is', async () => {
    const folder = temporaryFolder();
    const price: Price = { input_usd_per_million: 0, output_usd_per_million: 1_000_000 };
    const attempt = { price, bodyBytes: 1, messages: 0, maxTokens: 6 };
    const books = await SpendingLog.open(folder, systemClock);
    const spent: BudgetSpent[] = [];
    const drain = new AbortController();
    const onSpent = (reason: BudgetSpent) => {
      spent.push(reason);
      drain.abort(reason);
    };
    const caps = { ...noCaps, maxCostUsd: 10 };
    const meter = new SpendingMeter({ log: books, caps, drain: drain.signal, onSpent });
    const first = await meter.admit(attempt, neverAborted);
    const second = meter.admit(attempt, neverAborted);
    expect(spent).toEqual([]);
    first.end({ kind: 'used', usage: { prompt_tokens: 0, completion_tokens: 4, cached_tokens: 0 } });
    (await second).end({ kind: 'nothing' });
    (await meter.admit(attempt, neverAborted)).end({ kind: 'unknown' });
    await expect(meter.admit(attempt, neverAborted)).rejects.toThrow(/\$10\.0000 of at most \$10/);
    expect(spent).toHaveLength(1);
    await expect(meter.admit({ ...attempt, maxTokens: 0 }, neverAborted)).rejects.toBe(spent[0]);
    await books.close();
    expect(await readSpent(folder)).toEqual({
      costUsd: 4,
      tokens: 4,
      attempts: 3,
      unbilled: { costUsd: 6, tokens: expect.any(Number), requests: 1 },
    });
  });

  test('is refused where it could not be kept', () => {
    const parse = (config: object): Config =>
      configSchema.parse({ tasks: { sources: [{ file: 'x', profile: 'web' }] }, ...config });
    const capped = { budget: { max_cost_usd: 1 } };
    const sampling = { max_tokens: 100 };
    expect(() =>
      capsOf(parse({ ...capped, teacher: { model: { model: 'own', sampling } } }), new Set()),
    ).toThrow(/no price is known of own/);
    expect(() =>
      capsOf(parse({ ...capped, teacher: { model: { model: 'gpt-5-mini' } } }), new Set()),
    ).toThrow(/teacher\.model\.sampling\.max_tokens/);
    expect(
      capsOf(parse({ ...capped, teacher: { model: { model: 'gpt-5-mini', sampling } } }), new Set()),
    ).toEqual({
      ...noCaps,
      maxCostUsd: 1,
    });
    expect(capsOf(parse({ ...capped, teacher: { backend: 'scripted' } }), new Set())).toEqual({
      ...noCaps,
      maxCostUsd: 1,
    });
  });
});

test('an answer is limited, and put aside for, as the model knows the limit', () => {
  const request = { messages: [], sampling: { temperature: 1, max_tokens: 70 } };
  for (const model of ['gpt-5-mini', 'gpt-5.1-2025-11-13', 'o3', 'o4-mini']) {
    const body = requestBody(model, request, null);
    expect(body).toEqual({ model, messages: [], temperature: 1, max_completion_tokens: 70 });
    expect(answerLimitOf(body)).toBe(70);
  }
  for (const model of ['gpt-4.1', 'gpt-4o', 'openai/gpt-5', 'Qwen/Qwen3-8B', 'olmo']) {
    const body = requestBody(model, request, null);
    expect(body).toEqual({ model, messages: [], temperature: 1, max_tokens: 70 });
    expect(answerLimitOf(body)).toBe(70);
  }
  expect(answerLimitOf(requestBody('o3', { messages: [], sampling: {} }, null))).toBeUndefined();
});

test.each([
  ['all of it', { prompt_tokens: 40, completion_tokens: 5, total_tokens: 45 }, 45],
  ['thoughts beside the answer', { prompt_tokens: 40, completion_tokens: 5, total_tokens: 245 }, 245],
  ['thoughts alone', { prompt_tokens: 40, completion_tokens: 0, total_tokens: 100 }, 100],
  ['only the answer', { completion_tokens: 5 }, 'estimate'],
  ['only the prompt', { prompt_tokens: 40 }, 'estimate'],
  ['less than nothing', { prompt_tokens: -40, completion_tokens: 5, total_tokens: -35 }, 'estimate'],
  ['nothing', undefined, 'estimate'],
])('a bill that counts %s', async (_title, usage, tokens) => {
  const answer = says('word') as { body: object };
  const server = await startTinyServer(() => ({ body: { ...answer.body, usage } }));
  const books = await SpendingLog.open(temporaryFolder(), systemClock);
  const drain = new AbortController().signal;
  const meter = new SpendingMeter({ log: books, caps: noCaps, drain, onSpent() {} });
  const request = {
    messages: [{ role: 'user', content: 'Say one.' } as const],
    sampling: { max_tokens: 300 },
  };
  await modelAt(server.baseUrl, {}, { meter }).chat(request, neverAborted);
  // The question and its answer have about 25 tokens as JSON; the worst case would be 1,300.
  if (tokens === 'estimate') expect(Math.abs(meter.spent.tokens - 30)).toBeLessThan(20);
  else expect(meter.spent.tokens).toBe(tokens);
  await books.close();
});

test('prompt tokens are never more than the worst case says, for any text', async () => {
  const text = fc.string({ unit: 'grapheme' }).map((any) => any.normalize('NFC'));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 5 }), async (texts) => {
      const messages = texts.map((content) => ({ role: 'user', content }));
      const bodyBytes = Buffer.byteLength(JSON.stringify({ messages }));
      const rendered = texts.map((content) => `<|im_start|>user\n${content}<|im_end|>\n`).join('');
      const { tokens } = worstCase({ price: undefined, bodyBytes, messages: texts.length, maxTokens: 0 });
      expect((await qwen.encode(rendered)).length).toBeLessThanOrEqual(tokens);
    }),
  );
});

test("prices are listed for a provider's own address and the day of a snapshot does not matter", () => {
  const at = 'https://api.openai.com/v1';
  expect(listedPrice(at, 'gpt-4.1-2025-04-14')).toEqual(listedPrice(at, 'gpt-4.1'));
  expect(listedPrice(at, 'gpt-4.1')?.output_usd_per_million).toBe(8);
  expect(listedPrice('http://localhost:8000/v1', 'gpt-4.1')).toBeUndefined();
  expect(listedPrice(at, 'constructor')).toBeUndefined();
});

test('what a worker was not billed is told apart, whichever of the two comes first', async () => {
  const folder = temporaryFolder();
  const books = await SpendingLog.open(folder, systemClock);
  books.workersUnbilled({ costUsd: 2, tokens: 20 });
  books.workersSpent(3, { costUsd: 5, tokens: 50 });
  books.workersUnbilled({ costUsd: 1, tokens: 10 });
  await books.close();
  const spent = await readSpent(folder);
  expect(spent).toEqual({
    ...{ costUsd: 2, tokens: 20, attempts: 3 },
    unbilled: { costUsd: 3, tokens: 30, requests: 2 },
  });
  expect(mostSpent(spent)).toEqual({ costUsd: 5, tokens: 50 });
});

test('a damaged line of the spending log is named; a torn one is cut off', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'spending.jsonl');
  const sent = sealedLine({ kind: 'sent', attempt: 0, cost_usd: 1, tokens: 2 });
  writeFileSync(path, `${sent}\n{"kind":"bil`);
  const books = await SpendingLog.open(folder, systemClock);
  expect(books.earlier).toEqual({
    ...{ costUsd: 0, tokens: 0, attempts: 1 },
    unbilled: { costUsd: 1, tokens: 2, requests: 1 },
  });
  await books.close();
  writeFileSync(path, `${sealedLine({ kind: 'sent' })}\n${sent}\n`);
  await expect(SpendingLog.open(folder, systemClock)).rejects.toThrow(/spending\.jsonl:1: damaged/);
  writeFileSync(path, `torn\n${sent}\n`);
  await expect(SpendingLog.open(folder, systemClock)).rejects.toThrow(
    /spending\.jsonl:1: .* remove it to count from zero/,
  );
  expect(existsSync(path)).toBe(true);
});
