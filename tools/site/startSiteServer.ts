import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { safeParseJson } from '../../base/json.ts';
import { RECEIVE_TIMEOUT_MS, receiveLimits } from '../../contract/serverRules.ts';
import { serperRequestSchema } from '../webSearch/cleanResults.ts';
import { createSiteSearch, readSite, type SitePage, type SiteSearch } from './openSiteSearch.ts';

export interface SiteServerOptions {
  /** HTML pages; read once, at the start. */
  readonly folder: string;
  /** Host name in the links of search results. */
  readonly host: string;
  /** On the loopback; 0, the default, takes a free one. */
  readonly port?: number;
}

/** A running site server. */
export interface SiteServer {
  /** `http://127.0.0.1:PORT` */
  readonly baseUrl: string;
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const MAX_REQUEST_BYTES = 64 * 1024;

/** Any text is answered in one of these ways. */
interface Reply {
  readonly status: number;
  readonly type: 'text/html; charset=utf-8' | 'application/json';
  readonly body: string;
}

/**
 * Serves the HTML pages of a folder over HTTP on the loopback, whatever the `Host` header says: `GET /<file>`,
 * `POST /search` in Serper's shape over the same pages, `GET /health`. Only pages that were found at the start can
 * be had, so no path leads out of the folder.
 *
 * Throws `UserError` when the folder can't be read or holds no page.
 */
export async function startSiteServer({ folder, host, port = 0 }: SiteServerOptions): Promise<SiteServer> {
  const pages = await readSite(folder);
  const search = createSiteSearch(pages, host);
  const byPath = new Map(pages.map((page) => [`/${page.file}`, page]));
  const server = createServer(receiveLimits(RECEIVE_TIMEOUT_MS), (request, response) => {
    answer(request, byPath, search).then(
      (reply) => send(request, response, reply),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${LOOPBACK}:${bound}`,
    address: LOOPBACK,
    port: bound,
    close: async () => {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      search.close();
    },
  };
}

async function answer(
  request: IncomingMessage,
  pages: ReadonlyMap<string, SitePage>,
  search: SiteSearch,
): Promise<Reply> {
  const path = pathOf(request);
  if (path === '/search') {
    return request.method === 'POST'
      ? answerSearch(await readBody(request), search)
      : refuse(405, 'use POST');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(405, 'use GET');
  if (path === '/health') return json(200, { status: 'ok', pages: pages.size });
  const page = path === undefined ? undefined : pages.get(path === '/' ? '/index.html' : path);
  if (!page) return { status: 404, type: 'text/html; charset=utf-8', body: '<h1>Not found</h1>' };
  return { status: 200, type: 'text/html; charset=utf-8', body: page.html };
}

/** The decoded path, or undefined when it can't be decoded. */
function pathOf(request: IncomingMessage): string | undefined {
  try {
    return decodeURIComponent((request.url ?? '/').split('?', 1)[0]!);
  } catch {
    return undefined;
  }
}

function answerSearch(body: string | undefined, search: SiteSearch): Reply {
  if (body === undefined) return refuse(413, `the request is longer than ${MAX_REQUEST_BYTES} bytes`);
  const parsed = safeParseJson(body);
  if (!parsed.ok) return refuse(400, `not JSON: ${parsed.error}`);
  const request = serperRequestSchema.safeParse(parsed.value);
  if (!request.success) return refuse(400, 'expected {"q": text, "num"?: 1 to 100}');
  const { q, num } = request.data;
  return json(200, { searchParameters: { q, num }, organic: search.search(request.data) });
}

/** The request's body, or undefined when it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_REQUEST_BYTES) chunks.push(chunk);
  }
  return bytes > MAX_REQUEST_BYTES ? undefined : Buffer.concat(chunks).toString('utf8');
}

function json(status: number, value: unknown): Reply {
  return { status, type: 'application/json', body: JSON.stringify(value) };
}

function refuse(status: number, message: string): Reply {
  return json(status, { message, statusCode: status });
}

function send(request: IncomingMessage, response: ServerResponse, { status, type, body }: Reply): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(request.method === 'HEAD' ? undefined : body);
}
