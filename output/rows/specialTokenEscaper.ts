/** A text without added tokens, and how many places of it were changed. */
export interface Escaped {
  readonly text: string;
  readonly count: number;
}

/**
 * Escapes the special tokens of a tokenizer in text with backslashes, and gives the text back.
 *
 * A place is the first character of a token whose other characters follow, backslashes aside. What changes is how many
 * backslashes stand right after that character, so that it is never as many as in a token. Where tokens hold no
 * backslashes themselves, every multiple of three becomes the next one: 0 becomes 3, 3 becomes 6, and 1 and 2 stay,
 * which conversion wrote (see `escapeStructure`), so that texts which went through it are the same in rows.
 *
 * | before | after |
 * |---|---|
 * | `<|im_end|>` | `<\\\|im_end|>` |
 * | `<\|im_end|>`, `<\\|im_end|>` | the same |
 * | `<\\\|im_end|>` | `<\\\\\\|im_end|>` |
 *
 * Different numbers become different ones, and no number of backslashes makes or unmakes a place: so the inverse is
 * there for every text and every set of tokens, whether they overlap, begin one another or hold backslashes.
 */
export class SpecialTokenEscaper {
  readonly #places: RegExp | undefined;
  /** The most backslashes that stand in a row in any token. */
  readonly #longest: number;
  /** What is added; of as many numbers in a row, the last two stay as they are. */
  readonly #step: number;

  /** @param tokens - Each of them must be {@link isEscapable}. */
  constructor(tokens: readonly string[]) {
    this.#places = tokens.length === 0 ? undefined : new RegExp(placesOf(tokens), 'gu');
    this.#longest = longestRun(tokens);
    this.#step = this.#longest + 3;
  }

  escape(text: string): Escaped {
    let count = 0;
    const escaped = this.#mapRuns(text, (run) => {
      if (run % this.#step > this.#longest) return run;
      count += 1;
      return run + this.#step;
    });
    return { text: escaped, count };
  }

  /** The text that {@link escape} was given. */
  unescape(text: string): string {
    return this.#mapRuns(text, (run) =>
      run % this.#step > this.#longest || run < this.#step ? run : run - this.#step,
    );
  }

  /** Changes the number of backslashes at each place. */
  #mapRuns(text: string, map: (run: number) => number): string {
    if (this.#places === undefined) return text;
    return text.replace(
      this.#places,
      (_, head: string, backslashes: string) => head + '\\'.repeat(map(backslashes.length)),
    );
  }
}

/**
 * Whether text can be rid of a token: one of a single character leaves no room for backslashes, and one of white
 * space stands in every text that is indented.
 */
export function isEscapable(token: string): boolean {
  const bare = withoutBackslashes(token);
  return [...bare].length > 1 && bare.trim() !== '';
}

function withoutBackslashes(token: string): string {
  return token.replaceAll('\\', '');
}

/** The longest run of backslashes inside any token. */
function longestRun(tokens: readonly string[]): number {
  const runs = tokens.flatMap((token) => token.match(/\\+/g) ?? []);
  return Math.max(0, ...runs.map((run) => run.length));
}

/** Finds the first character of a token and the backslashes after it; what else there is of it must follow. */
function placesOf(tokens: readonly string[]): string {
  const root: Branch = { isEnd: false, branches: new Map() };
  for (const token of tokens) addToken(root, withoutBackslashes(token));
  const heads = [...root.branches].map(([head, tail]) => `${escaped(head)}(?=\\\\*${sourceOf(tail)})`);
  return `(${heads.join('|')})(\\\\*)`;
}

/** Tokens by their characters: one look at each character of the text decides about all of them. */
interface Branch {
  isEnd: boolean;
  readonly branches: Map<string, Branch>;
}

function addToken(root: Branch, token: string): void {
  let branch = root;
  for (const character of token) {
    const next = branch.branches.get(character) ?? { isEnd: false, branches: new Map() };
    branch.branches.set(character, next);
    branch = next;
  }
  branch.isEnd = true;
}

/** A pattern of what must follow, with any backslashes in between; a token that others begin with decides alone. */
function sourceOf({ isEnd, branches }: Branch): string {
  if (isEnd) return '';
  const ways = [...branches].map(([character, next]) => {
    const rest = sourceOf(next);
    return escaped(character) + (rest === '' ? '' : `\\\\*${rest}`);
  });
  return ways.length === 1 ? ways[0]! : `(?:${ways.join('|')})`;
}

function escaped(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
