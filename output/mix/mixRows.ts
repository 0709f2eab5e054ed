import { Counts } from '../../base/counts.ts';
import { inOrder } from '../../base/threads/inOrder.ts';
import type { MixedFileCounts } from '../../schemas/mixedRow.ts';
import type { PreparedRow, RowMaker } from '../dataset/rowWork.ts';
import type { MixedPool } from './mixedPool.ts';
import { rowsOfShares } from './mixShares.ts';
import type { MixedSource } from './readMixedRow.ts';

/** Row of `dataset.mix` selected for the dataset. */
export interface TakenRow {
  readonly source: MixedSource;
  readonly prepared: Extract<PreparedRow, { kind: 'row' }>;
  readonly pool: MixedPool;
}

/** Accepted rows of one file, by position in the drawn order. */
interface Drawn {
  readonly pool: MixedPool;
  readonly places: number[];
  /** Position of the next row to try. */
  next: number;
}

/**
 * Draws rows of all files such that each share holds. The order depends neither on file order nor on the number of
 * workers. Unusable rows are replaced by the next one.
 *
 * @param own - Number of other rows in the dataset.
 */
export async function drawRows(
  pools: readonly MixedPool[],
  rows: RowMaker,
  own: number,
  signal: AbortSignal,
): Promise<Drawing> {
  const drawn = pools.map((pool): Drawn => ({ pool, places: [], next: 0 }));
  const askedOf = ({ pool, places, next }: Drawn) => {
    const { share, rows } = pool.asked;
    return { share, rows, available: places.length + pool.size - next };
  };
  for (;;) {
    const wanted = rowsOfShares(drawn.map(askedOf), own);
    const lacking = drawn.findIndex(
      ({ places, pool, next }, at) => places.length < wanted[at]! && next < pool.size,
    );
    if (lacking < 0) return new Drawing(drawn, wanted);
    await lookOn(drawn[lacking]!, wanted[lacking]!, rows, signal);
  }
}

async function lookOn(drawn: Drawn, wanted: number, rows: RowMaker, signal: AbortSignal): Promise<void> {
  const { pool, places } = drawn;
  const until = Math.min(pool.size, drawn.next + wanted - places.length);
  const coming = Array.from({ length: until - drawn.next }, (_, at) => drawn.next + at);
  for await (const { item: place, result } of inOrder(coming, (at) => prepare(pool, at, rows), ahead)) {
    signal.throwIfAborted();
    if (result.kind === 'row') places.push(place);
    else pool.leaveOut(...reasonOf(result, pool.where(place)));
  }
  drawn.next = until;
}

const ahead = { weigh: () => 20_000 };

function prepare(pool: MixedPool, place: number, rows: RowMaker): Promise<PreparedRow> {
  return rows.run({ mixed: pool.at(place), weight: pool.asked.weight });
}

function reasonOf(prepared: Exclude<PreparedRow, { kind: 'row' }>, where: string): [string, string] {
  if (prepared.kind === 'too_long') return ['too_long', `${where}: ${prepared.tokens} tokens`];
  if (prepared.kind === 'nothing_trained')
    return ['nothing_trained', `${where}: nothing of the row is trained`];
  const { evidence, message } = prepared.failure;
  return [typeof evidence.code === 'string' ? evidence.code : 'cannot_write', `${where}: ${message}`];
}

class Drawing {
  readonly #drawn: readonly Drawn[];
  readonly #wanted: readonly number[];

  constructor(drawn: readonly Drawn[], wanted: readonly number[]) {
    this.#drawn = drawn;
    this.#wanted = wanted;
  }

  /** Streams the rows file by file, rendering them again. */
  async *taken(rows: RowMaker): AsyncGenerator<TakenRow> {
    for (const [at, { pool, places }] of this.#drawn.entries()) {
      const coming = places.slice(0, this.#wanted[at]);
      for await (const { item, result } of inOrder(coming, (place) => prepare(pool, place, rows), ahead)) {
        if (result.kind !== 'row') throw new Error(`${pool.asked.file}: a row that fitted does not fit now`);
        yield { source: pool.at(item), prepared: result, pool };
      }
    }
  }
}

export class MixedCounts {
  readonly #pool: MixedPool;
  readonly #layouts = new Counts();
  readonly #sums = { splits: { train: 0, validation: 0 }, tokens: 0, trained_tokens: 0 };
  #taken = 0;

  constructor(pool: MixedPool) {
    this.#pool = pool;
  }

  add({ source, prepared }: TakenRow, split: 'train' | 'validation'): void {
    const [{ inputIds, trainedTokens }] = prepared.held;
    this.#taken += 1;
    this.#layouts.add(source.record.layout);
    this.#sums.splits[split] += 1;
    this.#sums.tokens += inputIds.length;
    this.#sums.trained_tokens += trainedTokens;
  }

  /** @param total - Rows of the finished dataset. */
  counted(total: number): MixedFileCounts {
    const before = this.#pool.counted;
    const { share, rows } = this.#pool.asked;
    const wanted =
      rows ?? (share === undefined ? 0 : Math.round((share * (total - this.#taken)) / (1 - share)));
    const leftOut = Object.values(before.left_out).reduce((sum, each) => sum + each.rows, 0);
    return {
      ...before,
      taken: this.#taken,
      not_drawn: before.rows_read - leftOut - this.#taken,
      missing: Math.max(0, wanted - this.#taken),
      layouts: Object.fromEntries([...this.#layouts].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...this.#sums,
    };
  }
}
