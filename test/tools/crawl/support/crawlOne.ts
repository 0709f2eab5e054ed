import type { IncomingMessage, RequestListener } from 'node:http';
import type { ReadPage } from '../../../../tools/crawlPage/createPageService.ts';
import { openPages, type PageLimits } from '../../support/openPages.ts';
import { type HttpServer, startHttpServer } from '../../support/startHttpServer.ts';

/** A server, reading of its pages, and the requests that it got. */
export interface Crawler {
  readonly server: HttpServer;
  readonly requests: readonly IncomingMessage[];
  read(...paths: string[]): Promise<readonly ReadPage[]>;
  /** The requests' paths. */
  asked(): (string | undefined)[];
}

/** A service that may read a server of the test's own. */
export async function politeCrawler(listener: RequestListener, limits: PageLimits = {}): Promise<Crawler> {
  const requests: IncomingMessage[] = [];
  const server = await startHttpServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  const host = { kind: 'host', host: '127.0.0.1', port: server.port } as const;
  const pages = openPages({ allowedHosts: [host], ...limits });
  const { signal } = new AbortController();
  return {
    server,
    requests,
    read: (...paths) =>
      pages.read(
        paths.map((path) => server.baseUrl + path),
        signal,
      ),
    asked: () => requests.map(({ url }) => url),
  };
}

/** Reads one page of a server of the test's own. */
export async function crawlOne(listener: RequestListener, limits: PageLimits = {}): Promise<ReadPage> {
  const { read } = await politeCrawler(listener, { robots: 'ignore', ...limits });
  return (await read('/'))[0]!;
}

/** Answers everything with a page. */
export function page(
  body: string | Uint8Array,
  type = 'text/plain',
  headers: Record<string, string> = {},
): RequestListener {
  return (_request, response) => void response.writeHead(200, { 'content-type': type, ...headers }).end(body);
}
