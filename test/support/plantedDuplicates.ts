import { mulberry32 } from './mulberry32.ts';
/** How a near duplicate was made from its original. */
export const editKinds = ['insertion', 'deletion', 'reordering', 'synonym'] as const;
/** See {@link editKinds}. */
export type EditKind = (typeof editKinds)[number];

/** A document of a corpus with planted near duplicates. */
export interface PlantedDocument {
  readonly id: string;
  readonly text: string;
  /** Place of the document that it was made from; undefined for an original. */
  readonly original?: number;
  readonly kind?: EditKind;
}

/** Size of {@link plantedCorpus}. */
export interface PlantedOptions {
  readonly documents: number;
  /** Share of the documents that are near duplicates of the one before. */
  readonly planted: number;
  readonly wordsPerDocument: number;
  readonly seed: number;
  /** Words of a shingle, which decides how much an edit costs. */
  readonly shingleWords: number;
}

const vocabularySize = 20_000;
/** Least and greatest Jaccard similarity aimed at. */
const similarities = [0.6, 0.97] as const;

/**
 * Documents of invented words, the more frequent ones as in English, with near duplicates at Jaccard similarities from
 * 0.6 to 0.97 by insertions, deletions, reorderings and synonyms. The same options give the same documents.
 */
export function* plantedCorpus(options: PlantedOptions): Generator<PlantedDocument> {
  const random = mulberry32(options.seed);
  const vocabulary = createVocabulary(random);
  let original: string[] = [];
  for (let place = 0; place < options.documents; place++) {
    const id = `document-${String(place).padStart(7, '0')}`;
    if (place % 2 === 1 && random() < 2 * options.planted) {
      const kind = editKinds[Math.floor(random() * editKinds.length)]!;
      const words = edited(original, kind, { random, vocabulary, shingleWords: options.shingleWords });
      yield { id, text: spelt(words), original: place - 1, kind };
    } else {
      original = Array.from({ length: options.wordsPerDocument }, () => wordOf(vocabulary, random));
      yield { id, text: spelt(original) };
    }
  }
}

/** Jaccard similarity of two texts' word shingles as anyone would compute it, with strings in sets. */
export function plainJaccard(a: string, b: string, shingleWords: number): number {
  const setA = plainShingles(a, shingleWords);
  const setB = plainShingles(b, shingleWords);
  let shared = 0;
  for (const shingle of setA) if (setB.has(shingle)) shared++;
  const union = setA.size + setB.size - shared;
  return union === 0 ? 1 : shared / union;
}

function plainShingles(text: string, size: number): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const starts = Math.max(words.length - size + 1, Math.min(1, words.length));
  return new Set(Array.from({ length: starts }, (_, at) => words.slice(at, at + size).join(' ')));
}

function createVocabulary(random: () => number): string[] {
  const letters = 'etaoinshrdlucmfwypvbgkjqxz';
  return Array.from({ length: vocabularySize }, () => {
    const length = 2 + Math.floor(random() * 9);
    return Array.from({ length }, () => letters[Math.floor(random() ** 2 * letters.length)]).join('');
  });
}

/** The nth word about n times as rare as the first. */
function wordOf(vocabulary: readonly string[], random: () => number): string {
  return vocabulary[Math.floor(vocabulary.length ** random()) - 1]!;
}

/** Sentences of twelve words; joined, since a text of many concatenations takes ten times the memory. */
function spelt(words: readonly string[]): string {
  const sentences: string[] = [];
  for (let at = 0; at < words.length; at += 12) {
    const sentence = words.slice(at, at + 12).join(' ');
    sentences.push(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`);
  }
  return sentences.join(' ');
}

interface Editing {
  readonly random: () => number;
  readonly vocabulary: readonly string[];
  readonly shingleWords: number;
}

/** A copy with as many edits as bring it about to a similarity drawn at random. */
function edited(words: readonly string[], kind: EditKind, editing: Editing): string[] {
  const { random, vocabulary, shingleWords } = editing;
  const similarity = similarities[0] + random() * (similarities[1] - similarities[0]);
  const changedShare = (1 - similarity) / (1 + similarity);
  // A word takes part in so many shingles; a block that moves cuts at three places.
  const shinglesPerEdit = kind === 'reordering' ? 3 * (shingleWords - 1) : shingleWords;
  const edits = Math.max(1, Math.round((changedShare * words.length) / shinglesPerEdit));
  const copy = [...words];
  for (let edit = 0; edit < edits; edit++) {
    const at = Math.floor(random() * copy.length);
    if (kind === 'insertion') copy.splice(at, 0, wordOf(vocabulary, random));
    else if (kind === 'deletion') copy.splice(at, 1);
    else if (kind === 'synonym') copy[at] = vocabulary[Math.floor(random() * vocabulary.length)]!;
    else copy.splice(Math.floor(random() * copy.length), 0, ...copy.splice(at, 20));
  }
  return copy;
}
