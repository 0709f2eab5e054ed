import { join } from 'node:path';
import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import { onDisk } from '../../base/files/diskError.ts';
import { keyIn } from '../../schemas/config/resolved/endpoints.ts';
import type { DenseConfig, WikiSearchConfig } from '../../schemas/config/tools/wikiSearch.ts';
import type { PassageIndexMeta } from '../../schemas/passageIndexMeta.ts';
import { sectionRow, type ToolContext } from '../toolRow.ts';
import type { PassageRetriever } from './passage.ts';

const SECTION = 'tools.wiki_search';

export const wikiSearchRow = sectionRow('wiki_search', {
  providerOf: ({ url }) => (url === undefined ? 'local' : addressWithoutSecrets(url)),
  // An index needs no key.
  checkEnvironment: (wiki, env) => void (wiki.url !== undefined && keyIn(env, wiki.api_key_env, SECTION)),
  async open(wiki, context) {
    const { createWikiSearchTool } = await import('./createWikiSearchTool.ts');
    return createWikiSearchTool({ retriever: await openPassageRetriever(wiki, context), topK: wiki.top_k });
  },
  async serve(wiki, context) {
    const { retrievalEndpoint } = await import('../servers/retrievalEndpoint.ts');
    return retrievalEndpoint(await openPassageRetriever(wiki, context), wiki.top_k);
  },
});

/** Opens the passage retriever of `tools.wiki_search`. */
export async function openPassageRetriever(
  wiki: WikiSearchConfig,
  context: ToolContext,
): Promise<PassageRetriever> {
  return context.resources.keep(
    await (wiki.url === undefined ? openIndex(wiki, context) : openService(wiki, context)),
  );
}

async function openService(wiki: WikiSearchConfig, { env, offline }: ToolContext) {
  const { createServiceRetriever } = await import('./createServiceRetriever.ts');
  const apiKey = offline ? undefined : keyIn(env, wiki.api_key_env, SECTION);
  const timeoutMs = wiki.timeout_s * 1000;
  return createServiceRetriever({ url: wiki.url!, timeoutMs, ...(apiKey && { apiKey }) });
}

async function openIndex(wiki: WikiSearchConfig, { cacheFolder, models }: ToolContext) {
  const { createIndexRetriever } = await import('./createIndexRetriever.ts');
  const { file, meta } = await indexOf(wiki, cacheFolder);
  const { passages } = meta;
  const { mode, dense } = wiki;
  if (mode === 'bm25' || !dense) {
    return createIndexRetriever({ files: { index: file }, passages, mode: 'bm25' });
  }
  return createIndexRetriever({
    files: { index: file, vectors: await checkedVectors(dense, file, meta) },
    passages,
    mode,
    embeddings: { model: models.embeddings, queryPrefix: dense.query_prefix },
  });
}

/** Throws `UserError` for missing, damaged or foreign vectors, before a thread opens them. */
async function checkedVectors(dense: DenseConfig, indexFile: string, meta: PassageIndexMeta) {
  if (dense.faiss === undefined) {
    const { checkedDenseFile } = await import('./dense/openDenseIndex.ts');
    return {
      format: 'dense',
      file: checkedDenseFile(indexFile, meta, { ...dense, model: dense.model.model }),
    } as const;
  }
  const { openFaissIndex } = await import('./dense/openFaissIndex.ts');
  openFaissIndex(dense.faiss, meta.passages).close();
  return { format: 'faiss', file: dense.faiss } as const;
}

/** The named index, or the cached one of the corpus. */
async function indexOf({ index, corpus }: WikiSearchConfig, cacheFolder: string) {
  if (index !== undefined) {
    const { readIndexMeta } = await import('./openPassageIndex.ts');
    return { file: index, meta: readIndexMeta(index) };
  }
  const { keepPassageIndex } = await import('./buildPassageIndex.ts');
  const folder = join(cacheFolder, 'wiki');
  return onDisk(folder, () => keepPassageIndex(corpus!, folder));
}
