import { expect, test } from 'vitest';
import { clustersOf } from '../../support/indexedClusters.ts';
import {
  editKinds,
  type PlantedDocument,
  plainJaccard,
  plantedCorpus,
} from '../../support/plantedDuplicates.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** COA_DEDUP_DOCUMENTS=100000 takes a few minutes and 2 GB. */
const documents = Number(process.env.COA_DEDUP_DOCUMENTS ?? 2_000);
const threshold = 0.8;
const shingleWords = 5;
/** A minute for every 10,000 documents, 21 times over. */
const timeout = 300_000 + documents * 6;
const optionsIn = (spillFolder: string) => ({ shingle: shingleWords, threshold, spillFolder });

/** Documents of 8 KB, every fourth of them made from the one before. */
function corpusOf(count: number): PlantedDocument[] {
  const options = { documents: count, planted: 0.25, wordsPerDocument: 1_190, seed: 42, shingleWords };
  return [...plantedCorpus(options)];
}

test(
  `of near duplicates planted in ${documents} documents, those above the threshold are found and none below`,
  async () => {
    const corpus = corpusOf(documents);
    const { kept, similarity: jaccard } = await clustersOf(corpus, optionsIn(temporaryFolder()));
    const tally = { above: 0, found: 0, below: 0, falselyFound: 0 };
    for (const [place, { text, original, kind }] of corpus.entries()) {
      if (original === undefined || kind === undefined) continue;
      const similarity = plainJaccard(text, corpus[original]!.text, shingleWords);
      const isFound = kept[place] === kept[original];
      if (similarity >= threshold + 0.05) {
        tally.above++;
        tally.found += Number(isFound);
      }
      if (similarity < threshold - 0.05) {
        tally.below++;
        tally.falselyFound += Number(isFound);
      }
    }
    expect(new Set(corpus.map(({ kind }) => kind))).toEqual(new Set([undefined, ...editKinds]));
    expect(tally.above).toBeGreaterThan(documents / 20);
    expect(tally.below).toBeGreaterThan(documents / 20);
    expect(tally.found / tally.above).toBeGreaterThanOrEqual(0.99);
    expect(tally.falselyFound).toBe(0);
    // What is dropped is no chain here: every dropped document is a near duplicate of the one that stays.
    expect(Math.min(...jaccard)).toBeGreaterThanOrEqual(threshold);
    const dropped = corpus.filter((_, place) => kept[place] !== place).length;
    const planted = corpus.filter(({ original }) => original !== undefined).length;
    expect(dropped).toBeLessThanOrEqual(planted);
  },
  timeout,
);
