import { existsSync, statSync } from 'node:fs';
import { onDisk } from '../../base/files/diskError.ts';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import { uncountedCalls } from '../../calls/sessionCalls.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { toolModelsWithoutRun } from '../../pipeline/compose/toolsWithoutRun.ts';
import { loadToolsConfig } from '../../pipeline/config/loadToolsConfig.ts';
import { createSession } from '../../pipeline/createSession.ts';
import { RunError } from '../../pipeline/run/runError.ts';
import type { ToolModelsConfig } from '../../schemas/config/resolved/toolModels.ts';
import type { DenseConfig } from '../../schemas/config/tools/wikiSearch.ts';
import type { PassageIndexMeta } from '../../schemas/passageIndexMeta.ts';
import { buildDenseIndex } from '../../tools/wikiSearch/dense/buildDenseIndex.ts';
import { denseFileOf } from '../../tools/wikiSearch/dense/denseLayout.ts';
import { mismatch, openDenseIndex } from '../../tools/wikiSearch/dense/openDenseIndex.ts';
import { openIndexFile } from '../../tools/wikiSearch/index/openIndexFile.ts';
import { formatBytes, formatCount, formatDuration } from '../format.ts';
import { IndexView } from './indexView.ts';

/** A configuration with `tools.wiki_search.dense`. */
export interface DenseSetting {
  readonly config: ToolModelsConfig;
  readonly dense: DenseConfig;
}

/** The configuration's model of embeddings. Throws `UserError` where none is configured. */
export async function loadDenseSetting(configFile: string | undefined): Promise<DenseSetting> {
  const config = (await loadToolsConfig(configFile))?.config;
  const dense = config?.tools.wiki_search?.dense;
  if (dense?.faiss !== undefined)
    throw new UserError(
      '--dense: tools.wiki_search.dense.faiss is read as it is; leave out --dense, or take faiss out of the configuration to build an index of your own',
    );
  if (config && dense) return { config, dense };
  throw new UserError(
    '--dense needs the model of the embeddings: set tools.wiki_search.dense in the configuration, and name it with --config',
  );
}

/** Adds the vectors of `tools.wiki_search.dense` to an index, or those that an earlier build left pending. */
export async function addDenseIndex(
  indexFile: string,
  meta: PassageIndexMeta,
  { config, dense }: DenseSetting,
  signal: AbortSignal,
): Promise<void> {
  const file = denseFileOf(indexFile);
  const view = new IndexView();
  if (existsSync(file) && isKept(file, meta, dense)) {
    view.note(`${file}: the dense index is there already`);
    return;
  }
  const session = createSession({ calls: uncountedCalls(signal) });
  const model = await toolModelsWithoutRun(config, session).embeddings();
  const index = openIndexFile(indexFile);
  const startedMs = systemClock.monotonicMs();
  const options = {
    model,
    settings: dense,
    batchSize: dense.batch_size,
    concurrency: dense.endpoint.concurrency,
    signal,
    onProgress: (passages: number) => view.show('vectors', { passages, share: passages / meta.passages }),
  };
  try {
    const { dimensions } = await onDisk(file, () => buildDenseIndex(index, file, options));
    const took = formatDuration(systemClock.monotonicMs() - startedMs);
    view.note(
      `${file}: ${formatCount(meta.passages)} vectors of ${dimensions} dimensions, ${formatBytes(statSync(file).size)}, ${took}`,
    );
  } catch (error) {
    if (!(error instanceof RecordFailure)) throw error;
    throw new RunError(
      `no embeddings of ${dense.model} (${error.failure.cause}: ${error.message}); what came is kept, and the same command goes on`,
      { cause: error },
    );
  } finally {
    index.close();
  }
}

/** One of another corpus or model cost money: it is not replaced unasked. */
function isKept(file: string, meta: PassageIndexMeta, dense: Parameters<typeof mismatch>[2]): boolean {
  const kept = openDenseIndex(file);
  kept.close();
  const problem = mismatch(kept.meta, meta, dense);
  if (problem === undefined) return true;
  throw new UserError(
    `${file}: the dense index was built with ${problem}; delete it to build it again, or name another --out`,
  );
}
