import type { IncomingMessage, RequestListener } from 'node:http';
import { afterEach } from 'vitest';
import type { ReadPage } from '../../../../tools/crawlPage/createPageService.ts';
import { openPages, type PageLimits } from '../../support/openPages.ts';
import { type HttpServer, startHttpServer } from '../../support/startHttpServer.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

/** Closes something when the test has ended. */
export function closeAfterwards(one: { close(): Promise<void> }): void {
  opened.push(one);
}

/** A server, reading of its pages, and the requests that it got. */
export interface PoliteCrawler {
  readonly server: HttpServer;
  readonly requests: readonly IncomingMessage[];
  read(...paths: string[]): Promise<readonly ReadPage[]>;
  /** The requests' paths. */
  asked(): (string | undefined)[];
}

/** A service that may read a server of the test's own. */
export async function politeCrawler(
  listener: RequestListener,
  limits: PageLimits = {},
): Promise<PoliteCrawler> {
  const requests: IncomingMessage[] = [];
  const server = await startHttpServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  const host = { kind: 'host', host: '127.0.0.1', port: server.port } as const;
  const pages = openPages({ allowedHosts: [host], ...limits });
  opened.push(server, pages);
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

/** Answers with plain text. */
export function text(body: string): RequestListener {
  return (_request, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).end(body);
}
