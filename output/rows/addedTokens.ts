import type { Tokenizer } from '../../contract/tokenizer.ts';
import { SpecialTokenEscaper } from './specialTokenEscaper.ts';

/** Match of an added token, as found by Hugging Face's tokenizers. */
export interface FoundToken {
  readonly token: string;
  readonly start: number;
}

/** Finds a tokenizer's added tokens in text exactly as Hugging Face's tokenizers do, and escapes them. */
export class AddedTokens {
  readonly escaper: SpecialTokenEscaper;
  readonly #all: ReadonlySet<string>;
  /** Patterns for tokens of plain text, then of normalised text; each searches the remaining text. */
  readonly #searches: readonly RegExp[];

  constructor({ addedTokens, addedTokenFlags }: Pick<Tokenizer, 'addedTokens' | 'addedTokenFlags'>) {
    const isNormalized = (token: string) => addedTokenFlags.get(token)?.normalized === true;
    const plain = addedTokens.filter((token) => !isNormalized(token));
    // These tokens are normalised before matching.
    const normalized = addedTokens.filter(isNormalized).map((token) => token.normalize('NFC'));
    this.escaper = new SpecialTokenEscaper([...addedTokens, ...normalized]);
    this.#all = new Set([...plain, ...normalized]);
    this.#searches = [plain, normalized].filter((tokens) => tokens.length > 0).map(longestOf);
  }

  has(text: string): boolean {
    return this.#all.has(text);
  }

  /** Finds tokens in order: the leftmost, and of several at one position the longest. */
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

/** Added tokens of a tokenizer, built once. */
export function addedTokensOf(tokenizer: Pick<Tokenizer, 'addedTokens' | 'addedTokenFlags'>): AddedTokens {
  const prepared = known.get(tokenizer.addedTokens) ?? new AddedTokens(tokenizer);
  known.set(tokenizer.addedTokens, prepared);
  return prepared;
}
