import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import { RecordFailure } from '../../../contract/errors.ts';
import { requestLine } from '../../../tools/servers/createToolApp.ts';
import { RequestGate } from '../../../tools/servers/requestGate.ts';
import { waitUntil } from '../../support/waitUntil.ts';
import { answerOf, postJson } from './support/postJson.ts';
import { connectTo, rawRequest } from './support/rawRequest.ts';
import { echo, serve } from './support/serve.ts';

/** A gate that work waits at. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

describe('more requests than are worked on at once', () => {
  test('are told to come again, and served when they do', async () => {
    const gate = createGate();
    const { server } = await serve(
      echo(() => gate.promise),
      { concurrency: 2 },
    );
    const first = [postJson(server.url, 1), postJson(server.url, 2)];
    await waitUntil('both requests', async () => (await inFlight(server.baseUrl)) === 2);
    const refused = await postJson(server.url, 3);
    expect(refused).toMatchObject({ status: 503, json: { message: expect.stringContaining('try again') } });
    expect(refused.headers.get('retry-after')).toBe('1');
    gate.open();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await postJson(server.url, 3)).status).toBe(200);
  });
});

test('a request whose client is gone already is not worked on', async () => {
  const gate = new RequestGate(1);
  let worked = false;
  const passed = gate.pass({ timeoutMs: 1000, clientGone: AbortSignal.abort() }, async () => {
    worked = true;
  });
  await expect(passed).rejects.toMatchObject({ status: 499 });
  expect([worked, gate.size]).toEqual([false, 0]);
});

describe('work that does not end', () => {
  test('is stopped at the limit, and keeps its place until it has', async () => {
    const gate = createGate();
    let stopped: unknown;
    const { server } = await serve(
      echo(async (signal) => {
        await gate.promise;
        stopped ??= signal.reason;
      }),
      { timeoutMs: 50, concurrency: 1 },
    );
    expect(await postJson(server.url, {})).toMatchObject({
      status: 504,
      json: { message: 'there was no answer within 0.05 s' },
    });
    expect((await postJson(server.url, {})).status).toBe(503);
    gate.open();
    await waitUntil('a free place', async () => (await postJson(server.url, {})).status === 200);
    expect(stopped).toMatchObject({ status: 504 });
  });

  test('is stopped when its client goes away', async () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const { server, logged } = await serve(
      echo((signal) => once(signal, 'abort').then(() => resolve(signal.reason))),
    );
    const client = new AbortController();
    const asked = fetch(server.url, { method: 'POST', body: '{}', signal: client.signal }).catch(
      () => 'gone',
    );
    await waitUntil('the request', async () => (await inFlight(server.baseUrl)) === 1);
    client.abort();
    expect(await asked).toBe('gone');
    expect(await promise).toMatchObject({ status: 499 });
    await waitUntil('the line of the log', () => logged.some(({ status }) => status === 499));
  });
});

describe('slow clients', () => {
  test('that never end their head, or their body, are cut off; others are served meanwhile', async () => {
    const { server } = await serve(echo(), { receiveTimeoutMs: 2000, concurrency: 1 });
    const head = rawRequest(server.url, 'POST /echo HTTP/1.1\r\nHost: h\r\nX-Slow: ');
    expect((await postJson(server.url, {})).status).toBe(200);
    expect(await head).toMatch(/^HTTP\/1\.1 408 /);
    const body = rawRequest(server.url, 'POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n{"a"');
    expect(await body).toMatch(/^(HTTP\/1\.1 4\d\d |$)/);
    // Its place is free again.
    await waitUntil('a free place', async () => (await postJson(server.url, {})).status === 200);
  });

  test('that break off in the middle leave no trace', async () => {
    const { server } = await serve(echo(), { concurrency: 1 });
    for (let n = 0; n < 5; n++) {
      const socket = connectTo(server.url);
      socket.write('POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n{"a"');
      await delay(5);
      socket.destroy();
    }
    await waitUntil('a free place', async () => (await postJson(server.url, {})).status === 200);
  });
});

describe('a failure behind the server', () => {
  const failing = (error: Error) =>
    echo(() => {
      throw error;
    });

  test('of the service is 502 with what it is', async () => {
    const { server, logged } = await serve(
      failing(new RecordFailure('tool_unavailable', 'the index is gone')),
    );
    expect(await postJson(server.url, { q: 'secret question' })).toMatchObject({
      status: 502,
      json: { message: 'the index is gone' },
    });
    const line = requestLine(logged[0]!);
    expect(JSON.parse(line)).toMatchObject({ status: 502, error: 'the index is gone' });
    expect(line).not.toContain('secret question');
  });

  test('that asks to come again says so', async () => {
    const { server } = await serve(failing(new RecordFailure('endpoint_rate_limited', 'slow down')));
    const answer = await postJson(server.url, {});
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  });

  test('of our own is 500 without a word of it; the log has the place', async () => {
    const { server, logged } = await serve(failing(new TypeError('x is undefined at /secret/place')));
    const answer = await postJson(server.url, {});
    expect(answer).toMatchObject({
      status: 500,
      json: { message: 'internal error; the server has logged it' },
    });
    const line = requestLine(logged[0]!);
    expect(line).not.toContain('\n');
    expect(JSON.parse(line).error).toMatch(/^TypeError: x is undefined[\s\S]*serverLimits\.test/);
  });
});

describe('stopping', () => {
  test('answers what is in flight, and takes nothing new', async () => {
    const gate = createGate();
    const { server } = await serve(echo(() => gate.promise));
    const asked = postJson(server.url, { a: 1 });
    await waitUntil('the request', async () => (await inFlight(server.baseUrl)) === 1);
    const closed = server.close(new AbortController().signal);
    await expect(fetch(server.baseUrl)).rejects.toThrow();
    gate.open();
    expect(await asked).toMatchObject({ status: 200, json: { said: { a: 1 } } });
    await closed;
  });

  test.each(['the limit', 'a second signal'])('answers 503 after %s', async (which) => {
    const cut = new AbortController();
    const { server } = await serve(echo(() => new Promise(() => {})));
    const asked = postJson(server.url, {});
    await waitUntil('the request', async () => (await inFlight(server.baseUrl)) === 1);
    const closed = server.close(cut.signal, which === 'the limit' ? 50 : 100_000);
    if (which !== 'the limit') cut.abort();
    const answer = await asked;
    expect(answer).toMatchObject({ status: 503, json: { message: 'the server is being stopped' } });
    expect(answer.headers.get('connection')).toBe('close');
    await closed;
  });

  test('does not wait for idle connections', async () => {
    const { server } = await serve(echo());
    const socket = connectTo(server.url);
    await once(socket, 'connect');
    const ended = once(socket, 'close');
    await server.close(new AbortController().signal, 100_000);
    await ended;
  });
});

test('a port that is taken is the user’s mistake', async () => {
  const { server } = await serve(echo());
  const port = Number(new URL(server.url).port);
  const second = serve(echo(), { port });
  await expect(second).rejects.toThrow(UserError);
  await expect(second).rejects.toThrow(`port ${port}: something else listens there`);
});

test('a host that this machine is not says to choose another host, not another port', async () => {
  const elsewhere = serve(echo(), { host: '192.0.2.1' });
  await expect(elsewhere).rejects.toThrow(UserError);
  await expect(elsewhere).rejects.toThrow(/^echo can't be served on 192\.0\.2\.1, .*--host$/);
});

test('limits of parts of a millisecond are taken', async () => {
  const { server } = await serve(echo(), { receiveTimeoutMs: 10_000.5, timeoutMs: 20_000.25 });
  expect((await postJson(server.url, {})).status).toBe(200);
});

async function inFlight(baseUrl: string): Promise<number> {
  return (await answerOf<{ in_flight: number }>(await fetch(`${baseUrl}/health`))).json.in_flight;
}
