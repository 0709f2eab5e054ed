import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rlErrorSchema, rlScoreAnswerSchema } from '../../rl/records/score.ts';
import { anyBody, deepValues } from '../tools/servers/support/anyBody.ts';
import { postJson } from '../tools/servers/support/postJson.ts';
import { connectTo } from '../tools/servers/support/rawRequest.ts';
import { model, startEnvironment, startRetrieval } from './support/startEnvironment.ts';

const names = ['task_id', 'segments', 'finish_reason', 'end_reason', 'response_tokens', '__proto__'];
const answered = [model('<think>x</think>\n<answer>Zelderhaven</answer>')];
const asked = {
  segments: answered,
  finish_reason: 'stop',
  end_reason: 'answer',
  response_tokens: 1,
  max_response_tokens: 9,
};

describe.each(['/v1/next', '/v1/score'])('%s', (path) => {
  test('says of any body what is wrong with it, and goes on', async () => {
    const { url, score } = await startEnvironment();
    const said = async (sent: string | Uint8Array) => {
      const { status, json } = await postJson(url + path, sent);
      expect([400, 404]).toContain(status);
      expect(rlErrorSchema.parse(json).error.retryable).toBe(false);
      expect(JSON.stringify(json)).not.toMatch(/node_modules|\.ts:\d/);
    };
    await fc.assert(fc.asyncProperty(anyBody(names), said), { numRuns: 200 });
    for (const deep of deepValues) {
      await said(deep);
      await said(`{"task_id":"a","segments":${deep}}`);
    }
    expect(await score(answered)).toMatchObject({ score: 1 });
  });

  test.each([
    '../../../etc/passwd',
    '..\\..\\windows',
    '/etc/passwd\u0000.jsonl',
    '\u0000',
    '\ud800',
    '\u202eqa',
    'ＱＡ',
    '__proto__',
    'constructor',
    '%2e%2e%2f',
    'a'.repeat(1_000_000),
  ])('the id %j is no task', async (task_id) => {
    const { url } = await startEnvironment();
    const { status, json } = await postJson(url + path, { task_id, ...asked });
    expect(status).toBe(404);
    const { cause, message } = rlErrorSchema.parse(json).error;
    expect([cause, message.length < 1000]).toEqual(['unknown_task', true]);
  });

  test.each([
    [413, 'x'.repeat(9_000_000), {}],
    [415, '{}', { 'content-encoding': 'gzip' }],
    [400, '{}', { 'content-type': 'multipart/form-data; boundary=x' }],
    [400, new Uint8Array([0xff, 0xfe]), { 'content-type': 'application/octet-stream' }],
  ] as const)(
    'a body that is refused is answered %i in the shape of errors',
    async (wanted, body, headers) => {
      const { url } = await startEnvironment();
      const { status, json } = await postJson(url + path, body, headers);
      expect(status).toBe(wanted);
      expect(rlErrorSchema.parse(json).error.cause).toBe('bad_request');
    },
  );

  test('right JSON is read whatever its type is called', async () => {
    const { url, idOf } = await startEnvironment();
    const body = { task_id: idOf('qa'), ...asked };
    expect((await postJson(url + path, body, { 'content-type': 'text/plain' })).status).toBe(200);
  });
});

describe('connections', () => {
  test('a thousand that say nothing keep nobody from being served', async () => {
    const { url, score } = await startEnvironment();
    const silent = Array.from({ length: 1000 }, () => connectTo(url));
    try {
      await Promise.all(silent.map((socket) => once(socket, 'connect')));
      expect(await score(answered)).toMatchObject({ score: 1 });
    } finally {
      for (const socket of silent) socket.destroy();
    }
  });

  test('clients that go away in the middle leave nothing in flight', async () => {
    const retrieval = await startRetrieval(() => new Promise(() => {}));
    const { url, idOf, status, score } = await startEnvironment({ retrieval: retrieval.url });
    const leave = new AbortController();
    const body = JSON.stringify({
      task_id: idOf('qa'),
      ...asked,
      segments: [model('<think>x</think>\n<wiki_search>a</wiki_search>')],
    });
    const waiting = Array.from({ length: 50 }, () =>
      fetch(`${url}/v1/next`, { method: 'POST', body, signal: leave.signal }).catch(() => {}),
    );
    await expect.poll(async () => (await status()).in_flight, { timeout: 60_000 }).toBe(50);
    leave.abort();
    await Promise.all(waiting);
    await expect.poll(async () => (await status()).in_flight, { timeout: 60_000 }).toBe(0);
    expect(rlScoreAnswerSchema.parse(await score(answered)).score).toBe(1);
  });
});
