import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { ACCEPTED_CODINGS, decode, parseContentCodings } from './contentCodings.ts';

/** What one request came to: the page, why there is none, or where it is instead. */
export type AskedPage = FetchedPage | { readonly kind: 'elsewhere'; readonly location: string };

export interface AskOptions {
  readonly dispatcher: Dispatcher;
  readonly maxBytes: number;
  readonly idleTimeoutMs: number;
  readonly userAgent: string;
  /** Further headers, by lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Makes one request. It follows no redirect and keeps no cookie.
 *
 * @throws what the connection or `readBody` throws, the signal's reason
 */
export async function askForPage(
  url: URL,
  { dispatcher, maxBytes, idleTimeoutMs, userAgent, headers: more }: AskOptions,
  signal: AbortSignal,
): Promise<{ readonly page: AskedPage; readonly retryAfter: string | undefined }> {
  const { statusCode, headers, body } = await dispatcher.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    headers: { 'user-agent': userAgent, accept: '*/*', 'accept-encoding': ACCEPTED_CODINGS, ...more },
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

interface ReadBody {
  readonly bytes: Uint8Array;
  /** True when there is more of it. */
  readonly cut: boolean;
}

/**
 * Reads a body and unpacks it. Neither what comes over the wire, nor what any of its codings unpacks to, is read
 * beyond `maxBytes`, so a small answer can't make a large one of itself.
 *
 * @throws UnreadableCoding
 * @throws the signal's reason, also while unpacking what has long come
 */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadBody> {
  const limit = new ByteLimit(maxBytes, signal);
  let pieces = limit.upTo(body);
  for (const coding of parseContentCodings(contentEncoding).reverse()) {
    pieces = limit.upTo(decode(coding, pieces));
  }
  const read = new Pieces();
  try {
    for await (const piece of pieces) read.add(piece);
  } catch (error) {
    // Where the wire was cut, the end of the coding is missing.
    if (!limit.wasPassed || signal.aborted) throw error;
  }
  return { bytes: read.joined(), cut: limit.wasPassed };
}

/** So many pieces are joined: a server may send a page byte by byte, and a piece takes a hundred bytes of its own. */
const JOINED_PIECES = 1024;

class Pieces {
  readonly #joined: Uint8Array[] = [];
  #last: Uint8Array[] = [];

  add(piece: Uint8Array): void {
    if (this.#last.push(piece) === JOINED_PIECES) this.#joinLast();
  }

  joined(): Uint8Array {
    this.#joinLast();
    return Buffer.concat(this.#joined);
  }

  #joinLast(): void {
    this.#joined.push(Buffer.concat(this.#last));
    this.#last = [];
  }
}

/** Ends each of several streams after so many bytes. */
class ByteLimit {
  wasPassed = false;
  readonly #maxBytes: number;
  readonly #signal: AbortSignal;

  constructor(maxBytes: number, signal: AbortSignal) {
    this.#maxBytes = maxBytes;
    this.#signal = signal;
  }

  async *upTo(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let room = this.#maxBytes;
    for await (const piece of pieces) {
      this.#signal.throwIfAborted();
      if (piece.length > room) {
        this.wasPassed = true;
        yield piece.subarray(0, room);
        return;
      }
      room -= piece.length;
      yield piece;
    }
  }
}

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
  | InaccessiblePage;

/** Why a page can't be had, in words that follow "not accessible:". */
interface InaccessiblePage {
  readonly kind: 'inaccessible';
  readonly reason: string;
  readonly url: URL;
  readonly service: boolean;
  /** The answer's HTTP status, where there was one. */
  readonly status?: number;
}
