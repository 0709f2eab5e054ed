import { threadLimit } from './threadMessages.ts';

/** Most items that are begun and not yet given. */
const maxAhead = 256;
/** Most of them by weight for each thread. */
const aheadWeight = 2_000_000;
/**
 * What is enough by weight for each thread: more of it would outlive V8's young generation, and its collector would go
 * through everything several times as often. So many items are begun all the same, or large ones would be done one by one.
 */
const enoughWeight = 500_000;
const fewestAhead = 4;

/** How far `inOrder` looks ahead. */
export interface Ahead<Item> {
  /** Roughly the bytes of an item, or of what is made of it: it goes on up to a few megabytes a thread. */
  readonly weigh: (item: Item) => number;
  /** Most items that are begun at once for each thread; default: 256 in all. */
  readonly itemsPerThread?: number;
}

/** An item and what became of it. */
export interface Worked<Item, Result> {
  readonly item: Item;
  readonly result: Result;
}

/**
 * Begins several items at once and gives each with its result in the order of the items, so that what follows is the
 * same with any number of threads. With one thread an item begins when the one before has been taken.
 *
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
    // It is thrown when its turn comes, if anybody still reads.
    result.catch(() => {});
    begun.push({ item, weight, result });
    ahead += weight;
    while (isFull()) yield await take();
  }
  while (begun.length > 0) yield await take();
}

/** What is read, and the error that ends it. */
async function* readings<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<{ readonly item: Item } | { readonly error: unknown }> {
  try {
    for await (const item of items) yield { item };
  } catch (error) {
    yield { error };
  }
}
