import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { createEndpointPools } from '../../../calls/limits/createEndpointPools.ts';
import type { CallMeter } from '../../../contract/calls.ts';
import { RunHalted } from '../../../contract/errors.ts';
import { endpointConfigSchema } from '../../../schemas/config/endpoint.ts';
import { createChatModel } from '../../../teachers/client/createChatModel.ts';
import { createEndpointRegistry } from '../../../teachers/client/endpointCapabilities.ts';
import { poolMember } from '../../calls/limits/support/simulateWork.ts';
import { stillClock } from '../support/clocks.ts';
import { rejects, says, startTinyServer, type TinyAnswer } from '../support/startTinyServer.ts';
import { failureAt, failureOfCall, modelAt, neverAborted, plainRequest } from '../support/tinyModel.ts';

describe('one attempt', () => {
  test('an answer over the size limit is refused, and not asked for again', async () => {
    const { baseUrl, requests } = await startTinyServer((_, count) =>
      says('x'.repeat(count === 0 ? 17_000_000 : 16_000_000)),
    );
    const model = modelAt(baseUrl);
    const failure = await failureOfCall(model.chat(plainRequest, neverAborted));
    expect(failure.cause).toBe('endpoint_error');
    expect(failure.message).toContain('larger than');
    expect(requests).toHaveLength(1);
    expect((await model.chat(plainRequest, neverAborted)).content).toHaveLength(16_000_000);
  });

  test('the time limit does not run while a request waits for a slot of ours', async () => {
    const { baseUrl, load } = await startTinyServer(async () => {
      await delay(250);
      return says('yes');
    });
    const model = modelAt(baseUrl, { concurrency: 1, timeout_s: 1, max_retries: 0 });
    await Promise.all(Array.from({ length: 6 }, () => model.chat(plainRequest, neverAborted)));
    expect(load.most).toBe(1);
  });

  test('a task asks for its slot, and a retry for any', async () => {
    const { baseUrl, requests } = await startTinyServer((_, count) =>
      count === 0 ? rejects(500, 'no') : says('yes'),
    );
    const work = { task_id: 'a', lane: 1 };
    const model = modelAt(baseUrl, {}, { slots: 2 });
    await model.chat(plainRequest, neverAborted, { work, role: 'planner' });
    await model.chat(plainRequest, neverAborted, { work: { ...work, lane: 2 }, role: 'planner' });
    await model.chat(plainRequest, neverAborted);
    expect(requests.map(({ body }) => body.id_slot)).toEqual([1, undefined, undefined, undefined]);
  });

  test('an answer to another request is asked for again', async () => {
    const { baseUrl, requests } = await startTinyServer(({ headers }, count) => {
      const id = count === 0 ? 'another' : String(headers['x-client-request-id']);
      const answer = says(`answer ${count}`) as Exclude<TinyAnswer, string>;
      return { ...answer, headers: { 'x-client-request-id': id } };
    });
    const answer = await modelAt(baseUrl).chat(plainRequest, neverAborted);
    expect(answer.content).toBe('answer 1');
    const ids = requests.map(({ headers }) => headers['x-client-request-id']);
    expect(new Set(ids).size).toBe(2);
  });

  test('time limits of weeks are no limits', async () => {
    const { baseUrl } = await startTinyServer(() => says('done'));
    const model = modelAt(baseUrl, { timeout_s: 1e9, max_retries: 0 });
    expect((await model.chat(plainRequest, neverAborted)).content).toBe('done');
  });

  test.each([600, 999])('status %i is named', async (status) => {
    const { baseUrl } = await startTinyServer(() => ({ status, body: '' }));
    const failure = await failureAt(baseUrl, { max_retries: 0 });
    expect(failure).toMatchObject({ cause: 'endpoint_error' });
    expect(failure.message).toContain(String(status));
  });

  test('what an endpoint writes into its error goes to the ledger short and without the key', async () => {
    const code = `sk-secret-key ${'x'.repeat(100_000)}`;
    const { baseUrl } = await startTinyServer(() => rejects(400, 'no', code));
    const failure = await failureAt(baseUrl);
    expect(failure.evidence).toMatchObject({ status: 400, code: expect.stringMatching(/^\[key\] x+$/) });
    expect(JSON.stringify(failure).length).toBeLessThan(1500);
  });

  test.each([{ nested: ['sk-secret-key'] }, true])('an error code that is %j is left out', async (code) => {
    const { baseUrl } = await startTinyServer(() => ({
      status: 400,
      body: { error: { message: 'no', code } },
    }));
    const failure = await failureAt(baseUrl);
    expect(failure.evidence).toEqual({ status: 400, request_invalid: true, attempts: 1 });
  });

  test('a redirect is not followed: the key is for the address that was named', async () => {
    const other = await startTinyServer(() => says('stolen'));
    const { baseUrl } = await startTinyServer(() => ({
      status: 307,
      headers: { location: `${other.baseUrl}/chat/completions` },
      body: {},
    }));
    const failure = await failureAt(baseUrl);
    expect(failure.cause).toBe('endpoint_rejected');
    expect(failure.message).toMatch(/307.*sends requests on to http:.*\/chat\/completions; set base_url/);
    expect(other.requests).toHaveLength(0);
  });
});

