import { z } from 'zod';
import type { TokenizerJson } from '../tokenizerFile.ts';
import { createMergeTable, type MergeTable } from './mergeTokens.ts';
import { characterOfByte, type TokenBytes, tokenBytesOf } from './tokenBytes.ts';

/**
 * Byte-level BPE vocabulary with a pattern supported by {@link PieceCutter}: plain values and arrays, which can be
 * stored and copied to another thread.
 */
export interface ByteLevelVocabulary {
  /** Maximum digits per piece. */
  readonly digitsPerPiece: number;
  /** True if Hugging Face's tokenizer normalises text to NFC first. */
  readonly normalises: boolean;
  readonly idOfByte: Int32Array;
  readonly merges: MergeTable;
  /** True if a piece that is a token is never split, regardless of merges (`ignore_merges`). */
  readonly ignoresMerges: boolean;
  readonly tokens: TokenBytes;
}

const pattern = (numbers: string) =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${numbers}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;
/** Maximum digits per piece by pattern: Qwen2, 2.5 and 3; Llama 3 and GPT-4. */
const digitsByPattern = new Map([
  [pattern('\\p{N}'), 1],
  [pattern('\\p{N}{1,3}'), 3],
]);

const preTokenizerSchema = z.looseObject({
  type: z.literal('Sequence'),
  pretokenizers: z.tuple([
    z.looseObject({
      type: z.literal('Split'),
      pattern: z.strictObject({ Regex: z.string() }),
      behavior: z.literal('Isolated'),
      invert: z.literal(false),
    }),
    z.looseObject({
      type: z.literal('ByteLevel'),
      add_prefix_space: z.literal(false),
      use_regex: z.literal(false),
    }),
  ]),
});

type Vocab = Readonly<Record<string, number>>;
type Merges = readonly (string | readonly [string, string])[];
const emptyOrAbsent = z.literal('').nullish();
const modelSchema = z.looseObject({
  type: z.literal('BPE'),
  // The reference implementation has already validated the 300,000 entries.
  vocab: z.custom<Vocab>(),
  merges: z.custom<Merges>(),
  ignore_merges: z.boolean().default(false),
  dropout: z.null().optional(),
  continuing_subword_prefix: emptyOrAbsent,
  end_of_word_suffix: emptyOrAbsent,
  byte_fallback: z.literal(false).nullish(),
});

const normalizerSchema = z.looseObject({ type: z.literal('NFC') }).nullish();

/**
 * Vocabulary of a file accepted by Hugging Face's `tokenizers`; undefined for another kind or an unsupported pattern.
 */
export function byteLevelVocabulary(json: TokenizerJson): ByteLevelVocabulary | undefined {
  const preTokenizer = preTokenizerSchema.safeParse(json.pre_tokenizer);
  const model = modelSchema.safeParse(json.model);
  const normalizer = normalizerSchema.safeParse(json.normalizer);
  if (!preTokenizer.success || !model.success || !normalizer.success) return undefined;
  const digitsPerPiece = digitsByPattern.get(preTokenizer.data.pretokenizers[0].pattern.Regex);
  const { vocab, merges, ignore_merges } = model.data;
  const added = new Set(json.added_tokens.map((token) => token.content));
  const tokens = tokenBytesOf(vocab, added);
  const idOfByte = Int32Array.from(characterOfByte, (character) => vocab[character] ?? -1);
  if (digitsPerPiece === undefined || tokens === undefined || idOfByte.includes(-1)) return undefined;
  return {
    digitsPerPiece,
    normalises: normalizer.data != null,
    idOfByte,
    merges: mergeTable(vocab, merges),
    ignoresMerges: ignore_merges,
    tokens,
  };
}

function mergeTable(vocab: Vocab, merges: Merges): MergeTable {
  const pairs = merges.map((merge) => {
    const [left, right] = (typeof merge === 'string' ? merge.split(' ') : merge) as [string, string];
    return [vocab[left]!, vocab[right]!, vocab[left + right]!] as const;
  });
  return createMergeTable(pairs);
}
