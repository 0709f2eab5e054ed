import { Bitset } from '../../base/bitset.ts';
import type { CorpusStage, Identified } from '../../contract/stage.ts';

/**
 * Two stages as one, of the first one's name: what the first drops or fails is out, and the second sees the rest. The
 * first must hand every record on as it came: the second reads the inputs themselves. Holds one bit a record.
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

/** The records that are left, whenever they are asked for. */
function recordsLeft<T>(records: AsyncIterable<T>, leftOut: Bitset): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      let place = 0;
      for await (const record of records) if (!leftOut.has(place++)) yield record;
    },
  };
}

/** The place of the nth record that is left, for numbers that rise from call to call; any others take longer. */
function placesLeft(leftOut: Bitset): (nth: number) => number {
  let [place, seen] = [-1, -1];
  return (nth) => {
    if (nth <= seen) [place, seen] = [-1, -1];
    while (seen < nth) if (!leftOut.has(++place)) seen++;
    return place;
  };
}
