/**
 * Recall of the gold passage on the questions of the bundled atlas (430 passages), by words, by meaning and by both.
 *
 * By meaning it needs an embeddings endpoint: `WIKI_EMBEDDINGS_URL=http://127.0.0.1:8081/v1 WIKI_EMBEDDINGS_MODEL=... node
 * bench/wikiRecall.bench.ts`, with `WIKI_QUERY_PREFIX` and `WIKI_PASSAGE_PREFIX` where the model wants them; without,
 * by words alone. Run with `make bench`.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EmbeddingModel } from '../contract/textModels.ts';
import { toolModelsWithoutRun } from '../pipeline/compose/toolsWithoutRun.ts';
import { createSession } from '../pipeline/createSession.ts';
import { configSchema } from '../schemas/config/config.ts';
import { buildPassageIndex } from '../tools/wikiSearch/buildPassageIndex.ts';
import { createIndexRetriever, type RetrievalMode } from '../tools/wikiSearch/createIndexRetriever.ts';
import { buildDenseIndex } from '../tools/wikiSearch/dense/buildDenseIndex.ts';
import { denseFileOf } from '../tools/wikiSearch/dense/openDenseIndex.ts';
import { openIndexFile } from '../tools/wikiSearch/openPassageIndex.ts';
import { atlasCorpus, atlasGold, type GoldQuery } from './support/atlasGold.ts';

const { WIKI_EMBEDDINGS_URL: url, WIKI_EMBEDDINGS_MODEL: name = 'embeddings' } = process.env;
const { WIKI_QUERY_PREFIX: queryPrefix = '', WIKI_PASSAGE_PREFIX: passagePrefix = '' } = process.env;
const signal = new AbortController().signal;
const folder = mkdtempSync(path.join(tmpdir(), 'coa-recall-'));
const index = path.join(folder, 'atlas.sqlite');

try {
  const { passages } = await buildPassageIndex(atlasCorpus, index);
  const model = url === undefined ? undefined : await openModel(url);
  if (model) await buildDense(model);
  const modes: RetrievalMode[] = model ? ['bm25', 'dense', 'hybrid'] : ['bm25'];
  for (const [what, queries] of Object.entries(atlasGold())) {
    const rows = [];
    for (const mode of modes) rows.push({ mode, ...(await recallOf(mode, queries, passages, model)) });
    console.log(`${what}: ${queries.length} queries`);
    console.table(rows);
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function openModel(baseUrl: string): Promise<EmbeddingModel> {
  const endpoint = { base_url: baseUrl, api_key_env: '', concurrency: 1 };
  const wiki_search = { index, mode: 'hybrid', dense: { model: { model: name, endpoint } } };
  const config = configSchema
    .pick({ tools: true, teacher: true })
    .parse({ teacher: {}, tools: { wiki_search } });
  return toolModelsWithoutRun(config, createSession()).embeddings();
}

async function buildDense(model: EmbeddingModel): Promise<void> {
  const opened = openIndexFile(index);
  const settings = { model: name, passage_prefix: passagePrefix, max_chars: 2000 };
  await buildDenseIndex(opened, denseFileOf(index), {
    model,
    settings,
    batchSize: 32,
    concurrency: 1,
    signal,
  });
  opened.close();
}

/** The share of gold passages among the first 3 and 10, over all queries. */
async function recallOf(
  mode: RetrievalMode,
  queries: readonly GoldQuery[],
  passages: number,
  model: EmbeddingModel | undefined,
) {
  const embeddings = model && { model: async () => model, queryPrefix };
  const files = {
    index,
    ...(mode !== 'bm25' && { vectors: { format: 'dense', file: denseFileOf(index) } as const }),
  };
  const retriever = createIndexRetriever({ files, passages, mode, ...(embeddings && { embeddings }) });
  const found = await retriever.retrieve(
    queries.map(({ query }) => query),
    10,
    signal,
  );
  await retriever.close();
  const recallAt = (depth: number) => {
    const hits = queries.map(({ gold }, at) => {
      const ids = found[at]!.slice(0, depth).map(({ id }) => id);
      return gold.filter((id) => ids.includes(id)).length / gold.length;
    });
    return (hits.reduce((sum, hit) => sum + hit, 0) / hits.length).toFixed(3);
  };
  return { 'recall@3': recallAt(3), 'recall@10': recallAt(10) };
}
