import { existsSync, statSync } from 'node:fs';
import { onDisk } from '../../base/files/diskError.ts';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import type { PassageIndexMeta } from '../../schemas/passageIndexMeta.ts';
import { buildPassageIndex } from '../../tools/wikiSearch/index/buildPassageIndex.ts';
import { openKeptIndex } from '../../tools/wikiSearch/index/openIndexFile.ts';
import { hashCorpus } from '../../tools/wikiSearch/keepPassageIndex.ts';
import { formatBytes, formatCount, formatDuration } from '../format.ts';
import { stopOnSignals } from '../stopOnSignals.ts';
import { addDenseIndex, loadDenseSetting } from './addDenseIndex.ts';
import { IndexView } from './indexView.ts';

/** Options of `coa-distill tools index`. */
export interface IndexCorpusOptions {
  readonly out?: string;
  readonly dense?: true;
  readonly config?: string;
}

/** `coa-distill tools index`: the index of a corpus by words, and where asked by meaning. */
export async function indexCorpus(corpus: string, options: IndexCorpusOptions): Promise<void> {
  const out = options.out ?? defaultIndex(corpus);
  const dense = options.dense && (await loadDenseSetting(options.config));
  const stop = stopOnSignals({ resume: 'the same command' });
  try {
    const view = new IndexView();
    const meta = await onDisk(out, () => indexWords(corpus, out, view, stop.signal));
    if (dense) await addDenseIndex(out, meta, dense, stop.signal);
  } finally {
    stop.release();
  }
}

/** `wiki.jsonl.gz` -> `wiki.sqlite`, in the same folder. */
function defaultIndex(corpus: string): string {
  return `${corpus.replace(/\.gz$/, '').replace(/\.jsonl?$/, '')}.sqlite`;
}

async function indexWords(
  corpus: string,
  out: string,
  view: IndexView,
  signal: AbortSignal,
): Promise<PassageIndexMeta> {
  const kept = await keptIndex(corpus, out);
  if (kept) {
    view.note(`${out}: the index of this corpus is there already, ${formatCount(kept.passages)} passages`);
    return kept;
  }
  const startedMs = systemClock.monotonicMs();
  // Where it is not there, the build says so.
  const corpusBytes = statSync(corpus, { throwIfNoEntry: false })?.size ?? 0;
  const meta = await buildPassageIndex(corpus, out, {
    signal,
    onProgress: ({ passages, bytesRead }) => view.show('words', { passages, share: bytesRead / corpusBytes }),
    onMerge: (passages) => view.step(`merging the words of ${formatCount(passages)} passages`),
  });
  const took = formatDuration(systemClock.monotonicMs() - startedMs);
  view.note(`${out}: ${formatCount(meta.passages)} passages, ${formatBytes(statSync(out).size)}, ${took}`);
  return meta;
}

/** The index that is there, when it is this corpus's. One of another corpus is replaced; any other file is not. */
async function keptIndex(corpus: string, out: string): Promise<PassageIndexMeta | undefined> {
  if (!existsSync(out)) return undefined;
  const index = openKeptIndex(out);
  index?.close();
  if (!index)
    throw new UserError(
      `--out ${out}: there is a file that is no passage index of this version; delete it, or name another`,
    );
  return index.meta.corpus_sha256 === (await hashCorpus(corpus)) ? index.meta : undefined;
}
