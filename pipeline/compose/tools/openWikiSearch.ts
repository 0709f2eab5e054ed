import { join } from 'node:path';
import type { Tool } from '../../contract/tool.ts';
import { onDisk } from '../../files/diskError.ts';
import type { Resources } from '../resources.ts';
import type { OpenToolsOptions } from './openToolsOptions.ts';

/** Opens the `wiki_search` tool where it is wanted and configured. */
export async function openWikiSearch(
  { config, wanted, cacheFolder }: OpenToolsOptions,
  resources: Resources,
): Promise<Tool | undefined> {
  const wiki = config.tools.wiki_search;
  if (!wiki || !wanted.has('wiki_search')) return undefined;
  const { openPassageIndex } = await import('../../../tools/wikiSearch/openPassageIndex.ts');
  const { createWikiSearchTool } = await import('../../../tools/wikiSearch/createWikiSearchTool.ts');
  const folder = join(cacheFolder, 'wiki');
  const index = resources.keep(await onDisk(folder, () => openPassageIndex(wiki.corpus, folder)));
  return createWikiSearchTool({ index, topK: wiki.top_k });
}
