import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { safeParseJson } from '../../base/json.ts';
import { readUpTo } from '../../base/readUpTo.ts';
import {
  LOOPBACK,
  RECEIVE_TIMEOUT_MS,
  receiveLimits,
  startListening,
  stopListening,
} from '../../contract/serverRules.ts';
import { serperRequestSchema } from '../webSearch/cleanResults.ts';
import { createSiteSearch, readSite, type SitePage, type SiteSearch } from './openSiteSearch.ts';

export interface SiteServerOptions {
  /** HTML pages; read once, at the start. */
  readonly folder: string;
  /** Host name in the links of search results. */
  readonly host: string;
  /** Port on the loopback; default: 0, any free one. */
  readonly port?: number;
  /** Logs pages that no search finds. */
  readonly log?: (line: string) => void;
}

/** A running site server. */
export interface SiteServer {
  /** `http://127.0.0.1:PORT` */
  readonly baseUrl: string;
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

const MAX_REQUEST_BYTES = 64 * 1024;

/**
 * Serves the HTML pages of a folder over HTTP on the loopback, whatever the `Host` header: `GET /<file>`, `POST
 * /search` in Serper's shape over the same pages, `GET /health`. Only pages found at the start are served, so no path
 * leads out of the folder.
 *
 * Throws `UserError` if the folder is unreadable or has no page.
 */
export async function startSiteServer({
  folder,
  host,
  port = 0,
  log = () => {},
}: SiteServerOptions): Promise<SiteServer> {
  const pages = await readSite(folder, log);
  const search = createSiteSearch(pages, host);
  // `Request` and `Response` stay Node's own for the rest of the process.
  const listener = getRequestListener(siteApp(pages, search).fetch, { overrideGlobalObjects: false });
  const server = createServer(receiveLimits(RECEIVE_TIMEOUT_MS), listener);
  const refusal = (why: string) => `tools.site can't be served on ${LOOPBACK}, port ${port}: ${why}`;
  const { port: bound } = await startListening(server, { port }, refusal);
  return {
    baseUrl: `http://${LOOPBACK}:${bound}`,
    address: LOOPBACK,
    port: bound,
    close: async () => {
      await stopListening(server);
      search.close();
    },
  };
}

function siteApp(pages: readonly SitePage[], search: SiteSearch): Hono {
  const byPath = new Map(pages.map((page) => [`/${page.file}`, page]));
  const app = new Hono();
  app.post('/search', (context) => answerSearch(context, search));
  app.all('/search', (context) => refuse(context, 405, 'use POST'));
  app.get('/health', (context) => context.json({ status: 'ok', pages: pages.length }));
  app.get('*', (context) => {
    const path = decodedPath(context.req.url);
    const page = byPath.get(path === '/' ? '/index.html' : (path ?? ''));
    return page ? context.html(page.html) : context.html('<h1>Not found</h1>', 404);
  });
  app.all('*', (context) => refuse(context, 405, 'use GET'));
  return app;
}

/** Undefined for a path that cannot be decoded. */
function decodedPath(url: string): string | undefined {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    return undefined;
  }
}

async function answerSearch(context: Context, search: SiteSearch): Promise<Response> {
  const { bytes, cut } = await readUpTo(context.req.raw.body ?? [], MAX_REQUEST_BYTES);
  if (cut) return refuse(context, 413, `the request is longer than ${MAX_REQUEST_BYTES} bytes`);
  const parsed = safeParseJson(bytes.toString('utf8'));
  if (!parsed.ok) return refuse(context, 400, `not JSON: ${parsed.error}`);
  const request = serperRequestSchema.safeParse(parsed.value);
  if (!request.success) return refuse(context, 400, 'expected {"q": text, "num"?: 1 to 100}');
  const { q, num } = request.data;
  return context.json({ searchParameters: { q, num }, organic: search.search(request.data) });
}

function refuse(context: Context, status: 400 | 405 | 413, message: string): Response {
  return context.json({ message, statusCode: status }, status);
}
