import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startScriptedServer } from '../../../teachers/scripted/startScriptedServer.ts';
import { serveOverHttp } from '../../../tools/mcp/serveTools.ts';
import { startEnvironment } from '../../operations/rl/support/startEnvironment.ts';
import { echo, serve } from './support/serve.ts';

const RECEIVE_TIMEOUT_MS = 2000;
const urls = new Map<string, URL>();
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const mcp = await serveOverHttp(
    () => new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } }),
    0,
    RECEIVE_TIMEOUT_MS,
  );
  const teacher = await startScriptedServer({ script: { find: () => undefined } });
  closing.push(mcp.close, teacher.close);
  urls.set('serve mcp', new URL(mcp.url)).set('serve teacher', new URL(`${teacher.baseUrl}/models`));
});
afterAll(() => Promise.all(closing.map((close) => close())));

/** What comes until the connection is closed by the server. */
async function answerTo(port: string, ...lines: string[]): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(lines.join('\r\n'));
  return text(socket);
}

/** A server that ends with the test. */
async function started(name: string): Promise<string> {
  if (name === 'serve rl') return (await startEnvironment()).url;
  return (await serve(echo(), { receiveTimeoutMs: RECEIVE_TIMEOUT_MS })).server.url;
}

describe.each([
  ['serve mcp', 'POST /mcp HTTP/1.1'],
  ['serve teacher', 'GET /v1/models HTTP/1.1'],
  ['serve tools', 'POST /echo HTTP/1.1'],
  ['serve rl', 'POST /v1/next HTTP/1.1'],
])('%s', (name, line) => {
  const portOf = async () => urls.get(name)?.port ?? new URL(await started(name)).port;
  const send = async (...headers: string[]) => {
    const port = await portOf();
    const end = ['content-type: application/json', 'content-length: 2', 'connection: close', '', '{}'];
    return answerTo(port, line, ...headers.map((header) => header.replace('PORT', port)), ...end);
  };

  test('answers 400 to two hosts', async () => {
    expect(await send('Host: localhost:PORT', 'HOST: evil.example')).toMatch(
      /^HTTP\/1.1 400 .*expected one Host header/s,
    );
    expect(await send('Host: 127.0.0.1:PORT')).not.toMatch(/expected one Host/);
  });

  test.each([
    'http://localhost:3000',
    'http://127.0.0.1:PORT',
    'http://[::1]',
    'https://evil.example',
    'null',
    '',
  ])('answers no page in a browser, whatever its origin: %j', async (origin) => {
    expect(await send('Host: localhost:PORT', `Origin: ${origin}`)).toMatch(/^HTTP\/1.1 403 /);
  });
});

const json = ['content-type: application/json', 'accept: application/json, text/event-stream'];

test.each([
  ['half of a body', ['POST /mcp HTTP/1.1', 'Host: localhost', ...json, 'content-length: 100', '', '{"jso']],
  ['half of a head', ['POST /mcp HTTP/1.1', 'Host: local']],
])('%s is cut off with 408', async (_name, lines) => {
  expect(await answerTo(urls.get('serve mcp')!.port, ...lines)).toMatch(
    /^HTTP\/1.1 408 .*did not come within 2 s/s,
  );
});
