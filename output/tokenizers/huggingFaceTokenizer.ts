import { Tokenizer as HuggingFace } from 'tokenizers';
import type { TokenizerJson } from './tokenizerFile.ts';

/** Hugging Face's own tokenizer, with its added tokens taken away: they can't be encoded from text then. */
export interface OrdinaryTokenizer {
  /** The text as the tokenizer would normalise it. */
  normalise(text: string): string;
  encode(text: string): Promise<Uint32Array>;
  decode(ids: Uint32Array): Promise<string>;
}

/** Makes Hugging Face's tokenizer of a file; throws an `Error` when the library can't read it. */
export function createOrdinaryTokenizer(json: TokenizerJson): OrdinaryTokenizer {
  const tokenizer = HuggingFace.fromString(
    JSON.stringify({ ...json, added_tokens: [], post_processor: null, truncation: null, padding: null }),
  );
  const normalizer = tokenizer.getNormalizer();
  return {
    normalise: (text) => normalizer?.normalizeString(text) ?? text,
    encode: async (text) =>
      Uint32Array.from((await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds()),
    decode: (ids) => tokenizer.decode([...ids], false),
  };
}
