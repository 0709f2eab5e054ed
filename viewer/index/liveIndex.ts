import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowChange } from './fields.ts';
import { type FoundRows, queryRows, type RowFilter } from './queryRows.ts';
import { RecordIndex } from './recordIndex.ts';
import { release } from './rowColumns.ts';
import { rowsAlso, searchTerms } from './searchExpression.ts';

/** Requests are answered between two stretches of work. */
const STRETCH_MS = 20;
/** A page asks for counts, then for windows of rows: few results are in use at a time, and of a million rows each takes 4 MB. */
const KEPT_RESULTS = 2;

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
  /** What filters found at a revision. */
  readonly #found = new Map<string, FoundRows>();
  #foundAt = 0;
  #searching: Promise<unknown> = Promise.resolve();

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

  /**
   * What a filter finds by now; the same filter is not worked out twice. One search at a time: other requests are answered
   * between two of its words.
   *
   * @param use makes something of it; its rows may be gone afterwards
   * @throws UserError for a search of too many words
   */
  async query<T>(filter: RowFilter, use: (found: FoundRows) => T): Promise<T> {
    if (filter.search.trim() === '') return use(this.#known(filter) ?? this.#work(filter, undefined));
    const searching = this.#searching.then(async () =>
      use(this.#known(filter) ?? this.#work(filter, await this.#search(filter.search))),
    );
    this.#searching = searching.catch(() => {});
    return searching;
  }

  #known(filter: RowFilter): FoundRows | undefined {
    if (this.index.revision !== this.#foundAt) this.#forget(0);
    this.#foundAt = this.index.revision;
    return this.#found.get(JSON.stringify(filter));
  }

  #work(filter: RowFilter, searched: Uint32Array | undefined): FoundRows {
    const result = queryRows(this.index.columns, filter, searched);
    this.#forget(KEPT_RESULTS - 1);
    this.#found.set(JSON.stringify(filter), result);
    return result;
  }

  /** The rows that a text is looked for in, ascending. */
  async #search(text: string): Promise<Uint32Array> {
    const { wanted, unwanted } = searchTerms(text);
    const { columns } = this.index;
    let rows = wanted[0] === undefined ? new Uint32Array(0) : this.index.rowsWith(wanted[0]);
    for (const term of [...wanted.slice(1), ...unwanted]) {
      if (rows.length === 0) break;
      await nextTurn();
      if (this.#isClosed) break;
      // Made again meanwhile: rows have other numbers.
      if (this.index.columns !== columns) return this.#search(text);
      const [all, others] = [rows, this.index.rowsWith(term)];
      rows = rowsAlso(all, others, wanted.includes(term));
      for (const done of [all, others]) release(done);
    }
    return rows;
  }

  /** Gives all results back but the newest. */
  #forget(kept: number): void {
    for (const [key, { rows }] of [...this.#found].slice(0, Math.max(0, this.#found.size - kept))) {
      this.#found.delete(key);
      release(rows);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // Whoever waited for it has been told why it failed.
    await this.#growing?.catch(() => {});
    await this.#searching;
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
