import type { Clock } from '../../base/clock.ts';
import type { FetchedPage } from './fetchedPage.ts';
import { parseRobots, type RobotsRules } from './robotsRules.ts';

/** Who asks for robots.txt, and how. */
export interface RobotsGateOptions {
  /** Fetches a robots.txt, through the same guard and in the same turns as pages. */
  readonly fetchRobots: (address: string, signal: AbortSignal) => Promise<FetchedPage>;
  /** The crawler's own; its product token is the part before the slash. */
  readonly userAgent: string;
  /** Hosts that are not asked: our own servers. */
  readonly exempt: ReadonlySet<string>;
  readonly clock: Clock;
}

/** Read of a robots.txt; crawlers must read at least 500 KiB (RFC 9309, section 2.5). */
export const MAX_ROBOTS_BYTES = 512 * 1024;
/** A copy may be used for a day (RFC 9309, section 2.4); one that could not be had is asked for again soon. */
const KEPT_MS = 24 * 3600 * 1000;
const KEPT_UNREACHABLE_MS = 60_000;
const MAX_HOSTS = 1_000;

interface Kept {
  readonly rules: Promise<RobotsRules>;
  until: number;
}

const everything: RobotsRules = { allows: () => true };
const nothing: RobotsRules = { allows: () => false };

/**
 * Tells whether a site's robots.txt lets a page be fetched. A site without one allows everything; one whose robots.txt
 * fails with a server error or can't be reached allows nothing (RFC 9309, section 2.3.1).
 */
export function createRobotsGate({
  fetchRobots,
  userAgent,
  exempt,
  clock,
}: RobotsGateOptions): (url: URL, signal: AbortSignal) => Promise<boolean> {
  const kept = new Map<string, Kept>();
  const token = userAgent.split('/', 1)[0]!.trim();

  const ask = async (origin: string, signal: AbortSignal, entry: { until: number }): Promise<RobotsRules> => {
    const page = await fetchRobots(`${origin}/robots.txt`, signal);
    if (page.kind === 'page') return parseRobots(new TextDecoder().decode(page.bytes), token);
    const { status = 0 } = page;
    if ((status >= 400 && status < 500 && status !== 429) || !page.service) return everything;
    entry.until = clock.monotonicMs() + KEPT_UNREACHABLE_MS;
    return nothing;
  };

  const entryOf = (origin: string, signal: AbortSignal): Kept => {
    const known = kept.get(origin);
    if (known && known.until > clock.monotonicMs()) return known;
    kept.delete(origin);
    const term = { until: clock.monotonicMs() + KEPT_MS };
    const entry = Object.assign(term, { rules: ask(origin, signal, term) });
    kept.set(origin, entry);
    if (kept.size > MAX_HOSTS) kept.delete(kept.keys().next().value!);
    return entry;
  };

  return async (url, signal) => {
    if (exempt.has(url.host)) return true;
    for (;;) {
      const entry = entryOf(url.origin, signal);
      try {
        return (await entry.rules).allows(url.pathname + url.search);
      } catch {
        // Whoever asked for it has given up; that need not be this caller.
        if (kept.get(url.origin) === entry) kept.delete(url.origin);
        signal.throwIfAborted();
      }
    }
  };
}
