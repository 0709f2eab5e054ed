import type { RequestListener } from 'node:http';
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

/** A server of the test's own, and reading of its pages, which is allowed by name. */
export async function crawler(
  listener: RequestListener,
  limits: PageLimits = {},
): Promise<{ readonly server: HttpServer; readonly read: (path: string) => Promise<ReadPage> }> {
  const server = await startHttpServer(listener);
  const host = { kind: 'host', host: '127.0.0.1', port: server.port } as const;
  const pages = openPages({ allowedHosts: [host], robots: 'ignore', ...limits });
  opened.push(server, pages);
  const { signal } = new AbortController();
  return { server, read: async (path) => (await pages.read([server.baseUrl + path], signal))[0]! };
}

/** Reads one page of a server of the test's own. */
export async function crawlOne(listener: RequestListener, limits: PageLimits = {}): Promise<ReadPage> {
  return (await crawler(listener, limits)).read('/');
}

/** Answers everything with a page. */
export function page(
  body: string | Uint8Array,
  type: string,
  headers: Record<string, string> = {},
): RequestListener {
  return (_request, response) => void response.writeHead(200, { 'content-type': type, ...headers }).end(body);
}
