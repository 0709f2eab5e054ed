import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../../../base/json.ts';
import { stopListening } from '../../../contract/serverRules.ts';
import { closesWithTest } from '../../support/closesWithTest.ts';

/** What a tiny server does with a request. */
export type TinyAnswer =
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly body: string | JsonObject;
    }
  | 'cut'
  | 'hang'
  | 'stall';

export interface TinyRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
}

/** An HTTP server of a few lines that answers as a test says, remembers what it was asked and ends with the test. */
export async function startTinyServer(
  answer: (request: TinyRequest, count: number) => TinyAnswer | Promise<TinyAnswer>,
) {
  const requests: TinyRequest[] = [];
  const load = { now: 0, most: 0 };
  const server = createServer(async (request, response) => {
    load.now += 1;
    load.most = Math.max(load.most, load.now);
    response.on('close', () => {
      load.now -= 1;
    });
    const body = JSON.parse((await text(request)) || '{}');
    const seen = { path: request.url ?? '', headers: request.headers, body };
    requests.push(seen);
    const given = await answer(seen, requests.length - 1);
    if (given === 'hang') return;
    if (given === 'stall') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"choices": [');
      return;
    }
    if (given === 'cut') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"choices": [', () => response.destroy());
      return;
    }
    const json = typeof given.body !== 'string';
    response.writeHead(given.status ?? 200, {
      'content-type': json ? 'application/json' : 'text/html',
      ...given.headers,
    });
    response.end(json ? JSON.stringify(given.body) : given.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return closesWithTest({ baseUrl, requests, load, close: () => stopListening(server) });
}

const usageOfOne: JsonObject = {
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 40 },
};

/** A chat completion that says a text. */
export function says(
  content: string | null,
  more: JsonObject = {},
  choice: JsonObject = {},
  usage = usageOfOne,
): TinyAnswer {
  const message = { role: 'assistant', content, ...more };
  const choices = [{ index: 0, message, finish_reason: 'stop', ...choice }];
  return {
    body: { id: 'chatcmpl-1', object: 'chat.completion', model: 'tiny-1', choices, usage },
  };
}

/** An error in OpenAI's shape. */
export function rejects(
  status: number,
  message: string,
  code: string | null = null,
  headers: Record<string, string> = {},
): TinyAnswer {
  return { status, headers, body: { error: { message, type: 'invalid_request_error', param: null, code } } };
}
