import { readFile } from 'node:fs/promises';
import { inOrder } from '../../base/threads/inOrder.ts';
import { UserError } from '../../base/userError.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { FoundDocument } from '../../stages/synthesis/createDocumentSource.ts';

/** What a page of the web holds, or why it can't be read. */
export type ReadPage = (address: string, signal: AbortSignal) => Promise<FoundDocument>;

/**
 * The documents of `synthesize.corpus`, as an agent would be shown them: pages of the site by file name, passages, pages
 * of the list. Links lose their addresses: where they lead is no part of a value.
 *
 * @throws UserError for a line of the list that is not an address, and a list without one
 */
export async function* readCorpus(
  { synthesize, tools }: Pick<Config, 'synthesize' | 'tools'>,
  readPage: ReadPage,
  signal: AbortSignal,
): AsyncGenerator<FoundDocument> {
  const { site, passages, pages } = synthesize!.corpus;
  if (site !== undefined) yield* readSitePages(site, tools.site?.host ?? 'localhost', signal);
  if (passages !== undefined) yield* readPassages(passages);
  if (pages !== undefined) {
    const ahead = { weigh: () => 1, itemsPerThread: PAGES_AT_ONCE };
    const read = (address: string) => readPage(address, signal);
    for await (const { result } of inOrder(await readAddresses(pages), read, ahead))
      yield { ...result, text: result.text && withoutLinks(result.text) };
  }
}

/** Most for each thread; `tools.crawl_page` says how many of them are of one host. */
const PAGES_AT_ONCE = 8;

/** A line each; empty ones and those that begin with # are passed over. */
async function readAddresses(file: string): Promise<string[]> {
  const { pageUrls } = await import('../../tools/crawlPage/createCrawlPageTool.ts');
  const lines = (await readFile(file, 'utf8')).split(/\r?\n/).entries();
  const addresses = [...lines].flatMap(([index, line]) => {
    if (/^\s*(?:#|$)/.test(line)) return [];
    const found = pageUrls([line]);
    if (found.ok && found.urls.length === 1) return found.urls;
    const problem = found.ok ? `${found.urls.length} addresses in one line` : found.error;
    throw new UserError(
      `${file}: line ${index + 1}: expected one address such as https://example.org/; ${problem}`,
    );
  });
  if (addresses.length === 0)
    throw new UserError(
      `${file}: expected addresses, one a line, such as https://example.org/; it holds none`,
    );
  return addresses;
}

async function* readSitePages(folder: string, host: string, signal: AbortSignal) {
  const { readSite } = await import('../../tools/site/openSiteSearch.ts');
  const { foldSpace, parseHtmlPage } = await import('../../tools/parseHtmlPage.ts');
  const { htmlToText } = await import('../../tools/crawlPage/htmlToText.ts');
  for (const { file, html, title } of await readSite(folder)) {
    signal.throwIfAborted();
    const address = new URL(file, `http://${host}/`);
    // The title of a window names the site too.
    const heading = foldSpace(parseHtmlPage(html).querySelector('h1')?.textContent);
    yield { title: heading || title, address: address.href, text: withoutLinks(htmlToText(html, address)) };
  }
}

/** Markdown with the words of its links alone. */
function withoutLinks(markdown: string): string {
  return markdown.replace(/\[([^[\]]*)\]\([^()\s]*\)/g, '$1');
}

async function* readPassages(corpus: string) {
  const reader = await import('../../tools/wikiSearch/buildPassageIndex.ts');
  const { splitContents } = await import('../../tools/wikiSearch/passage.ts');
  for await (const { id, contents } of reader.readPassages(corpus)) {
    const { title, text } = splitContents(contents);
    yield { title, address: `passage:${id}`, text: `# ${title}\n\n${text}` };
  }
}
