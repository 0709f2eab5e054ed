import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { requestLine } from '../../../tools/servers/createToolApp.ts';
import { answerOf, postJson } from './support/postJson.ts';
import { rawRequest } from './support/rawRequest.ts';
import { echo, serve } from './support/serve.ts';

const KEY = 'sk-key-of-the-test-7';

describe('what a server answers besides its endpoint', () => {
  test('health and what it is', async () => {
    const { server } = await serve(echo());
    expect(await answerOf(await fetch(`${server.baseUrl}/health`))).toMatchObject({
      status: 200,
      json: { status: 'healthy', service: 'echo', in_flight: 0 },
    });
    expect((await answerOf(await fetch(server.baseUrl))).json).toMatchObject({
      service: 'echo',
      endpoints: ['POST /echo', 'GET /health'],
    });
    const head = await fetch(`${server.baseUrl}/health`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test.each([
    ['GET', '/echo', 405, 'POST'],
    ['PUT', '/echo', 405, 'POST'],
    ['OPTIONS', '/echo', 405, 'POST'],
    ['POST', '/health', 405, 'GET'],
    ['DELETE', '/', 405, 'GET'],
    ['POST', '/nothing', 404, null],
    ['GET', '/echo/more', 404, null],
    ['POST', '/%ff%00', 404, null],
    ['GET', '/../../etc/passwd', 404, null],
  ])('%s %s is answered %i with JSON', async (method, path, status, allow) => {
    const { server } = await serve(echo());
    const answer = await answerOf(await fetch(`${server.baseUrl}${path}`, { method }));
    expect(answer).toMatchObject({ status, json: { status, message: expect.any(String) } });
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });
});

describe('the id of a request', () => {
  test.each([
    ['agent-7:call.3', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['two words', false],
    ['<script>', false],
  ])('%s', async (given, isKept) => {
    const { server, logged } = await serve(echo());
    const { headers } = await postJson(server.url, {}, { 'x-request-id': given });
    const id = headers.get('x-request-id');
    expect(id === given).toBe(isKept);
    expect(id).toMatch(/^[\w.:-]{1,128}$/);
    expect(logged).toMatchObject([{ id, server: 'echo', method: 'POST', path: '/echo', status: 200 }]);
  });
});

describe('a body that is none', () => {
  test.each<[string, unknown, Record<string, string>, number]>([
    ['nothing', '', {}, 400],
    ['no JSON', '{"q": ', {}, 400],
    ['two values', '{} {}', {}, 400],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400],
    ['compressed', gzipSync('{}'), { 'content-encoding': 'gzip' }, 415],
    ['too large', JSON.stringify('x'.repeat(8_000_000)), {}, 413],
  ])('%s', async (_name, body, headers, status) => {
    const { server } = await serve(echo());
    expect(await postJson(server.url, body, headers)).toMatchObject({
      status,
      json: { message: expect.any(String) },
    });
    expect((await postJson(server.url, {})).status).toBe(200);
  });

  test('one that is too large is not read to its end, whether it says its size or not', async () => {
    const { server } = await serve(echo());
    const head = 'POST /echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\n';
    const said = await rawRequest(server.url, `${head}Content-Length: 9999999999\r\n\r\n`, 'x'.repeat(1000));
    expect(said).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `${(5_000_000).toString(16)}\r\n${'x'.repeat(5_000_000)}\r\n`;
    const chunked = await rawRequest(server.url, `${head}Transfer-Encoding: chunked\r\n\r\n`, chunk, chunk);
    expect(chunked).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('just as large as may be is taken, whatever its type is called', async () => {
    const { server } = await serve(echo());
    const body = JSON.stringify('é'.repeat(3_999_999));
    const answer = await postJson<{ said: string }>(server.url, body, { 'content-type': 'text/plain' });
    expect([answer.status, answer.json.said.length]).toEqual([200, 3_999_999]);
  });

  test.each([
    ['GET http://[bad/ HTTP/1.1\r\nHost: h', 400],
    ['OPTIONS * HTTP/1.1\r\nHost: h', 400],
    ['GET //x/health HTTP/1.1\r\nHost: h', 404],
    ['GET /%zz HTTP/1.1\r\nHost: h', 404],
    ['TRACE /echo HTTP/1.1\r\nHost: h', 405],
    ['GET /health?x=%zz HTTP/1.1\r\nHost: h', 200],
    ['GET http://other/health HTTP/1.1\r\nHost: h', 200],
    ['GET /health HTTP/1.0', 200],
  ])('no request that a client would send: %j', async (head, status) => {
    const { server } = await serve(echo());
    const said = await rawRequest(server.url, `${head}\r\nConnection: close\r\n\r\n`);
    expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(said).not.toMatch(/node:|\.ts/);
    const json = JSON.parse(said.slice(said.indexOf('\r\n\r\n')));
    if (status !== 200) expect(json).toEqual({ status, message: expect.stringMatching(/\w/) });
    expect((await postJson(server.url, {})).status).toBe(200);
  });
});

describe('a key', () => {
  test.each<[string, Record<string, string>, number]>([
    ['as X-API-KEY', { 'x-api-key': KEY }, 200],
    ['as a bearer token', { authorization: `Bearer ${KEY}` }, 200],
    ['right beside an empty one', { 'x-api-key': '', authorization: `bearer ${KEY}` }, 200],
    ['missing', {}, 401],
    ['empty', { 'x-api-key': '' }, 401],
    ['another', { 'x-api-key': `${KEY}x` }, 401],
    ['its beginning', { authorization: `Bearer ${KEY.slice(0, -1)}` }, 401],
    ['of another scheme', { authorization: `Basic ${KEY}` }, 401],
  ])('%s', async (_name, headers, status) => {
    const { server, logged } = await serve(echo(), { apiKey: KEY });
    const answer = await postJson(server.url, { a: 1 }, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
    expect(JSON.stringify([answer.json, logged.map(requestLine)])).not.toContain(KEY.slice(0, -1));
  });

  test('is not asked for where none is set, nor for health', async () => {
    const open = await serve(echo());
    expect((await postJson(open.server.url, {}, { 'x-api-key': 'any' })).status).toBe(200);
    const locked = await serve(echo(), { apiKey: KEY });
    expect((await fetch(`${locked.server.baseUrl}/health`)).status).toBe(200);
    expect((await fetch(`${locked.server.baseUrl}/nothing`)).status).toBe(401);
  });
});

test('a page in a browser is not served, whatever its host name leads to', async () => {
  const { server } = await serve(echo());
  const answer = await postJson(server.url, {}, { origin: 'http://rebound.example' });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});
