import { Bitset } from '../../base/bitset.ts';
import type { CorpusOutcome, CorpusStage, Identified } from '../../contract/stage.ts';

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
      const leftOut = new LeftOutRecords();
      for await (const outcome of first.run(records, context)) {
        if (outcome.outcome.kind === 'emit') continue;
        leftOut.add(outcome.index);
        yield outcome;
      }
      yield* withPlaces(second.run(leftOut.leftOf(records), context), leftOut);
    },
  };
}

/** The outcomes with the places of their records among all inputs. */
async function* withPlaces<T>(
  outcomes: AsyncIterable<CorpusOutcome<T>>,
  leftOut: LeftOutRecords,
): AsyncGenerator<CorpusOutcome<T>> {
  const placeOf = leftOut.placesLeft();
  for await (const outcome of outcomes) yield { ...outcome, index: placeOf(outcome.index) };
}

/** Which records are out, by their places. */
class LeftOutRecords {
  readonly #places = new Bitset();

  add(place: number): void {
    this.#places.add(place);
  }

  /** The records that are left, whenever they are asked for. */
  leftOf<T>(records: AsyncIterable<T>): AsyncIterable<T> {
    const places = this.#places;
    return {
      async *[Symbol.asyncIterator]() {
        let place = 0;
        for await (const record of records) if (!places.has(place++)) yield record;
      },
    };
  }

  /** The place of the nth record that is left, for numbers that rise from call to call; any others take longer. */
  placesLeft(): (nth: number) => number {
    let [place, seen] = [-1, -1];
    return (nth) => {
      if (nth <= seen) [place, seen] = [-1, -1];
      while (seen < nth) if (!this.#places.has(++place)) seen++;
      return place;
    };
  }
}
