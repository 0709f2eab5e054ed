import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RowChange, shownTexts } from './fields.ts';
import { type FoundRows, queryRows, type RowFilter } from './queryRows.ts';
import { RecordIndex } from './recordIndex.ts';

/** Requests are answered between two stretches of work. */
const STRETCH_MS = 20;
/** How far an index is. */
export interface IndexProgress {
  readonly isGrowing: boolean;
  /** Between 0 and 1. */
  readonly share: number;
  /** Lines that could not be read; opening such a record says why. */
  readonly damaged: number;
  /** Where reading ended before the last stage, and why. */
  readonly problem?: string | undefined;
}

/** What an index is made of: the journals of a run, or the rows of files. */
export interface RecordFeed {
  /** Looks what there is by now beside what was read. */
  look(): Promise<FeedReading>;
}

/** What a feed has to read by now. */
export interface FeedReading {
  /** True where what was read before is no longer so: all is read again. */
  readonly startsOver: boolean;
  readonly isEmpty: boolean;
  /** Many lines at a time, each as its changes. */
  changes(): AsyncGenerator<Iterable<readonly RowChange[]>>;
  progress(): Omit<IndexProgress, 'isGrowing'>;
}

/** An index that follows what it is made of. */
export class LiveIndex {
  readonly index = new RecordIndex();
  readonly #feed: RecordFeed;
  #growing: Promise<void> | undefined;
  #progress: IndexProgress = { isGrowing: false, share: 1, damaged: 0 };
  #isClosed = false;
  /** A page asks for counts, then for rows of the same filter. */
  #last: { readonly key: string; readonly found: FoundRows } | undefined;

  /** An empty index of a feed; {@link grow} fills it. */
  constructor(feed: RecordFeed) {
    this.#feed = feed;
  }

  get progress(): IndexProgress {
    return this.#progress;
  }

  /** Reads what has been added. One reading at a time: whoever asks meanwhile gets the one under way. */
  grow(): Promise<void> {
    this.#growing ??= this.#grow()
      .catch((error: Error) => {
        // Pages that are open show it beside what they have.
        this.#progress = { ...this.#progress, problem: error.message };
        throw error;
      })
      .finally(() => {
        this.#growing = undefined;
        this.#progress = { ...this.#progress, isGrowing: false };
      });
    return this.#growing;
  }

  /** What a filter finds by now. Throws `UserError` for a search of too many words. */
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
    // Whoever waited for it has been told why it failed.
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
