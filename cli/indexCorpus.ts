import { existsSync, statSync } from 'node:fs';
import { onDisk } from '../base/files/diskError.ts';
import { systemClock } from '../base/systemClock.ts';
import { UserError } from '../base/userError.ts';
import { uncountedCalls } from '../calls/sessionCalls.ts';
import { RecordFailure } from '../contract/errors.ts';
import { toolModelsWithoutRun } from '../pipeline/compose/toolsWithoutRun.ts';
import { loadToolsConfig } from '../pipeline/config/toolsConfig.ts';
import { createSession } from '../pipeline/createSession.ts';
import { RunError } from '../pipeline/run/runError.ts';
import { concurrencyOf } from '../schemas/config/endpoint.ts';
import type { ToolModelsConfig } from '../schemas/config/resolved/toolModels.ts';
import type { DenseConfig } from '../schemas/config/tools/wikiSearch.ts';
import type { PassageIndexMeta } from '../schemas/passageIndexMeta.ts';
import { buildPassageIndex, hashCorpus } from '../tools/wikiSearch/buildPassageIndex.ts';
import { buildDenseIndex } from '../tools/wikiSearch/dense/buildDenseIndex.ts';
import { denseFileOf, mismatch, openDenseIndex } from '../tools/wikiSearch/dense/openDenseIndex.ts';
import { openIndexFile, openKeptIndex } from '../tools/wikiSearch/openPassageIndex.ts';
import { formatBytes, formatCount, formatDuration, timeLeft } from './format.ts';
import { LiveView } from './liveView.ts';
import { stopOnSignals } from './stopOnSignals.ts';

export interface IndexCorpusOptions {
  readonly out?: string;
  readonly dense?: true;
  readonly config?: string;
}

/** `coa-distill tools index`: indexes a corpus by words, and optionally by embeddings. */
export async function indexCorpus(corpus: string, options: IndexCorpusOptions): Promise<void> {
  const out = options.out ?? defaultIndex(corpus);
  const dense = options.dense && (await loadDenseSetting(options.config));
  using stop = stopOnSignals({ resume: 'the same command' });
  const view = new LiveView();
  const meta = await onDisk(out, () => indexWords(corpus, out, view, stop.signal));
  if (dense) await addDenseIndex(out, meta, dense, stop.signal);
}

/** `wiki.jsonl.gz` -> `wiki.sqlite` in the same folder. */
function defaultIndex(corpus: string): string {
  return `${corpus.replace(/\.gz$/, '').replace(/\.jsonl?$/, '')}.sqlite`;
}

async function indexWords(
  corpus: string,
  out: string,
  view: LiveView,
  signal: AbortSignal,
): Promise<PassageIndexMeta> {
  const kept = await keptIndex(corpus, out);
  if (kept) {
    view.note(`${out}: the index of this corpus is there already, ${formatCount(kept.passages)} passages`);
    return kept;
  }
  const startedMs = systemClock.monotonicMs();
  // The build reports a missing file.
  const corpusBytes = statSync(corpus, { throwIfNoEntry: false })?.size ?? 0;
  const showProgress = progressIn(view, 'words');
  const meta = await buildPassageIndex(corpus, out, {
    signal,
    onProgress: ({ passages, bytesRead }) => showProgress(passages, bytesRead / corpusBytes),
    onMerge: (passages) => {
      if (systemClock.monotonicMs() - startedMs >= view.everyMs)
        view.show([`merging the words of ${formatCount(passages)} passages`]);
    },
  });
  const took = formatDuration(systemClock.monotonicMs() - startedMs);
  view.note(`${out}: ${formatCount(meta.passages)} passages, ${formatBytes(statSync(out).size)}, ${took}`);
  return meta;
}

/** Shows progress at intervals. The first call sets the session's start. */
function progressIn(view: LiveView, work: string): (passages: number, share: number) => void {
  const startedMs = systemClock.monotonicMs();
  let began: number | undefined;
  return (passages, share) => {
    began ??= share;
    if (!view.isDue()) return;
    const left = timeLeft(began, share, systemClock.monotonicMs() - startedMs);
    view.show([`${work.padEnd(10)} ${Math.floor(share * 100)} % · ${formatCount(passages)} passages${left}`]);
  };
}

/** Existing index of the same corpus. An index of another corpus is replaced, other files are not. */
async function keptIndex(corpus: string, out: string): Promise<PassageIndexMeta | undefined> {
  if (!existsSync(out)) return undefined;
  const index = openKeptIndex(out);
  index?.close();
  if (!index)
    throw new UserError(
      `--out ${out}: exists and is not a passage index of this version; delete it, or name another file`,
    );
  return index.meta.corpus_sha256 === (await hashCorpus(corpus)) ? index.meta : undefined;
}

export interface DenseSetting {
  readonly config: ToolModelsConfig;
  readonly dense: DenseConfig;
}

/** Configured embedding model. Throws `UserError` without one. */
async function loadDenseSetting(configFile: string | undefined): Promise<DenseSetting> {
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

/** Adds the vectors of `tools.wiki_search.dense` to an index, including those left pending. */
async function addDenseIndex(
  indexFile: string,
  meta: PassageIndexMeta,
  { config, dense }: DenseSetting,
  signal: AbortSignal,
): Promise<void> {
  const file = denseFileOf(indexFile);
  const settings = { ...dense, model: dense.model.model };
  const view = new LiveView();
  if (existsSync(file) && isKept(file, meta, settings)) {
    view.note(`${file}: the dense index is there already`);
    return;
  }
  const session = createSession({ calls: uncountedCalls(signal) });
  const model = await toolModelsWithoutRun(config, session).embeddings();
  const index = openIndexFile(indexFile);
  const startedMs = systemClock.monotonicMs();
  const showProgress = progressIn(view, 'vectors');
  const options = {
    model,
    settings,
    batchSize: dense.batch_size,
    concurrency: concurrencyOf(dense.model.endpoint),
    signal,
    onProgress: (passages: number) => showProgress(passages, passages / meta.passages),
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

/** Vectors of another corpus or model were paid for, so they are not replaced silently. */
function isKept(file: string, meta: PassageIndexMeta, dense: Parameters<typeof mismatch>[2]): boolean {
  const kept = openDenseIndex(file);
  kept.close();
  const problem = mismatch(kept.meta, meta, dense);
  if (problem === undefined) return true;
  throw new UserError(
    `${file}: the dense index was built with ${problem}; delete it to build it again, or name another --out`,
  );
}
