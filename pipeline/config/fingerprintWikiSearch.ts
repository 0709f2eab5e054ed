import type { Config } from '../../schemas/config/config.ts';
import type { WikiSearchConfig } from '../../schemas/config/tools/wikiSearch.ts';

/** What of `tools.wiki_search` shapes what an agent is shown: not where a service or model is, and how it is asked. */
export function fingerprintWikiSearch({ corpus, index, url, top_k, mode, dense }: WikiSearchConfig) {
  const { model, max_chars, query_prefix, passage_prefix } = dense ?? {};
  return {
    corpus,
    index,
    own_service: url === undefined ? undefined : true,
    top_k,
    // Words go without saying, as before there was anything else.
    ...(mode !== 'bm25' && { mode, dense: { model, max_chars, query_prefix, passage_prefix } }),
  };
}

/**
 * The configuration with a built index named by what it holds. Its corpus's hash stands in the index: an index of tens
 * of gigabytes is not read for it.
 *
 * @throws UserError when there is no such index
 */
export async function withIndexIdentity(config: Config): Promise<Config> {
  const wiki = config.tools.wiki_search;
  if (wiki?.index === undefined) return config;
  const { readIndexMeta } = await import('../../tools/wikiSearch/index/openIndexFile.ts');
  const { corpus_sha256, version } = readIndexMeta(wiki.index);
  const index = `passages sha256:${corpus_sha256} version ${version}`;
  return { ...config, tools: { ...config.tools, wiki_search: { ...wiki, index } } };
}
