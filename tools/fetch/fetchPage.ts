import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { RecordFailure } from '../../contract/errors.ts';
import { parseRetryAfterMs } from '../../contract/retryPolicy.ts';
import { type AskedPage, askForPage, type FetchedPage } from './askForPage.ts';
import { reasonOf } from './createGuardedDispatcher.ts';
import type { HostTurns } from './hostTurns.ts';

export interface FetchLimits {
  /** Timeout for all redirects, retries and the whole body; the same again for parsing it. */
  readonly timeoutMs: number;
  /** Maximum bytes of the body, compressed and uncompressed. */
  readonly maxBytes: number;
  /** Default: 5. */
  readonly maxRedirects?: number;
  /** Retries for broken connections and 429, 502, 503 and 504; default: 2. */
  readonly maxRetries?: number;
}

/** Courtesy towards servers, as opposed to limits of ours. */
export interface FetchManners {
  /** Default: `coa-distill`. */
  readonly userAgent?: string;
  /** Further headers by lower-case name, sent with every request, including redirects. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: no waiting. */
  readonly turns?: HostTurns;
  /** Checked before every request, including redirects; returns the reason to refuse it. Default: none. */
  readonly refusalOf?: (url: URL, signal: AbortSignal) => Promise<string | undefined>;
}

/** Default user agent. */
const DEFAULT_USER_AGENT = 'coa-distill';
const DEFAULT_REDIRECTS = 5;
const DEFAULT_RETRIES = 2;
/** Maximum length of a redirect's address, as in servers and browsers. */
const MAX_URL_CHARS = 8_192;

/** Fetches a page. Rejects only with the signal's reason. */
export async function fetchPage(
  address: string,
  limits: FetchLimits,
  dispatcher: Dispatcher,
  signal: AbortSignal,
  manners: FetchManners = {},
): Promise<FetchedPage> {
  const fetching = new PageFetch(limits, dispatcher, signal, manners);
  let url = new URL(address);
  for (let hops = 0; hops <= (limits.maxRedirects ?? DEFAULT_REDIRECTS); hops++) {
    const problem = problemOf(url);
    if (problem !== undefined) return { kind: 'inaccessible', reason: problem, url, service: false };
    const asked = await fetching.ask(url);
    if (asked.kind === 'page' || asked.kind === 'inaccessible') return asked;
    const next = asked.location.length > MAX_URL_CHARS ? null : URL.parse(asked.location, url.href);
    if (next?.protocol !== 'http:' && next?.protocol !== 'https:') {
      return { kind: 'inaccessible', reason: 'it redirects to no web page', url, service: false };
    }
    url = next;
  }
  return { kind: 'inaccessible', reason: 'too many redirects', url, service: false };
}

/** Throws `RecordFailure` (`tool_unavailable`) if the page is missing because our own server failed. */
export function throwOwnFailure(
  tool: string,
  page: FetchedPage,
  ownHosts: { has(host: string): boolean },
): void {
  if (page.kind === 'page' || !page.service || !ownHosts.has(page.url.host)) return;
  const { reason, url } = page;
  const message = `${tool}: the server of ${url.hostname} failed: ${reason}`;
  throw new RecordFailure('tool_unavailable', message, { tool, host: url.hostname, reason });
}

function problemOf({ protocol, username, password }: URL): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:') return 'it is not a web page';
  if (username || password) return 'its address holds a user name or password';
  return undefined;
}

/** Requests of one page, with shared limits. */
class PageFetch {
  readonly #limits: FetchLimits;
  readonly #dispatcher: Dispatcher;
  readonly #signal: AbortSignal;
  readonly #manners: FetchManners;
  readonly #time: TimeBudget;
  #retriesLeft: number;

  constructor(limits: FetchLimits, dispatcher: Dispatcher, signal: AbortSignal, manners: FetchManners) {
    this.#limits = limits;
    this.#dispatcher = dispatcher;
    this.#signal = signal;
    this.#manners = manners;
    this.#time = new TimeBudget(limits.timeoutMs);
    this.#retriesLeft = limits.maxRetries ?? DEFAULT_RETRIES;
  }

  /** Sends a request, with retries while the fault is temporary. */
  async ask(url: URL): Promise<AskedPage> {
    const reason = await this.#manners.refusalOf?.(url, this.#signal);
    if (reason !== undefined) return { kind: 'inaccessible', reason, url, service: false };
    for (let tries = 0; ; tries++) {
      const { page, retryAfter, error } = await this.#attempt(url);
      const waitMs = isPassing(page, error) ? retryWaitMs(tries, retryAfter) : undefined;
      if (waitMs === undefined || this.#retriesLeft === 0 || waitMs >= this.#time.leftMs) return page;
      this.#retriesLeft -= 1;
      await this.#time
        .spend(() => sleep(waitMs, undefined, { signal: this.#signal }))
        .catch(() => {
          this.#signal.throwIfAborted();
        });
    }
  }

  async #attempt(url: URL): Promise<{ page: AskedPage; retryAfter?: string | undefined; error?: Error }> {
    const { turns, userAgent = DEFAULT_USER_AGENT, headers } = this.#manners;
    const { maxBytes } = this.#limits;
    const request = () =>
      this.#time.within(this.#signal, (deadline) =>
        askForPage(url, { dispatcher: this.#dispatcher, maxBytes, userAgent, headers }, deadline),
      );
    try {
      return await (turns ? turns.run(url.host, this.#signal, request) : request());
    } catch (thrown) {
      this.#signal.throwIfAborted();
      const error = causeOf(thrown as Error);
      return { page: { kind: 'inaccessible', url, ...reasonOf(error) }, error };
    }
  }
}

/** Unwraps the cause of a `fetch` error. */
function causeOf(error: Error): Error {
  return error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
}

/** Time budget of a page's own requests; waiting for other pages' requests is free. */
class TimeBudget {
  /** Remaining milliseconds. */
  leftMs: number;

  constructor(totalMs: number) {
    this.leftMs = totalMs;
  }

  /** Runs work under a signal that is aborted at the deadline (`TimeoutError`) or by the caller. */
  within<T>(signal: AbortSignal, work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
    const timeUp = AbortSignal.timeout(Math.max(0, Math.ceil(this.leftMs)));
    return this.spend(() => work(AbortSignal.any([signal, timeUp])));
  }

  /** Runs work and deducts its time. */
  async spend<T>(work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.leftMs -= performance.now() - began;
    }
  }
}

/** Maximum wait before a retry; a server that asks for more is not retried. */
const MAX_WAIT_MS = 5_000;
const FIRST_WAIT_MS = 500;

const PASSING_STATUSES: ReadonlySet<number | undefined> = new Set([429, 502, 503, 504]);
const PASSING_CODES: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** True for a temporary fault: a busy server or a broken connection. */
export function isPassing(page: AskedPage, error: Error | undefined): boolean {
  if (error) return PASSING_CODES.has((error as NodeJS.ErrnoException).code);
  return page.kind === 'inaccessible' && PASSING_STATUSES.has(page.status);
}

/**
 * Milliseconds before the next try: as requested by the server, otherwise increasing. Undefined if the server asks
 * for too much.
 * @param retryAfter - The header, as with {@link parseRetryAfterMs}
 */
export function retryWaitMs(
  tries: number,
  retryAfter: string | undefined,
  now: () => number = Date.now,
): number | undefined {
  const waitMs = parseRetryAfterMs(retryAfter, now()) ?? FIRST_WAIT_MS * 2 ** tries;
  return waitMs > MAX_WAIT_MS ? undefined : waitMs;
}
