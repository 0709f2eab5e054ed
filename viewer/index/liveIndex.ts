import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RowChange, shownTexts } from './fields.ts';
import { type FoundRows, queryRows, type RowFilter } from './queryRows.ts';
import { RecordIndex } from './recordIndex.ts';

/** Milliseconds of indexing between two chances to answer requests. */
const STRETCH_MS = 20;
export interface IndexProgress {
  readonly isGrowing: boolean;
  readonly share: number;
  readonly damaged: number;
  /** Reason why reading ended before the last stage. */
  readonly problem?: string | undefined;
}

/** Source of an index: journals of a run, or rows of files. */
export interface RecordFeed {
  /** Compares what exists now with what was read. */
  look(): Promise<FeedReading>;
}

/** Unread content of a feed. */
export interface FeedReading {
  /** True if earlier content changed, so that all must be read again. */
  readonly startsOver: boolean;
  readonly isEmpty: boolean;
  /** Batches of lines, each line as its changes. */
  changes(): AsyncGenerator<Iterable<readonly RowChange[]>>;
  progress(): Omit<IndexProgress, 'isGrowing'>;
}

export class LiveIndex {
  readonly index = new RecordIndex();
  readonly #feed: RecordFeed;
  #growing: Promise<void> | undefined;
  #progress: IndexProgress = { isGrowing: false, share: 1, damaged: 0 };
  #isClosed = false;
  /** Cache: a page asks for counts, then for rows of the same filter. */
  #last: { readonly key: string; readonly found: FoundRows } | undefined;

  constructor(feed: RecordFeed) {
    this.#feed = feed;
  }

  get progress(): IndexProgress {
    return this.#progress;
  }

  grow(): Promise<void> {
    this.#growing ??= this.#grow()
      .catch((error: Error) => {
        // Open pages show it beside their data.
        this.#progress = { ...this.#progress, problem: error.message };
        throw error;
      })
      .finally(() => {
        this.#growing = undefined;
        this.#progress = { ...this.#progress, isGrowing: false };
      });
    return this.#growing;
  }

  /** Runs a filter. Throws `UserError` for a search of too many words. */
  query(filter: RowFilter): FoundRows {
    const key = JSON.stringify([this.index.revision, filter]);
    if (this.#last?.key !== key) {
      const searched = filter.search.trim() === '' ? undefined : this.index.search(filter.search);
      const text = shownTexts.find((name) => name === filter.sort.by);
      const ordered = text && this.index.orderedBy(text);
      this.#last = { key, found: queryRows(this.index.columns, filter, searched, ordered) };
    }
    return this.#last.found;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Its error was reported to the waiting request.
    await this.#growing?.catch(() => {});
    this.index.close();
  }

  async #grow(): Promise<void> {
    const reading = await this.#feed.look();
    if (reading.startsOver) this.index.clear();
    if (!reading.isEmpty) await this.#read(reading);
    this.#progress = { isGrowing: false, ...reading.progress() };
  }

  async #read(reading: FeedReading): Promise<void> {
    let paused = performance.now();
    for await (const lines of reading.changes())
      for (const changes of lines) {
        if (this.#isClosed) break;
        for (const change of changes) this.index.apply(change);
        if (performance.now() - paused < STRETCH_MS) continue;
        this.#progress = { isGrowing: true, ...reading.progress() };
        await nextTurn();
        paused = performance.now();
      }
    this.index.columns.ratePasses();
  }
}
