import { threadLimit } from './threadMessages.ts';

/** Maximum items started but not yet yielded. */
const maxAhead = 256;
/** Their maximum weight per thread. */
const aheadWeight = 2_000_000;
/**
 * Sufficient weight per thread: more would outlive V8's young generation and cost several times as many full
 * collections. The minimum number of items is started regardless, or large ones would run one by one.
 */
const enoughWeight = 500_000;
const fewestAhead = 4;

/** Look-ahead of `inOrder`. */
export interface Ahead<Item> {
  /** Approximate bytes of an item or its result; up to a few megabytes per thread are in progress. */
  readonly weigh: (item: Item) => number;
  /** Maximum items in progress per thread; default: 256 in all. */
  readonly itemsPerThread?: number;
}

/** An item with its result. */
export interface Worked<Item, Result> {
  readonly item: Item;
  readonly result: Result;
}

/**
 * Processes several items concurrently and yields each with its result in input order, so that the outcome does not
 * depend on the number of threads. With one thread an item starts when the previous one has been consumed.
 * @throws what reading or working throws, once the items before it were given
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item> | Iterable<Item>,
  run: (item: Item) => Promise<Result>,
  { weigh, itemsPerThread }: Ahead<Item>,
): AsyncGenerator<Worked<Item, Result>> {
  const begun: { readonly item: Item; readonly weight: number; readonly result: Promise<Result> }[] = [];
  let ahead = 0;
  const { threads } = threadLimit;
  const most = itemsPerThread === undefined ? maxAhead : itemsPerThread * threads;
  const isFull = () => {
    if (threads === 1) return begun.length > 0;
    const isEnough = ahead >= enoughWeight * threads && begun.length >= fewestAhead * threads;
    return isEnough || begun.length >= most || ahead >= aheadWeight * threads;
  };
  const take = async (): Promise<Worked<Item, Result>> => {
    const { item, weight, result } = begun.shift()!;
    ahead -= weight;
    return { item, result: await result };
  };
  for await (const reading of readings(items)) {
    if ('error' in reading) {
      while (begun.length > 0) yield await take();
      throw reading.error;
    }
    const { item } = reading;
    const weight = weigh(item);
    const result = run(item);
    // Thrown in its turn, if the consumer still reads.
    result.catch(() => {});
    begun.push({ item, weight, result });
    ahead += weight;
    while (isFull()) yield await take();
  }
  while (begun.length > 0) yield await take();
}

/** Items read, and the error that ends them. */
async function* readings<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<{ readonly item: Item } | { readonly error: unknown }> {
  try {
    for await (const item of items) yield { item };
  } catch (error) {
    yield { error };
  }
}
