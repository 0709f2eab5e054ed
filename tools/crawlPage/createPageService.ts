import type { Dispatcher } from 'undici';
import type { Clock } from '../../base/clock.ts';
import type { TaskWork } from '../../contract/calls.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { AllowedHost } from '../../schemas/config/tools/allowedHost.ts';
import { createAllowedHosts } from '../fetch/allowedHosts.ts';
import type { FetchedPage } from '../fetch/askForPage.ts';
import {
  createGuardedDispatcher,
  type HostOverride,
  type Resolve,
} from '../fetch/createGuardedDispatcher.ts';
import { createRobotsGate, MAX_ROBOTS_BYTES } from '../fetch/createRobotsGate.ts';
import { type FetchLimits, type FetchManners, fetchPage } from '../fetch/fetchPage.ts';
import { HostTurns, type TurnLimits } from '../fetch/hostTurns.ts';
import { createPageReader } from './createPageReader.ts';
import type { TokenCounter } from './cutTokens.ts';
import type { CrawlGoal, PageSummariser } from './pageSummariser.ts';
import { cutChars, pageText, shownText } from './pageText.ts';
import { type PageCacheLimits, SharedPages } from './sharedPages.ts';

/** A page as the agent is shown it, or why it can't be. */
export type ReadPage =
  | {
      /** As it was asked for. */
      readonly url: string;
      readonly ok: true;
      /** What is shown: the beginning of the page's text, or the summary. */
      readonly text: string;
      /** The page's own text, as far as it was read: what `text` is the beginning or the summary of. */
      readonly page_text: string;
      /** After redirects. */
      readonly final_url: string;
      readonly content_type: string;
      /** True when there is more of the page than was read. */
      readonly cut: boolean;
    }
  | { readonly url: string; readonly ok: false; readonly reason: string };

/** Reads pages of the web. */
export interface PageService {
  /**
   * Reads pages side by side; the answer has them in the order of the URLs.
   *
   * @param urls - As `pageUrls` gives them
   * @param goal - What the pages are read for; only a summary depends on it
   * @throws RecordFailure `tool_unavailable` when our own site can't be reached; whatever the summary's model throws
   * @throws the signal's reason
   */
  read(
    urls: readonly string[],
    signal: AbortSignal,
    goal?: CrawlGoal,
    work?: TaskWork,
  ): Promise<readonly ReadPage[]>;
  /** True when what is shown depends on the goal. */
  readonly dependsOnGoal: boolean;
  close(): Promise<void>;
}

export interface PageServiceOptions {
  readonly fetch: FetchLimits;
  /** Shown of one page's text or summary, in characters. */
  readonly maxChars: number;
  /** Read of one page's text. */
  readonly maxTokens: number;
  readonly maxPdfPages: number;
  /** Opens what counts tokens; asked only for texts that may have too many. */
  readonly openCounter: () => Promise<TokenCounter>;
  /** Hosts whose pages our own server on the loopback has. URLs keep the public name. */
  readonly hostOverrides: ReadonlyMap<string, HostOverride>;
  readonly allowedHosts: readonly AllowedHost[];
  readonly turns: TurnLimits;
  readonly robots: 'obey' | 'ignore';
  readonly userAgent: string;
  readonly cache: PageCacheLimits;
  /** Without it, pages are shown as they are. */
  readonly summariser?: PageSummariser;
  readonly clock: Clock;
  /** Default: the machine's own name service. */
  readonly resolve?: Resolve;
}

/** Read of a text of which no model makes a summary, in characters, where no more is shown: the trace keeps it. */
const KEPT_CHARS = 20_000;

/** Opens a service that reads pages; it has worker threads and connections until it is closed. */
export function createPageService(options: PageServiceOptions): PageService {
  const { hostOverrides, summariser, maxChars } = options;
  const dispatcher = createGuardedDispatcher(
    hostOverrides,
    options.resolve,
    createAllowedHosts(options.allowedHosts),
  );
  const manners = mannersOf(options, dispatcher);
  const reader = createPageReader(options.fetch.timeoutMs);
  const pages = new SharedPages(options.cache, options.clock);
  const limits = {
    maxPdfPages: options.maxPdfPages,
    maxTokens: options.maxTokens,
    // A summary's model reads more than an agent is shown.
    maxChars: summariser ? undefined : Math.max(maxChars, KEPT_CHARS),
  };

  const load = async (url: string, signal: AbortSignal) => {
    const fetched = await fetchPage(url, options.fetch, dispatcher, signal, manners);
    throwOwnFailure(fetched, hostOverrides);
    return pageText(fetched, limits, reader, options.openCounter, signal);
  };

  const readOne = async (url: string, signal: AbortSignal, goal: CrawlGoal | undefined, work?: TaskWork) => {
    const page = await pages.get(withoutFragment(url), signal, (stop) => load(url, stop));
    if (!page.ok) return { url, ...page };
    const { text: page_text, finalUrl: final_url, contentType: content_type, cut } = page;
    const text = summariser
      ? cutChars(await summariser.summarise({ url, text: shownText(page) }, goal, signal, work), maxChars)
          .text
      : shownText(page, maxChars);
    return { url, ok: true as const, text, page_text, final_url, content_type, cut };
  };

  return {
    dependsOnGoal: summariser !== undefined,
    async read(urls, signal, goal, work) {
      const failed = new AbortController();
      const either = AbortSignal.any([signal, failed.signal]);
      const meant = summariser && goal ? await summariser.withIntent(goal, signal, work) : goal;
      try {
        return await Promise.all(urls.map((url) => readOne(url, either, meant, work)));
      } catch (error) {
        // The others' pages are wanted no more.
        failed.abort(error);
        throw error;
      }
    },
    async close() {
      reader.close();
      await dispatcher.destroy();
    },
  };
}

function mannersOf(options: PageServiceOptions, dispatcher: Dispatcher): FetchManners {
  const { robots, userAgent, fetch, clock } = options;
  const own = new Set(options.hostOverrides.keys());
  const polite = { userAgent, turns: new HostTurns(options.turns, clock, own) };
  if (robots === 'ignore') return polite;
  const robotsLimits = { ...fetch, maxBytes: MAX_ROBOTS_BYTES };
  const mayFetch = createRobotsGate({
    fetchRobots: (address, signal) => fetchPage(address, robotsLimits, dispatcher, signal, polite),
    userAgent,
    clock,
    exempt: own,
  });
  return { ...polite, mayFetch };
}

/** A page is the same wherever in it a link points. */
function withoutFragment(url: string): string {
  return url.split('#', 1)[0]!;
}

function throwOwnFailure(page: FetchedPage, hostOverrides: ReadonlyMap<string, HostOverride>): void {
  if (page.kind === 'page' || !page.service || !hostOverrides.has(page.url.host)) return;
  const { hostname } = page.url;
  throw new RecordFailure(
    'tool_unavailable',
    `crawl_page: the server of ${hostname} failed: ${page.reason}`,
    { tool: 'crawl_page', host: hostname, reason: page.reason },
  );
}
