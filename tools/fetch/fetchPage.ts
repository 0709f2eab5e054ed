import { type Dispatcher, fetch, type Response } from 'undici';
import { ForbiddenAddress } from './createGuardedDispatcher.ts';

/** A page's bytes, or why there are none. `service` failures are those of the connection or the server itself. */
export type FetchedPage =
  | {
      readonly kind: 'page';
      /** After redirects. */
      readonly url: URL;
      readonly contentType: string;
      readonly bytes: Uint8Array;
      /** True when the page is longer than the limit. */
      readonly cut: boolean;
    }
  | { readonly kind: 'inaccessible'; readonly reason: string; readonly url: URL; readonly service: boolean };

/** Limits of one fetch. */
export interface FetchLimits {
  /** For all redirects and the whole body; then as long again for reading it. */
  readonly timeoutMs: number;
  /** Read of the body, after decompression. */
  readonly maxBytes: number;
}

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Fetches a page. Rejects only with the signal's reason. */
export async function fetchPage(
  address: string,
  limits: FetchLimits,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<FetchedPage> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.timeoutMs)]);
  let url = new URL(address);
  try {
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const response = await fetch(url, { dispatcher, redirect: 'manual', signal: deadline });
      const next = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
      if (next === null) return await readPage(response, url, limits.maxBytes);
      await response.body?.cancel();
      const target = URL.parse(next, url.href);
      if (target?.protocol !== 'http:' && target?.protocol !== 'https:') {
        return { kind: 'inaccessible', reason: 'it redirects to no web page', url, service: false };
      }
      url = target;
    }
    return { kind: 'inaccessible', reason: 'too many redirects', url, service: false };
  } catch (error) {
    signal.throwIfAborted();
    return { kind: 'inaccessible', url, ...reasonOf(error as Error) };
  }
}

async function readPage(response: Response, url: URL, maxBytes: number): Promise<FetchedPage> {
  if (!response.ok) {
    await response.body?.cancel();
    const { status } = response;
    return { kind: 'inaccessible', reason: `HTTP status ${status}`, url, service: status >= 500 };
  }
  const contentType = response.headers.get('content-type') ?? 'text/html';
  const chunks: Uint8Array[] = [];
  let room = maxBytes;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk.subarray(0, room));
    if (chunk.length > room)
      return { kind: 'page', url, contentType, bytes: Buffer.concat(chunks), cut: true };
    room -= chunk.length;
  }
  return { kind: 'page', url, contentType, bytes: Buffer.concat(chunks), cut: false };
}

/** Words without addresses and ports: equal on every machine. */
function reasonOf(error: Error): { readonly reason: string; readonly service: boolean } {
  const cause = error.cause instanceof Error ? error.cause : error;
  if (cause instanceof ForbiddenAddress) return { reason: 'its host has no public address', service: false };
  if (error.name === 'TimeoutError') return { reason: 'timed out', service: true };
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { reason: 'unknown host', service: false };
  return { reason: 'connection failed', service: true };
}