test('an endpoint that speaks no TLS under https is named as such, at once', async () => {
  const { baseUrl, requests } = await startTinyServer(() => says('done'));
  const model = modelAt(baseUrl.replace('http:', 'https:'), { max_retries: 3 });
  const failure = await failureOfCall(model.chat(plainRequest, neverAborted));
  expect(failure.cause).toBe('endpoint_refused');
  expect(failure.message).toMatch(/^no secure connection to the model endpoint: .*write http:\/\//);
  expect(failure.evidence.attempts).toBe(1);
  expect(requests).toHaveLength(0);
});

describe('a run that comes to a halt', () => {
  const halted = new RunHalted('stopped');
  const meterOf = (drain: AbortSignal): CallMeter => ({ drain, admit: async () => ({ end: () => {} }) });

  test('waits for no retry, nor for a slot: what was not sent is pending', async () => {
    const { baseUrl, requests } = await startTinyServer(() =>
      rejects(429, 'later', null, { 'retry-after': '100' }),
    );
    const drain = new AbortController();
    const clock = stillClock(0);
    const model = modelAt(baseUrl, { concurrency: 1 }, { clock, meter: meterOf(drain.signal) });
    const retry = model.chat(plainRequest, neverAborted);
    await expect.poll(() => requests).toHaveLength(1);
    setTimeout(() => drain.abort(halted), 20);
    await expect(retry).rejects.toBe(halted);
    await expect(model.chat(plainRequest, neverAborted)).rejects.toBe(halted);
    expect(requests).toHaveLength(1);
  });

  test('is still given the answer to what is in flight', async () => {
    const drain = new AbortController();
    const { baseUrl } = await startTinyServer(async () => {
      drain.abort(halted);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return says('done');
    });
    const model = modelAt(baseUrl, { concurrency: 1 }, { meter: meterOf(drain.signal) });
    const waits = model.chat(plainRequest, neverAborted);
    const waitsForSlot = model.chat(plainRequest, neverAborted);
    await expect(waitsForSlot).rejects.toBe(halted);
    expect((await waits).content).toBe('done');
  });
});

test('a spending log that can not be written is no fault of the endpoint', async () => {
  const { baseUrl, requests } = await startTinyServer(() => says('done'));
  const full = new UserError('the disk is full');
  const meter: CallMeter = { drain: neverAborted, admit: () => Promise.reject(full) };
  await expect(modelAt(baseUrl, {}, { meter }).chat(plainRequest, neverAborted)).rejects.toBe(full);
  expect(requests).toHaveLength(0);
});

describe('a pool', () => {
  const endpoint = { ...endpointConfigSchema.parse({ max_retries: 1 }), base_url: 'http://unused.example' };

  function pooled(...baseUrls: string[]) {
    const clock = stillClock();
    const members = baseUrls.map((baseUrl, n) => poolMember({ baseUrl, apiKey: `sk-key-number-${n}` }));
    const capabilities = createEndpointRegistry().capabilitiesFor(endpoint, 'tiny');
    return createChatModel({
      model: 'tiny',
      endpoint,
      pool: createEndpointPools(clock)(members),
      clock,
      capabilities,
    });
  }

  test.each([
    ['a wrong key', rejects(401, 'Incorrect API key')],
    ['an empty account', rejects(429, 'pay', 'insufficient_quota')],
    ['500', rejects(500, 'oops')],
  ])('%s at one member is made good by the other', async (_, fault) => {
    const bad = await startTinyServer(() => fault);
    const good = await startTinyServer(() => says('done'));
    const model = pooled(bad.baseUrl, good.baseUrl);
    for (let n = 0; n < 6; n++) {
      expect((await model.chat(plainRequest, neverAborted)).content).toBe('done');
    }
    expect(good.requests[0]!.headers.authorization).toBe('Bearer sk-key-number-1');
  });

  test('a wrong key at every member is the failure of the record, and each was asked', async () => {
    const [one, other] = [
      await startTinyServer(() => rejects(401, 'no')),
      await startTinyServer(() => rejects(401, 'no')),
    ];
    const failure = await failureOfCall(pooled(one.baseUrl, other.baseUrl).chat(plainRequest, neverAborted));
    expect(failure.cause).toBe('endpoint_rejected');
    expect([one.requests.length, other.requests.length]).toEqual([1, 1]);
  });
});

test('an endpoint that is away for a while costs no request its retries', async () => {
  const { baseUrl } = await startTinyServer((_, count) =>
    count < 10 ? rejects(503, 'starting') : says('done'),
  );
  const model = modelAt(baseUrl, { max_retries: 6, concurrency: 1 });
  expect((await model.chat(plainRequest, neverAborted)).content).toBe('done');
});
