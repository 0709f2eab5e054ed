import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { sha256Hex } from '../../../base/ids.ts';
import { startHttpServer } from '../../tools/support/startHttpServer.ts';

/** What can go wrong with a request, as a proxy in front of a good endpoint can make it go wrong. */
export const faultNames = [
  '429',
  '429 with Retry-After in seconds',
  '429 with Retry-After as a date',
  '500',
  '503',
  'connection reset',
  'body cut in the middle',
  'body that stalls',
  'no answer at all',
  'empty body',
  'HTML instead of JSON',
  'JSON that breaks off',
  'answer to another request',
  'usage missing',
  'malformed tool-call JSON',
  'finish_reason length',
  'finish_reason content_filter',
] as const;
/** See {@link faultNames}. */
export type FaultName = (typeof faultNames)[number];

/** How often which fault comes. */
export type FaultRates = Readonly<Partial<Record<FaultName, number>>>;

/** A proxy that is running. */
export interface FaultyProxy {
  readonly baseUrl: string;
  /** Requests for completions, and how many of them went wrong. */
  readonly counts: { requests: number; faults: number };
  close(): Promise<void>;
}

/**
 * Starts a proxy in front of an OpenAI-compatible server. What goes wrong is decided by the seed, a request's body and
 * how often it came before, so that the order of requests does not matter.
 */
export async function startFaultyProxy(
  upstream: string,
  rates: FaultRates,
  seed: number,
): Promise<FaultyProxy> {
  const seen = new Map<string, number>();
  const counts = { requests: 0, faults: 0 };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const isChat = request.url?.endsWith('/chat/completions') === true;
    const nth = seen.get(body) ?? 0;
    seen.set(body, nth + 1);
    const fault = isChat ? pickFault(rates, `${seed}:${nth}:${body}`) : undefined;
    if (isChat) counts.requests += 1;
    if (fault) counts.faults += 1;
    if (fault && misbehave[fault]) return misbehave[fault](response);
    const path = request.url?.replace(/^\/v1/, '') ?? '';
    const answer = await fetch(`${upstream}${path}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json' },
      ...(isChat && { body }),
    });
    const json = await answer.text();
    const id = fault === 'answer to another request' ? 'another' : request.headers['x-client-request-id'];
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      ...(id && { 'x-client-request-id': id }),
    });
    response.end(fault && alterations[fault] ? alterations[fault](json) : json);
  }

  const { baseUrl, close } = await startHttpServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return { baseUrl: `${baseUrl}/v1`, counts, close };
}

function pickFault(rates: FaultRates, key: string): FaultName | undefined {
  let fraction = Number.parseInt(sha256Hex(key).slice(0, 12), 16) / 2 ** 48;
  for (const name of faultNames) {
    fraction -= rates[name] ?? 0;
    if (fraction < 0) return name;
  }
  return undefined;
}

type Misbehaviour = (response: ServerResponse) => void;

function refuse(status: number, headers: () => Record<string, string> = () => ({})): Misbehaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers() });
    response.end(JSON.stringify({ error: { message: 'not now', type: 'server_error', code: null } }));
  };
}

function say(body: string, type = 'application/json'): Misbehaviour {
  return (response) => response.writeHead(200, { 'content-type': type }).end(body);
}

/** Faults for which the endpoint is not asked. */
const misbehave: Partial<Record<FaultName, Misbehaviour>> = {
  '429': refuse(429),
  '429 with Retry-After in seconds': refuse(429, () => ({ 'retry-after': '2' })),
  '429 with Retry-After as a date': refuse(429, () => ({
    'retry-after': new Date(Date.now() + 2000).toUTCString(),
  })),
  '500': refuse(500),
  '503': refuse(503),
  'connection reset': (response) => response.socket?.resetAndDestroy(),
  'body cut in the middle': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
    response.write('{"choices": [', () => response.destroy());
  },
  'body that stalls': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"choices": [');
  },
  'no answer at all': () => {},
  'empty body': say(''),
  'HTML instead of JSON': say('<!doctype html><title>Sign in</title>', 'text/html'),
  'JSON that breaks off': say('{"id": "chatcmpl-1", "choices": [{"message": {"content": "half'),
};

/** Faults that are made of the endpoint's answer. */
const alterations: Partial<Record<FaultName, (json: string) => string>> = {
  'answer to another request': (json) => json,
  'usage missing': (json) => JSON.stringify({ ...JSON.parse(json), usage: undefined }),
  'malformed tool-call JSON': (json) => json.replaceAll('"arguments":"{', '"arguments":"{{'),
  'finish_reason length': (json) => withFinishReason(json, 'length'),
  'finish_reason content_filter': (json) => withFinishReason(json, 'content_filter'),
};

function withFinishReason(json: string, finish_reason: string): string {
  const completion = JSON.parse(json);
  const choices = completion.choices?.map((choice: object) => ({ ...choice, finish_reason }));
  return JSON.stringify({ ...completion, choices });
}
