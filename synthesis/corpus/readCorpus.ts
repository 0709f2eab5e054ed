import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inOrder } from '../../base/threads/inOrder.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import type { FoundDocument } from '../stages/createDocumentSource.ts';
import { readAddresses } from './readAddresses.ts';
import { readSeedTasks, type SeedDocument } from './readSeedTasks.ts';

/** What a page of the web holds, or why it can't be read. */
export type ReadPage = (address: string, signal: AbortSignal) => Promise<FoundDocument>;

/**
 * The documents of `synthesize.corpus`, as an agent would be shown them: those of seed tasks, pages of the site by file name,
 * passages, pages of the list. Links lose their addresses: where they lead is no part of a value.
 *
 * @throws UserError for seed tasks that are none, a line of the list that is not an address, and a list without one
 */
export async function* readCorpus(
  loaded: Pick<LoadedConfig, 'config' | 'profiles'>,
  readPage: ReadPage,
  signal: AbortSignal,
): AsyncGenerator<FoundDocument> {
  const { synthesize, tools } = loaded.config;
  const { site, passages, pages, tasks } = synthesize!.corpus;
  const readAll = async function* (listed: readonly SeedDocument[]): AsyncGenerator<FoundDocument> {
    const read = async ({ text, ...one }: SeedDocument) =>
      text === undefined ? { ...one, ...(await readPage(one.address, signal)) } : { ...one, text };
    for await (const { result } of inOrder(listed, read, { weigh: () => 1, itemsPerThread: PAGES_AT_ONCE }))
      yield { ...result, text: result.text && withoutLinks(result.text) };
  };
  // First, so that a page that a task asks about is known as such.
  if (tasks !== undefined) yield* readAll(await readSeedTasks(tasks, loaded, signal));
  if (site !== undefined) yield* readSitePages(site, tools.site?.host ?? 'localhost', signal);
  if (passages !== undefined) yield* readPassages(passages);
  if (pages !== undefined) yield* readAll((await readAddresses(pages)).map((address) => ({ address })));
}

/** Most for each thread; `tools.crawl_page` says how many of them are of one host. */
const PAGES_AT_ONCE = 8;

async function* readSitePages(folder: string, host: string, signal: AbortSignal) {
  const { SITE_PAGE_MS, siteFiles } = await import('../../tools/site/openSiteSearch.ts');
  const { createPageReader } = await import('../../tools/crawlPage/createPageReader.ts');
  const reader = createPageReader(SITE_PAGE_MS);
  const read = async (file: string): Promise<FoundDocument> => {
    const address = new URL(file, `http://${host}/`).href;
    const html = await readFile(join(folder, file), 'utf8');
    const found = await reader.read({ kind: 'html', html, url: address }, signal);
    if (!found.ok) return { address, text: null, why: found.reason };
    return { title: found.title || file, address, text: withoutLinks(found.text) };
  };
  try {
    for await (const { result } of inOrder(await siteFiles(folder), read, {
      weigh: () => 1,
      itemsPerThread: 2,
    }))
      yield result;
  } finally {
    reader.close();
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
