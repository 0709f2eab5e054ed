import type { Dispatcher } from 'undici';
import type { Clock } from '../../base/clock.ts';
import type { AllowedHost } from '../../schemas/config/tools/allowedHost.ts';
import { createAllowedHosts } from '../fetch/allowedHosts.ts';
import type { FetchedPage } from '../fetch/askForPage.ts';
import {
  assertMayConnect,
  createGuardedDispatcher,
  type HostOverride,
  type Resolve,
  reasonOf,
} from '../fetch/createGuardedDispatcher.ts';
import { createRobotsGate, MAX_ROBOTS_BYTES } from '../fetch/createRobotsGate.ts';
import { type FetchLimits, type FetchManners, fetchPage, throwOwnFailure } from '../fetch/fetchPage.ts';
import { HostTurns, type TurnLimits } from '../fetch/hostTurns.ts';
import { createJinaReader, type JinaSettings } from './jinaReader.ts';

/** Options of fetching pages. */
export interface PageFetchOptions {
  readonly fetch: FetchLimits;
  /** Maximum idle time of a server. Default: 15 s. */
  readonly idleTimeoutMs?: number;
  /** Maximum tokens of a page's text. */
  readonly maxTokens: number;
  /** Hosts served by our own server on the loopback. URLs keep the public name. */
  readonly hostOverrides: ReadonlyMap<string, HostOverride>;
  readonly allowedHosts: readonly AllowedHost[];
  /** Reader for pages; without it they are fetched from their own servers. */
  readonly jina?: JinaSettings | undefined;
  readonly turns: TurnLimits;
  readonly robots: 'obey' | 'ignore';
  readonly userAgent: string;
  readonly clock: Clock;
  /** Default: the machine's DNS. */
  readonly resolve?: Resolve;
}

/** Fetches pages directly or through a reader. */
export interface PageFetch {
  /**
   * @throws RecordFailure `tool_unavailable` when our own site or the reader fails
   * @throws the signal's reason
   */
  fetch(url: string, signal: AbortSignal): Promise<FetchedPage>;
  close(): Promise<void>;
}

/** Opens the connections for fetching pages. */
export function createPageFetch(options: PageFetchOptions): PageFetch {
  const { hostOverrides, allowedHosts, jina, resolve } = options;
  const allowed = createAllowedHosts([...allowedHosts, ...hostOf(jina)]);
  // The reader answers after it has read the page.
  const idleTimeoutMs = jina ? options.fetch.timeoutMs : options.idleTimeoutMs;
  const dispatcher = createGuardedDispatcher(hostOverrides, resolve, allowed, idleTimeoutMs);
  const manners = mannersOf(options, dispatcher);
  const throughJina = jinaOf(options, dispatcher);
  return {
    async fetch(url, signal) {
      if (throughJina && !hostOverrides.has(new URL(url).host)) return throughJina(url, signal);
      const fetched = await fetchPage(url, options.fetch, dispatcher, signal, manners);
      throwOwnFailure('crawl_page', fetched, hostOverrides);
      return fetched;
    },
    close: () => dispatcher.destroy(),
  };
}

function mannersOf(options: PageFetchOptions, dispatcher: Dispatcher): FetchManners {
  const { robots, userAgent, fetch, clock } = options;
  const own = new Set(options.hostOverrides.keys());
  const polite = { userAgent, turns: new HostTurns(options.turns, clock, own) };
  if (robots === 'ignore') return polite;
  const robotsLimits = { ...fetch, maxBytes: MAX_ROBOTS_BYTES };
  const refusalOf = createRobotsGate({
    fetchRobots: (address, signal) => fetchPage(address, robotsLimits, dispatcher, signal, polite),
    userAgent,
    clock,
    exempt: own,
  });
  return { ...polite, refusalOf };
}

/** Host of the reader, which may be local or private because the configuration names it. */
function hostOf(jina: JinaSettings | undefined): AllowedHost[] {
  if (!jina) return [];
  const { hostname, port, protocol } = new URL(jina.baseUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  return [{ kind: 'host', host, port: Number(port) || (protocol === 'https:' ? 443 : 80) }];
}

/** Jina reader within the limits of pages; undefined for direct fetching. */
function jinaOf(options: PageFetchOptions, dispatcher: Dispatcher) {
  const { jina, userAgent, turns, clock, robots, fetch } = options;
  if (!jina) return undefined;
  const allowed = createAllowedHosts(options.allowedHosts);
  const own = robots === 'obey' ? { 'x-robots-txt': userAgent } : {};
  const reader = new HostTurns({ ...turns, perHost: turns.total, intervalMs: 0 }, clock);
  const limits = { ...fetch, maxRedirects: 0 };
  return createJinaReader(jina, {
    ask: (url, headers, signal) =>
      fetchPage(url, limits, dispatcher, signal, {
        userAgent,
        turns: reader,
        headers: { ...own, 'x-max-tokens': String(options.maxTokens), ...headers },
      }),
    refusalOf: (url) =>
      assertMayConnect(url, allowed, options.resolve).then(
        () => undefined,
        (error: Error) => ({ kind: 'inaccessible' as const, url, ...reasonOf(error) }),
      ),
  });
}
