/** Text without added tokens, and the number of changes. */
export interface Escaped {
  readonly text: string;
  readonly count: number;
}

/**
 * Escapes the special tokens of a tokenizer in text with backslashes, and reverses it.
 *
 * A place is the first character of a token whose other characters follow, ignoring backslashes. Escaping changes the
 * number of backslashes right after that character, so that it never matches a token. Unless tokens contain backslashes
 * themselves, every multiple of three becomes the next one: 0 becomes 3, 3 becomes 6. 1 and 2 stay, which conversion
 * wrote (see `escapeStructure`), so that converted texts are the same in rows.
 *
 * | before | after |
 * |---|---|
 * | `<|im_end|>` | `<\\\|im_end|>` |
 * | `<\|im_end|>`, `<\\|im_end|>` | the same |
 * | `<\\\|im_end|>` | `<\\\\\\|im_end|>` |
 *
 * The mapping of numbers is injective, and backslashes neither create nor remove a place. So the inverse exists for
 * every text and every set of tokens, even if tokens overlap, begin one another or contain backslashes.
 */
export class SpecialTokenEscaper {
  readonly #places: RegExp | undefined;
  /** Longest run of backslashes in any token. */
  readonly #longest: number;
  /** Step added to the number; of as many consecutive numbers, the last two stay unchanged. */
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

  #mapRuns(text: string, map: (run: number) => number): string {
    if (this.#places === undefined) return text;
    return text.replace(
      this.#places,
      (_, head: string, backslashes: string) => head + '\\'.repeat(map(backslashes.length)),
    );
  }
}

/**
 * True if a token can be escaped: a single character leaves no room for backslashes, and white space is in every
 * indented text.
 */
export function isEscapable(token: string): boolean {
  const bare = withoutBackslashes(token);
  return [...bare].length > 1 && bare.trim() !== '';
}

function withoutBackslashes(token: string): string {
  return token.replaceAll('\\', '');
}

/** Longest run of backslashes inside any token. */
function longestRun(tokens: readonly string[]): number {
  const runs = tokens.flatMap((token) => token.match(/\\+/g) ?? []);
  return Math.max(0, ...runs.map((run) => run.length));
}

/** Pattern for the first character of a token and the backslashes after it, if the rest follows. */
function placesOf(tokens: readonly string[]): string {
  const root: Branch = { isEnd: false, branches: new Map() };
  for (const token of tokens) addToken(root, withoutBackslashes(token));
  const heads = [...root.branches].map(([head, tail]) => `${escaped(head)}(?=\\\\*${sourceOf(tail)})`);
  return `(${heads.join('|')})(\\\\*)`;
}

/** Trie of tokens, so that each character of the text is examined once. */
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

/**
 * Pattern for the rest of a token, with optional backslashes in between; a token that is a prefix of others matches
 * alone.
 */
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
