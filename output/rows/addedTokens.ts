import type { Tokenizer } from '../../contract/tokenizer.ts';
import { SpecialTokenEscaper } from './specialTokenEscaper.ts';

/** A place where Hugging Face's tokenizers find an added token. */
export interface FoundToken {
  readonly token: string;
  readonly start: number;
}

/** The added tokens of a tokenizer: finds them in text as Hugging Face's tokenizers do, and escapes them. */
export class AddedTokens {
  readonly escaper: SpecialTokenEscaper;
  readonly #all: ReadonlySet<string>;
  /** First the tokens of plain text, then those of normalised text, each search in what the one before left over. */
  readonly #searches: readonly RegExp[];

  constructor({ addedTokens, addedTokenFlags }: Pick<Tokenizer, 'addedTokens' | 'addedTokenFlags'>) {
    const isNormalized = (token: string) => addedTokenFlags.get(token)?.normalized === true;
    const plain = addedTokens.filter((token) => !isNormalized(token));
    // They are normalised themselves before they are looked for.
    const normalized = addedTokens.filter(isNormalized).map((token) => token.normalize('NFC'));
    this.escaper = new SpecialTokenEscaper([...addedTokens, ...normalized]);
    this.#all = new Set([...plain, ...normalized]);
    this.#searches = [plain, normalized].filter((tokens) => tokens.length > 0).map(longestOf);
  }

  /** Whether this very text is an added token. */
  has(text: string): boolean {
    return this.#all.has(text);
  }

  /** The tokens in a text, in order: the first that begins, and of several that begin there the longest. */
  find(text: string): FoundToken[] {
    return this.#findFrom(0, text, 0);
  }

  #findFrom(search: number, text: string, offset: number): FoundToken[] {
    const pattern = this.#searches[search];
    if (pattern === undefined || text === '') return [];
    const found: FoundToken[] = [];
    let from = 0;
    for (const match of text.matchAll(pattern)) {
      found.push(...this.#findFrom(search + 1, text.slice(from, match.index), offset + from));
      found.push({ token: match[0], start: offset + match.index });
      from = match.index + match[0].length;
    }
    return [...found, ...this.#findFrom(search + 1, text.slice(from), offset + from)];
  }
}

function longestOf(tokens: readonly string[]): RegExp {
  const longestFirst = [...tokens].sort((a, b) => b.length - a.length);
  return new RegExp(longestFirst.map((token) => token.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
}

const known = new WeakMap<readonly string[], AddedTokens>();

/** The added tokens of a tokenizer, prepared once. */
export function addedTokensOf(tokenizer: Pick<Tokenizer, 'addedTokens' | 'addedTokenFlags'>): AddedTokens {
  const prepared = known.get(tokenizer.addedTokens) ?? new AddedTokens(tokenizer);
  known.set(tokenizer.addedTokens, prepared);
  return prepared;
}
