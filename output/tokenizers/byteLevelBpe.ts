import { z } from 'zod';
import { bytesOfToken } from './byteLevelAlphabet.ts';
import type { TokenizerJson } from './tokenizerFile.ts';

/** A byte-level BPE vocabulary in `tiktoken`'s terms: its ranks are the ids, its pattern cuts text into pieces. */
export interface ByteLevelBpe {
  readonly pattern: string;
  /** Bytes of each id, by id; undefined where the id is no ordinary token. */
  readonly tokens: readonly (Uint8Array | undefined)[];
}

/** The pattern of a `ByteLevel` pre-tokeniser that uses its own (GPT-2's). */
const gpt2Pattern = "'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

const byteLevel = z.looseObject({ type: z.literal('ByteLevel'), add_prefix_space: z.literal(false) });
const preTokenizerSchema = z.union([
  byteLevel.extend({ use_regex: z.literal(true).default(true) }).transform(() => gpt2Pattern),
  z
    .looseObject({
      type: z.literal('Sequence'),
      pretokenizers: z.tuple([
        z.looseObject({
          type: z.literal('Split'),
          pattern: z.object({ Regex: z.string() }),
          behavior: z.literal('Isolated'),
          invert: z.literal(false),
        }),
        byteLevel.extend({ use_regex: z.literal(false) }),
      ]),
    })
    .transform((sequence) => sequence.pretokenizers[0].pattern.Regex),
]);

const emptyOrAbsent = z.literal('').nullish();
const modelSchema = z.looseObject({
  type: z.literal('BPE'),
  vocab: z.record(z.string(), z.int().nonnegative()),
  merges: z.array(z.union([z.string(), z.tuple([z.string(), z.string()])])),
  dropout: z.null().optional(),
  continuing_subword_prefix: emptyOrAbsent,
  end_of_word_suffix: emptyOrAbsent,
  byte_fallback: z.literal(false).nullish(),
});

const normalizerSchema = z.looseObject({ type: z.literal('NFC') }).nullish();

/**
 * The vocabulary as `tiktoken` takes it, or undefined when the file describes any other kind. `tiktoken` merges the
 * pair whose joined token has the lowest id first, so merges must be listed in the order of the ids they make.
 */
export function byteLevelBpe(json: TokenizerJson): ByteLevelBpe | undefined {
  const pattern = preTokenizerSchema.safeParse(json.pre_tokenizer);
  const model = modelSchema.safeParse(json.model);
  if (!pattern.success || !model.success || !normalizerSchema.safeParse(json.normalizer).success)
    return undefined;
  const { vocab, merges } = model.data;
  if (!mergesFollowIds(vocab, merges)) return undefined;
  const tokens = tokenBytes(vocab, new Set(json.added_tokens.map((token) => token.content)));
  return tokens && { pattern: pattern.data, tokens };
}

type Merges = z.infer<typeof modelSchema>['merges'];

function mergesFollowIds(vocab: Readonly<Record<string, number>>, merges: Merges): boolean {
  let last = -1;
  return merges.every((merge) => {
    const id = vocab[typeof merge === 'string' ? merge.replace(' ', '') : merge.join('')];
    if (id === undefined || id < last) return false;
    last = id;
    return true;
  });
}

function tokenBytes(vocab: Readonly<Record<string, number>>, added: ReadonlySet<string>) {
  const tokens: (Uint8Array | undefined)[] = [];
  for (const [token, id] of Object.entries(vocab)) {
    if (added.has(token)) continue;
    const bytes = bytesOfToken(token);
    if (bytes === undefined) return undefined;
    tokens[id] = bytes;
  }
  return Array.from(tokens);
}
