import type { TaskWork } from '../../contract/calls.ts';
import { createPageFetch, type PageFetchOptions } from './createPageFetch.ts';
import { createPageReader } from './createPageReader.ts';
import type { TokenCounter } from './cutTokens.ts';
import type { CrawlGoal, PageSummariser } from './pageSummariser.ts';
import { cutChars, pageText, shownText } from './pageText.ts';
import { SharedPages } from './sharedPages.ts';

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

export interface PageServiceOptions extends PageFetchOptions {
  /** Shown of one page's text or summary, in characters. */
  readonly maxChars: number;
  /** Opens what counts tokens; asked only for texts that may have too many. */
  readonly openCounter: () => Promise<TokenCounter>;
  /** Without it, pages are shown as they are. */
  readonly summariser?: PageSummariser;
}

/** Read of a text of which no model makes a summary, in characters, where no more is shown: the trace keeps it. */
const KEPT_CHARS = 20_000;

/** Opens a service that reads pages; it has worker threads and connections until it is closed. */
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
        // The others' pages are wanted no more.
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

/** A page is the same wherever in it a link points. */
function withoutFragment(url: string): string {
  return url.split('#', 1)[0]!;
}
