import { mulberry32 } from '../../test/support/mulberry32.ts';

/** Words of a made-up language: the one of rank n is told by n, the common ones are short. */
const syllables =
  'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu bra cle dri flo gru pha ste tri'.split(' ');
const VOCABULARY = 400_000;
const PASSAGE_WORDS = 100;
/** How finely the distribution of words is kept. */
const STEPS = 1 << 20;

/** A generated passage, and its words for questions about it. */
export interface GeneratedPassage {
  readonly id: string;
  readonly contents: string;
  readonly words: readonly string[];
}

/**
 * Passages of 100 words of a vocabulary of 400,000 that are as often as Zipf and Mandelbrot have it (the word of rank r
 * in proportion to 1 / (r + 2.7)): the most common one is in 96 of 100 passages, a third of the words are in fewer than
 * one passage of a thousand.
 */
export function* generatePassages(count: number, seed = 1): Generator<GeneratedPassage> {
  const random = mulberry32(seed);
  const ranks = rankTable();
  const pick = () => wordOf(ranks[Math.floor(random() * STEPS)]!);
  for (let at = 0; at < count; at++) {
    const words = Array.from({ length: PASSAGE_WORDS }, pick);
    const title = `${pick()} ${wordOf(50 + Math.floor(random() * (VOCABULARY - 50)))}`;
    yield { id: String(at), contents: `"${title}"\n${words.join(' ')}.`, words };
  }
}

/**
 * A question about a passage: 8 to 20 of its words, every other one as it falls (mostly a common one, like the stop
 * words of a question), the others the rarest of three.
 */
export function questionAbout({ words }: GeneratedPassage, random: () => number): string {
  const pick = () => words[Math.floor(random() * words.length)]!;
  const length = 8 + Math.floor(random() * 13);
  // The longer a word, the greater its rank.
  const rare = () =>
    [pick(), pick(), pick()].reduce((rarest, word) => (word.length > rarest.length ? word : rarest));
  return Array.from({ length }, (_, at) => (at % 2 === 0 ? pick() : rare())).join(' ');
}

function rankTable(): Uint32Array {
  const total = Array.from({ length: VOCABULARY }).reduce<number>(
    (sum, _, rank) => sum + 1 / (rank + 2.7),
    0,
  );
  const table = new Uint32Array(STEPS);
  let rank = 0;
  let below = 1 / 2.7;
  for (let step = 0; step < STEPS; step++) {
    while (below < ((step + 0.5) / STEPS) * total) {
      rank += 1;
      below += 1 / (rank + 2.7);
    }
    table[step] = rank;
  }
  return table;
}

function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}
