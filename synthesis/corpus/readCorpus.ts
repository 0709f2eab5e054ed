import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { inOrder } from '../../base/threads/inOrder.ts';
import { UserError } from '../../base/userError.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { isWebAddress } from '../../pipeline/config/resolveConfigPaths.ts';
import type { Config } from '../../schemas/config/config.ts';
import { taskSourceConfigSchema } from '../../schemas/config/tasks.ts';
import type { Task } from '../../schemas/task.ts';
import { createTaskSource } from '../../stages/tasks/createTaskSource.ts';
import type { FoundDocument } from '../stages/createDocumentSource.ts';

const MAX_SHOWN_CHARS = 200;

/** Document with its text, or only with the address to read. */
type SeedDocument = Omit<FoundDocument, 'text'> & { readonly text?: string | null };

const someOf = <T extends z.ZodType>(schema: T) =>
  z.union([schema.transform((one) => [one]), z.array(schema)]);
const passageSchema = z.union([
  z.string().transform((text) => ({ text })),
  z
    .object({ title: z.string(), text: z.string() })
    .transform(({ title, text }) => ({ title, text: `# ${title}\n\n${text}` })),
]);
/** Columns of a seed task besides question and answers. */
const restsOnSchema = z.object({
  url: someOf(z.string()).default([]),
  evidence: someOf(passageSchema).default([]),
});

/**
 * Documents behind the tasks of a file, each once with the questions that it answers: their `evidence`, or the page at
 * their `url`. A task with neither gives one without text.
 *
 * @throws UserError for rows that are not tasks with an answer, and for `url` or `evidence` of another type
 */
async function readSeedTasks(
  file: string,
  { config, profiles }: Pick<LoadedConfig, 'config' | 'profiles'>,
  signal: AbortSignal,
): Promise<SeedDocument[]> {
  const { profile } = config.synthesize!;
  // `evidence` is the document behind the question, not a part of it.
  const columns = { ignore: ['evidence'] };
  const source = taskSourceConfigSchema.parse({ file, profile, domain: 'qa', columns });
  const tasks = createTaskSource({ sources: [{ ...source, path: file }], onBadTask: 'fail', profiles });
  const documents = new Map<string, SeedDocument>();
  for await (const { outcome } of tasks.run({ signal })) {
    for (const task of outcome.kind === 'emit' ? outcome.records : []) {
      const { question, answers } = task;
      for (const document of await documentsOf(task, `${file}: row ${task.source.row}`, config)) {
        const key = document.text ?? document.address;
        const { asked = [], ...known } = documents.get(key) ?? document;
        documents.set(key, { ...known, asked: [...asked, { question, answers }] });
      }
    }
  }
  return [...documents.values()];
}

async function documentsOf(
  { id, extra = {} }: Task,
  place: string,
  { tools }: Config,
): Promise<SeedDocument[]> {
  const rests = restsOnSchema.safeParse(extra);
  if (!rests.success) {
    const got = JSON.stringify({ url: extra.url, evidence: extra.evidence }).slice(0, MAX_SHOWN_CHARS);
    throw new UserError(
      `${place}: expected url as an address, and evidence as a text, {title, text} or a list of them; got ${got}`,
    );
  }
  const { url, evidence } = rests.data;
  if (url.length > 0 && !tools.crawl_page)
    throw new UserError(`${place}: expected tools.crawl_page in the configuration, which reads its url`);
  const found: SeedDocument[] = evidence.map((passage, nth) => ({
    ...passage,
    address: `task:${id}#${nth + 1}`,
  }));
  for (const one of url) found.push({ address: await addressOf(one, `${place}: url`) });
  const none = { address: `task:${id}`, text: null, why: 'the task names neither url nor evidence' };
  return found.length > 0 ? found : [none];
}

/** Reads a web page; the result holds its text, or the reason for a failure. */
export type ReadPage = (address: string, signal: AbortSignal) => Promise<FoundDocument>;

/**
 * Streams the documents of `synthesize.corpus` in the form shown to an agent: those of seed tasks, pages of the site by
 * file name, passages, pages of the list. Link targets are removed, since they are no part of a value.
 *
 * @throws UserError for invalid seed tasks, a line of the list that is not an address, and an empty list
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
  // First, so that pages behind a task are recorded as such.
  if (tasks !== undefined) yield* readAll(await readSeedTasks(tasks, loaded, signal));
  if (site !== undefined) yield* readSitePages(site, tools.site?.host ?? 'localhost', signal);
  if (passages !== undefined) yield* readPassages(passages);
  if (pages !== undefined) yield* readAll((await readAddresses(pages)).map((address) => ({ address })));
}

/** Maximum concurrent page reads per thread; `tools.crawl_page` limits them per host. */
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

/** Markdown with link texts in place of links. */
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

/**
 * Addresses of `synthesize.corpus.pages`: a list, or a file with one per line, ignoring empty lines and those that
 * begin with #.
 *
 * @throws UserError for a line that is not an address, and a file without one
 */
async function readAddresses(pages: string | readonly string[]): Promise<string[]> {
  if (typeof pages !== 'string' || isWebAddress(pages))
    return Promise.all([pages].flat().map((text) => addressOf(text, 'synthesize.corpus.pages')));
  const lines = (await readFile(pages, 'utf8')).split(/\r?\n/).entries();
  const written = [...lines].filter(([, line]) => !/^\s*(?:#|$)/.test(line));
  if (written.length === 0)
    throw new UserError(
      `${pages}: expected addresses, one a line, such as https://example.org/; it holds none`,
    );
  return Promise.all(written.map(([index, line]) => addressOf(line, `${pages}: line ${index + 1}`)));
}

/** Validates the address of a page. Throws `UserError` that begins with `place`. */
async function addressOf(text: string, place: string): Promise<string> {
  const { pageUrls } = await import('../../tools/crawlPage/createCrawlPageTool.ts');
  const found = pageUrls([text]);
  if (found.ok && found.urls.length === 1) return found.urls[0]!;
  const problem = found.ok ? `${found.urls.length} addresses in one line` : found.error;
  throw new UserError(`${place}: expected one address such as https://example.org/; ${problem}`);
}
