import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Usage } from '../../../schemas/chat.ts';
import type { ModelConfig } from '../../../schemas/config/models.ts';
import { tokenCostUsd } from '../../../schemas/tokenCost.ts';
import { startHttpServer } from '../../tools/support/startHttpServer.ts';

/** What an endpoint charged, whatever became of its answers. */
export interface EndpointBooks {
  costUsd: number;
  tokens: number;
  /** Prompt tokens that were charged at the price of cached ones. */
  cachedTokens: number;
  /** Requests that were charged for. */
  requests: number;
}

/** A proxy that charges for what it passes on. */
export interface BillingProxy {
  readonly baseUrl: string;
  readonly books: EndpointBooks;
  close(): Promise<void>;
}

/** Share of the requests that end so; the others are answered. Refusals and errors are not charged, lost answers are. */
export type Endings = Readonly<Partial<Record<keyof typeof usualEndings, number>>>;
const usualEndings = { refused: 0.06, broken: 0.04, cut: 0.04, page: 0.03, hung: 0.01, uncounted: 0.03 };

interface BillingOptions {
  readonly price: NonNullable<ModelConfig['price']>;
  readonly random: () => number;
  readonly endings?: Endings;
  /** Least share of what a request allows that is charged; a report of less than a quarter is not believed. */
  readonly leastShare?: number;
}

/**
 * Starts a proxy in front of an OpenAI-compatible server that charges for each request anything up to what it allows:
 * a token for each byte of its body and an answer of `max_tokens`; a fifth of the requests are charged for all of it.
 */
export async function startBillingProxy(
  upstream: string,
  { price, random, endings = usualEndings, leastShare = 0 }: BillingOptions,
): Promise<BillingProxy> {
  const books: EndpointBooks = { costUsd: 0, tokens: 0, cachedTokens: 0, requests: 0 };

  function charge(body: string): Usage {
    const most = random() < 0.2;
    const share = () => (most ? 1 : Math.max(leastShare, random()));
    const prompt_tokens = Math.ceil(share() * Buffer.byteLength(body));
    const completion_tokens = Math.ceil(share() * Number(JSON.parse(body).max_tokens));
    const usage = { prompt_tokens, completion_tokens, cached_tokens: Math.floor(random() * prompt_tokens) };
    books.costUsd += tokenCostUsd(usage, price);
    books.tokens += prompt_tokens + completion_tokens;
    books.cachedTokens += usage.cached_tokens;
    books.requests += 1;
    return usage;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const headers = { 'content-type': 'application/json' };
    if (request.method !== 'POST') return void response.writeHead(200, headers).end('{"data": []}');
    const ending = pick(endings, random());
    if (ending === 'refused' || ending === 'broken') {
      const error = { message: 'not now', type: 'server_error', code: null };
      response.writeHead(ending === 'refused' ? 429 : 500, headers).end(JSON.stringify({ error }));
      return;
    }
    const usage = charge(body);
    await delay(5 + random() * 20);
    if (ending === 'hung') return;
    if (ending === 'cut') return void response.socket?.resetAndDestroy();
    if (ending === 'page') return void response.writeHead(200).end('<html>gateway</html>');
    const answer = await fetch(`${upstream}/chat/completions`, { method: 'POST', headers, body });
    const completion = (await answer.json()) as object;
    const counted = { ...usage, prompt_tokens_details: { cached_tokens: usage.cached_tokens } };
    const said = { ...completion, usage: ending === 'uncounted' ? undefined : counted };
    response.writeHead(answer.status, headers).end(JSON.stringify(said));
  }

  const { baseUrl, close } = await startHttpServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return { baseUrl: `${baseUrl}/v1`, books, close };
}

function pick(endings: Endings, dice: number): keyof Endings | undefined {
  let left = dice;
  for (const [name, share] of Object.entries(endings)) {
    left -= share;
    if (left < 0) return name as keyof Endings;
  }
  return undefined;
}
