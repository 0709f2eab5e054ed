import { readTokenizerFile, type TokenizerJson } from '../../../output/tokenizers/tokenizerFile.ts';

/** Qwen2.5's `tokenizer.json`. */
export const qwenJson: TokenizerJson = (await readTokenizerFile('qwen2.5')).json;

/** The pattern of Qwen, or of Llama 3 with its three digits a piece. */
export function piecePattern(numbers: '\\p{N}' | '\\p{N}{1,3}'): string {
  return `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;
}

/** Byte level behind a pattern. */
export function splitBy(Regex: string): unknown {
  return {
    type: 'Sequence',
    pretokenizers: [
      { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
      { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    ],
  };
}

/** Qwen's vocabulary in a file of Llama 3's kind. */
export const llamaLikeJson: TokenizerJson = {
  ...qwenJson,
  normalizer: null,
  pre_tokenizer: splitBy(piecePattern('\\p{N}{1,3}')),
  model: { ...qwenJson.model, ignore_merges: true },
};
