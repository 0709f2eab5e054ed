import { Bitset } from '../../base/bitset.ts';
import type { CorpusStage, Identified } from '../../contract/stage.ts';

/**
 * Combines two stages under the name of the first; the second only sees records that the first keeps. The first must
 * not change records, since the second reads the original inputs. Memory: one bit per record.
 */
export function chainStages<T extends Identified>(
  first: CorpusStage<T, T>,
  second: CorpusStage<T, T>,
): CorpusStage<T, T> {
  return {
    ...first,
    version: first.version * 1_000 + second.version,
    async *run(records, context) {
      const leftOut = new Bitset();
      for await (const outcome of first.run(records, context)) {
        if (outcome.outcome.kind === 'emit') continue;
        leftOut.add(outcome.index);
        yield outcome;
      }
      const placeOf = placesLeft(leftOut);
      for await (const outcome of second.run(recordsLeft(records, leftOut), context))
        yield { ...outcome, index: placeOf(outcome.index) };
    },
  };
}

/** Remaining records at the time of iteration. */
function recordsLeft<T>(records: AsyncIterable<T>, leftOut: Bitset): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      let place = 0;
      for await (const record of records) if (!leftOut.has(place++)) yield record;
    },
  };
}

/** Index of the nth remaining record; fast for ascending calls. */
function placesLeft(leftOut: Bitset): (nth: number) => number {
  let [place, seen] = [-1, -1];
  return (nth) => {
    if (nth <= seen) [place, seen] = [-1, -1];
    while (seen < nth) if (!leftOut.has(++place)) seen++;
    return place;
  };
}
