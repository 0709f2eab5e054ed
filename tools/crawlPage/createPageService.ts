import type { TaskWork } from '../../contract/calls.ts';
import { createPageFetch, type PageFetchOptions } from './createPageFetch.ts';
import { createPageReader } from './createPageReader.ts';
import type { TokenCounter } from './cutTokens.ts';
import type { CrawlGoal, PageSummariser } from './pageSummariser.ts';
import { cutChars, pageText, shownText } from './pageText.ts';
import { SharedPages } from './sharedPages.ts';

/** A page as shown to the agent, or the reason for none. */
export type ReadPage =
  | {
      /** Requested URL. */
      readonly url: string;
      readonly ok: true;
      /** Shown text: the start of the page's text, or the summary. */
      readonly text: string;
      /** The page's own text as far as it was read, from which `text` is made. */
      readonly page_text: string;
      /** URL after redirects. */
      readonly final_url: string;
      readonly content_type: string;
      /** True if the page continues. */
      readonly cut: boolean;
    }
  | { readonly url: string; readonly ok: false; readonly reason: string };

/** Reads pages of the web. */
export interface PageService {
  /**
   * Reads pages concurrently; the answer has the order of the URLs.
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
  /** True if the shown text depends on the goal. */
  readonly dependsOnGoal: boolean;
  close(): Promise<void>;
}

export interface PageServiceOptions extends PageFetchOptions {
  /** Maximum characters of a page's text or summary. */
  readonly maxChars: number;
  /** Opens the token counter, used only for texts that may be too long. */
  readonly openCounter: () => Promise<TokenCounter>;
  /** Default: pages are shown unsummarised. */
  readonly summariser?: PageSummariser;
}

/** Minimum characters read without a summary even if fewer are shown, since the trace keeps them. */
const KEPT_CHARS = 20_000;

/** Opens a service that reads pages; it holds worker threads and connections until closed. */
export function createPageService(options: PageServiceOptions): PageService {
  const { summariser, maxChars } = options;
  const pageFetch = createPageFetch(options);
  const reader = createPageReader(options.fetch.timeoutMs);
  const pages = new SharedPages(options.clock);
  const limits = {
    maxTokens: options.maxTokens,
    // A summary's model reads more than an agent is shown.
    maxChars: summariser ? undefined : Math.max(maxChars, KEPT_CHARS),
  };

  const load = async (url: string, signal: AbortSignal) => {
    const fetched = await pageFetch.fetch(url, signal);
    return pageText(fetched, limits, { reader, openCounter: options.openCounter }, signal);
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
        // The other pages are no longer needed.
        failed.abort(error);
        throw error;
      }
    },
    async close() {
      reader.close();
      await pageFetch.close();
    },
  };
}

/** URL without its fragment, which does not change the page. */
function withoutFragment(url: string): string {
  return url.split('#', 1)[0]!;
}
