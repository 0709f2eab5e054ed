import { contentId } from '../../base/ids.ts';
import type { CrawlPageConfig } from '../../schemas/config/tools/crawlPage.ts';
import { summaryPrompts } from '../../tools/crawlPage/summary/summaryPrompts.ts';

/**
 * What of `tools.crawl_page` shapes what agents are shown. Left out: time, retries, turns, names and the cache.
 *
 * @param shapingModel - What shapes the answers of a tool's model
 */
export function fingerprintCrawlPage<Model>(
  crawl: CrawlPageConfig,
  shapingModel: (summary: NonNullable<CrawlPageConfig['summary']>) => Model,
) {
  const { max_bytes, max_chars, max_tokens, tokenizer, max_pdf_pages, max_redirects } = crawl;
  const { robots, allow_hosts, summary } = crawl;
  return {
    ...{ max_bytes, max_chars, max_tokens, tokenizer, max_pdf_pages, max_redirects },
    ...{ robots, allow_hosts },
    summary: summary && { ...shapingModel(summary), prompts: contentId('config', summaryPrompts) },
  };
}
