import type { Config } from '../../schemas/config/config.ts';
import type { FoundDocument } from '../../stages/synthesis/createDocumentSource.ts';

/** The documents of `synthesize.corpus`, as an agent would be shown them: pages by file name, then passages. */
export async function* readCorpus(
  { synthesize, tools }: Pick<Config, 'synthesize' | 'tools'>,
  signal: AbortSignal,
): AsyncGenerator<FoundDocument> {
  const { site, passages } = synthesize!.corpus;
  if (site !== undefined) yield* readPages(site, tools.site?.host ?? 'localhost', signal);
  if (passages !== undefined) yield* readPassages(passages);
}

async function* readPages(folder: string, host: string, signal: AbortSignal) {
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

/** Markdown with the words of its links alone: where they lead is no part of a value. */
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
