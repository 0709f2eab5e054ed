import { type Dispatcher, fetch } from 'undici';
import { readUpTo } from '../../base/readUpTo.ts';

/** Result of one request: the page, a failure, or a redirect. */
export type AskedPage = FetchedPage | { readonly kind: 'elsewhere'; readonly location: string };

export interface AskOptions {
  readonly dispatcher: Dispatcher;
  readonly maxBytes: number;
  readonly userAgent: string;
  /** Further headers by lower-case name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Makes one request, without redirects and cookies.
 * @throws what the connection throws, the signal's reason
 */
export async function askForPage(
  url: URL,
  { dispatcher, maxBytes, userAgent, headers: more }: AskOptions,
  signal: AbortSignal,
): Promise<{ readonly page: AskedPage; readonly retryAfter: string | undefined }> {
  const headers = { 'user-agent': userAgent, accept: '*/*', ...more };
  const response = await fetch(url, { dispatcher, headers, redirect: 'manual', signal });
  const { status, body } = response;
  const retryAfter = response.headers.get('retry-after') ?? undefined;
  const location = REDIRECTS.has(status) ? response.headers.get('location') : null;
  if (location === null && response.ok) {
    const contentType = response.headers.get('content-type') ?? '';
    // Limit of the unpacked body: a small answer may expand.
    const read = await readUpTo(body ?? [], maxBytes);
    return { page: { kind: 'page', url, contentType, ...read }, retryAfter };
  }
  await body?.cancel();
  if (location !== null) return { page: { kind: 'elsewhere', location }, retryAfter };
  const reason = `HTTP status ${status}`;
  return { page: { kind: 'inaccessible', reason, url, service: status >= 500, status }, retryAfter };
}

/** Bytes of a page, or the reason for none. `service` failures are those of the connection or the server itself. */
export type FetchedPage =
  | {
      readonly kind: 'page';
      /** URL after redirects. */
      readonly url: URL;
      readonly contentType: string;
      readonly bytes: Uint8Array;
      /** True if the page exceeds the limit. */
      readonly cut: boolean;
    }
  | InaccessiblePage;

/** Reason why a page is unavailable, worded to follow "not accessible:". */
interface InaccessiblePage {
  readonly kind: 'inaccessible';
  readonly reason: string;
  readonly url: URL;
  readonly service: boolean;
  /** HTTP status of the answer, if any. */
  readonly status?: number;
}
