import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { openSiteSearch } from '../../../tools/site/openSiteSearch.ts';
import type { SerperResult } from '../../../tools/webSearch/cleanResults.ts';

/** The providers that are played. */
export type PlayedProvider = 'serper' | 'searxng' | 'brave' | 'tavily';

/** A provider's API over the pages of a site, on the loopback. */
export interface SearchProviderServer {
  readonly baseUrl: string;
  /** Requests so far, refused ones included. */
  asked(): number;
  close(): Promise<void>;
}

/** What {@link startSearchProvider} plays. */
export interface PlayedSearch {
  readonly provider: PlayedProvider;
  /** Pages that are found. */
  readonly folder: string;
  /** The only key that is taken. */
  readonly key: string;
  /**
   * A status to answer with instead of results. `tries` is how often the query was asked before: a rule by it gives
   * every query the same faults, in whatever order queries come.
   */
  readonly faultOf?: (tries: number) => number | undefined;
}

const headerOf = { serper: 'x-api-key', brave: 'x-subscription-token' } as Partial<
  Record<PlayedProvider, string>
>;
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Starts a provider that ends with the test. */
export async function startSearchProvider(played: PlayedSearch): Promise<SearchProviderServer> {
  const { provider, folder, key, faultOf = () => undefined } = played;
  const site = await openSiteSearch({ folder, host: 'atlas.example' });
  let asked = 0;
  const triesOf = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    asked += 1;
    const send = (status: number, body: unknown) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const given = request.headers[headerOf[provider] ?? 'authorization'];
    if (given !== (headerOf[provider] ? key : `Bearer ${key}`))
      return send(401, { message: `wrong key ${given}` });
    const { q, num } = await readQuery(request);
    const tries = triesOf.get(q) ?? 0;
    triesOf.set(q, tries + 1);
    const fault = faultOf(tries);
    if (fault !== undefined) return send(fault, { message: `fault ${fault}` });
    send(200, written(provider, q, site.search({ q, num })));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    if (!server.listening) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
    site.close();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, asked: () => asked, close };
}

async function readQuery(request: IncomingMessage): Promise<{ q: string; num: number }> {
  if (request.method === 'GET') {
    const { searchParams } = new URL(request.url!, 'http://a.example');
    return { q: searchParams.get('q')!, num: Number(searchParams.get('count') ?? 30) };
  }
  const { q, query, num, max_results } = (await json(request)) as Record<string, never>;
  return { q: q ?? query!, num: num ?? max_results! };
}

/** Results as the provider writes them. */
function written(provider: PlayedProvider, q: string, results: readonly SerperResult[]): unknown {
  switch (provider) {
    case 'serper':
      return { organic: results };
    case 'searxng':
      return {
        query: q,
        results: results.map(({ title, link, snippet, date }) => ({
          title,
          url: link,
          content: snippet,
          publishedDate: date ?? null,
        })),
        unresponsive_engines: [],
      };
    case 'brave':
      return {
        type: 'search',
        ...(results.length > 0 && {
          web: {
            results: results.map(({ title, link, snippet, date, source }) => ({
              title: escaped(title),
              url: link,
              description: `<strong>${escaped(snippet ?? '')}</strong>`,
              ...(date && { page_age: date }),
              ...(source && { profile: { name: source } }),
            })),
          },
        }),
      };
    case 'tavily':
      return {
        query: q,
        results: results.map(({ title, link, snippet, date }) => ({
          title: escaped(title),
          url: link,
          content: escaped(snippet ?? ''),
          score: 0.5,
          ...(date && { published_date: date }),
        })),
        response_time: 0.1,
      };
  }
}
