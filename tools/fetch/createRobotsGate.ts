import type { Clock } from '../../base/clock.ts';
import { RecentEntries } from '../recentEntries.ts';
import type { FetchedPage } from './askForPage.ts';

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

const everything: RobotsRules = { allows: () => true };

/**
 * Tells why a site's robots.txt keeps a page from being fetched, in words that follow "not accessible:"; undefined where it
 * does not. A site without one allows everything; one whose robots.txt
 * fails with a server error or can't be reached allows nothing (RFC 9309, section 2.3.1).
 */
export function createRobotsGate({
  fetchRobots,
  userAgent,
  exempt,
  clock,
}: RobotsGateOptions): (url: URL, signal: AbortSignal) => Promise<string | undefined> {
  const limits = { maxEntries: MAX_HOSTS, maxBytes: MAX_HOSTS, maxAgeMs: KEPT_MS };
  const kept = new RecentEntries<Promise<RobotsRules>>(clock.monotonicMs, limits);
  const token = userAgent.split('/', 1)[0]!.trim();

  const ask = async (origin: string, signal: AbortSignal): Promise<RobotsRules> => {
    const page = await fetchRobots(`${origin}/robots.txt`, signal);
    if (page.kind === 'page') return parseRobots(new TextDecoder().decode(page.bytes), token);
    const { status = 0, reason } = page;
    if ((status >= 400 && status < 500 && status !== 429) || !page.service) return everything;
    const since = clock.monotonicMs() - KEPT_MS + KEPT_UNREACHABLE_MS;
    const nothing = { allows: () => false, unread: `its robots.txt can't be read (${reason})` };
    kept.put(origin, Promise.resolve(nothing), 1, since);
    return nothing;
  };

  const rulesOf = (origin: string, signal: AbortSignal): Promise<RobotsRules> => {
    const known = kept.get(origin);
    if (known) return known;
    const rules = ask(origin, signal);
    kept.put(origin, rules, 1);
    return rules;
  };

  return async (url, signal) => {
    if (exempt.has(url.host)) return undefined;
    for (;;) {
      const rules = rulesOf(url.origin, signal);
      try {
        const { allows, unread = 'its robots.txt forbids it' } = await rules;
        return allows(url.pathname + url.search) ? undefined : unread;
      } catch {
        // Whoever asked for it has given up; that need not be this caller.
        if (kept.get(url.origin) === rules) kept.delete(url.origin);
        signal.throwIfAborted();
      }
    }
  };
}

/** What a robots.txt says to one crawler. */
interface RobotsRules {
  /** @param path - A URL's path with its query, percent-encoded */
  allows(path: string): boolean;
  /** Why it could not be read, in words that follow "not accessible:"; absent where it was. */
  readonly unread?: string;
}

interface Rule {
  readonly allow: boolean;
  /** The parts between the stars. */
  readonly parts: readonly string[];
  /** True when the pattern ends with `$`. */
  readonly toTheEnd: boolean;
  /** Length of the pattern; the longest that matches decides. */
  readonly length: number;
}

/** More are not kept: matching stays cheap whatever a host writes. */
const MAX_RULES = 2_000;
/** Length of their patterns together; the worst of them are compared everywhere in a path. */
const MAX_CHARS = 65_536;

/**
 * The rules of the groups that name the crawler, otherwise of those for everyone (RFC 9309). Of the rules that match
 * a path the one with the longest pattern decides, of two equal ones the one that allows.
 *
 * `robots-parser` 3.0.1 decides the same, but a hostile file of 508 KB takes it 9.4 s for one path, and this 25 ms.
 *
 * @param token - The crawler's product token: its user agent up to the slash
 */
export function parseRobots(text: string, token: string): RobotsRules {
  const rules = rulesFor(text, token.toLowerCase());
  return {
    allows(path) {
      let decided: Rule | undefined;
      for (const rule of rules) {
        const weighs =
          !decided || rule.length > decided.length || (rule.length === decided.length && rule.allow);
        if (weighs && matches(rule, path)) decided = rule;
      }
      return decided?.allow ?? true;
    },
  };
}

function rulesFor(text: string, token: string): readonly Rule[] {
  const own = new RuleList();
  const everyones = new RuleList();
  let isNamed = false;
  let names = new Set<string>();
  let inRules = true;
  for (const [key, value] of lines(text)) {
    if (key === 'user-agent') {
      if (inRules) names = new Set();
      inRules = false;
      const name = value.split('/', 1)[0]!.toLowerCase();
      if (name === token || name === '*') names.add(name);
      isNamed ||= name === token;
    } else if (key === 'allow' || key === 'disallow') {
      inRules = true;
      if (value === '') continue;
      if (names.has(token)) own.add(key === 'allow', value);
      if (names.has('*')) everyones.add(key === 'allow', value);
    }
  }
  return (isNamed ? own : everyones).rules;
}

/** The first rules of a crawler, as many as are kept. */
class RuleList {
  readonly rules: Rule[] = [];
  #charsLeft = MAX_CHARS;

  add(allow: boolean, pattern: string): void {
    this.#charsLeft -= pattern.length;
    if (this.#charsLeft >= 0 && this.rules.length < MAX_RULES) this.rules.push(ruleOf(allow, pattern));
  }
}

function* lines(text: string): Generator<[key: string, value: string]> {
  for (const line of text.split(/[\r\n]+/)) {
    const content = line.split('#', 1)[0]!;
    const colon = content.indexOf(':');
    if (colon >= 0) yield [content.slice(0, colon).trim().toLowerCase(), content.slice(colon + 1).trim()];
  }
}

function ruleOf(allow: boolean, pattern: string): Rule {
  const toTheEnd = pattern.endsWith('$');
  const path = encoded(toTheEnd ? pattern.slice(0, -1) : pattern);
  return { allow, parts: path.split(/\*+/), toTheEnd, length: pattern.length };
}

/** Percent-encoded as the path of a URL is. */
function encoded(pattern: string): string {
  const text = pattern.toWellFormed();
  return encodeURI(text)
    .replace(/%25(?=[\da-f]{2})/gi, '%')
    .replace(/%5B/g, '[')
    .replace(/%5D/g, ']');
}

/** Each part is looked for behind the one before, as early as possible: linear in the path for every part. */
function matches({ parts, toTheEnd }: Rule, path: string): boolean {
  const [first = '', ...others] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = toTheEnd ? others.pop() : undefined;
  for (const part of others) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  if (!toTheEnd) return true;
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last);
}
