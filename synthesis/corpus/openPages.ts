import { join } from 'node:path';
import type { JsonObject } from '../../base/json.ts';
import { createCachingTool } from '../../calls/cache/createCachingTool.ts';
import { createObservedTool } from '../../calls/observedCalls.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Session } from '../../contract/session.ts';
import type { Tool } from '../../contract/tool.ts';
import { createModelOpener } from '../../pipeline/compose/openModels.ts';
import { openToolModels } from '../../pipeline/compose/openToolModels.ts';
import { notOpened, openTools } from '../../pipeline/compose/openTools.ts';
import type { ConfigFingerprint } from '../../pipeline/config/fingerprintConfig.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { crawlPageRow } from '../../tools/crawlPage/crawlPageRow.ts';
import type { ReadPage as FetchedPage } from '../../tools/crawlPage/createPageService.ts';
import type { ReadPage } from './readCorpus.ts';

interface PagesPlace {
  readonly loaded: LoadedConfig;
  readonly shaping: ConfigFingerprint;
  readonly runFolder: string;
  readonly cache: AnswerCache;
}

/**
 * Opens the reader of `tools.crawl_page` for documents: full text without summary. Text and date are cached, so that a
 * resumed run reads the same.
 *
 * @throws RunError while reading, if the site's server or the page service fails
 */
export async function openPages(
  { loaded, shaping, runFolder, cache }: PagesPlace,
  session: Session,
): Promise<ReadPage> {
  const { crawl_page, ...others } = loaded.config.tools;
  const tools = { ...others, crawl_page: crawl_page && { ...crawl_page, summary: undefined } };
  const models = openToolModels({ config: loaded.config, open: createModelOpener(session, cache) }, session);
  const place = { wanted: new Set(['crawl_page']), cacheFolder: join(runFolder, '..', '.cache') };
  const opened = await openTools({ config: { tools }, ...place, sandbox: undefined, models }, session);
  const { calls, clock, offline } = session;
  const dated = datedTool(createObservedTool(opened.get('crawl_page')!, calls, clock), () => clock.now());
  const provider = crawlPageRow.providerOf(tools, 'crawl_page');
  const settings = { documents: shaping.documents!.tools as JsonObject };
  const tool = createCachingTool({ tool: dated, cache, provider, settings, offline, clock });
  return async (address, signal) => {
    const asked = tool.call({ urls: [address] }, signal, { task_id: address }).catch((error) => {
      throw error instanceof RecordFailure ? notOpened(error) : error;
    });
    return documentOf(address, (await asked).raw as unknown as DatedPages);
  };
}

interface DatedPages {
  readonly read_at: string;
  readonly pages: readonly (
    | Omit<Extract<FetchedPage, { ok: true }>, 'page_text'>
    | Extract<FetchedPage, { ok: false }>
  )[];
}

function datedTool(tool: Tool, nowMs: () => number): Tool {
  return {
    ...tool,
    call: async (...given) => {
      const { raw } = await tool.call(...given);
      return { observation: '', raw: { read_at: new Date(nowMs()).toISOString(), pages: raw } };
    },
  };
}

function documentOf(address: string, { read_at, pages: [page] }: DatedPages) {
  if (!page!.ok) return { address, text: null, why: page!.reason };
  return { address, text: page!.text, read_at, ...titleOf(page!.text) };
}

/** First heading, without the site's name at its end if the text itself uses the shorter title. */
function titleOf(text: string): { readonly title?: string } {
  const found = /^# +(.+)$/m.exec(text);
  if (!found) return {};
  const [heading, title] = found as unknown as [string, string];
  const name = title.split(/ [-–—|·] /)[0]!;
  return { title: text.slice(found.index + heading.length).includes(name) ? name : title };
}
