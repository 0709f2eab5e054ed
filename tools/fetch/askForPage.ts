import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ACCEPTED_CODINGS } from './contentCodings.ts';
import type { FetchedPage } from './fetchedPage.ts';
import { readBody } from './readBody.ts';

/** What one request came to: the page, why there is none, or where it is instead. */
export type AskedPage = FetchedPage | { readonly kind: 'elsewhere'; readonly location: string };

/** How one request is made. */
export interface AskOptions {
  readonly dispatcher: Dispatcher;
  readonly maxBytes: number;
  readonly idleTimeoutMs: number;
  readonly userAgent: string;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Makes one request. It follows no redirect and keeps no cookie.
 *
 * @throws what the connection or `readBody` throws, the signal's reason
 */
export async function askForPage(
  url: URL,
  { dispatcher, maxBytes, idleTimeoutMs, userAgent }: AskOptions,
  signal: AbortSignal,
): Promise<{ readonly page: AskedPage; readonly retryAfter: string | undefined }> {
  const { statusCode, headers, body } = await dispatcher.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': ACCEPTED_CODINGS },
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
    signal,
  });
  const retryAfter = textOf(headers, 'retry-after');
  const location = REDIRECTS.has(statusCode) ? textOf(headers, 'location') : undefined;
  if (location === undefined && statusCode >= 200 && statusCode < 300) {
    const encoding = textOf(headers, 'content-encoding') ?? '';
    const read = await readBody(body, encoding, maxBytes, signal);
    const contentType = textOf(headers, 'content-type') ?? '';
    return { page: { kind: 'page', url, contentType, ...read }, retryAfter };
  }
  // Nobody reads the rest; destroyed before its end, a body reports an error.
  body.on('error', () => undefined).destroy();
  if (location !== undefined) return { page: { kind: 'elsewhere', location }, retryAfter };
  const reason = `HTTP status ${statusCode}`;
  const service = statusCode >= 500;
  return { page: { kind: 'inaccessible', reason, url, service, status: statusCode }, retryAfter };
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
