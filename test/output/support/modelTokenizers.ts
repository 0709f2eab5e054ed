import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { piecePattern, splitBy } from './qwenTokenizer.ts';
import { type TinyTokenizerOptions, writeTinyTokenizer } from './tinyTokenizer.ts';

const merges = [
  ['t', 'h'],
  ['th', 'e'],
  ['Ġ', 'the'],
  ['<', '/'],
  ['>', 'Ċ'],
] as const;

/** Tiny tokenizers with the added tokens and the pattern of models: real ones take 10 MB each. */
const kinds = {
  chatml: {
    merges,
    preTokenizer: splitBy(piecePattern('\\p{N}')),
    addedTokens: ['<|endoftext|>', '<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>'],
  },
  qwen3: {
    merges,
    preTokenizer: splitBy(piecePattern('\\p{N}')),
    addedTokens: [
      '<|endoftext|>',
      '<|im_start|>',
      '<|im_end|>',
      '<tool_call>',
      '</tool_call>',
      '<tool_response>',
      '</tool_response>',
      '<think>',
      '</think>',
    ],
  },
  llama3: {
    merges,
    preTokenizer: splitBy(piecePattern('\\p{N}{1,3}')),
    normalizer: null,
    ignoreMerges: true,
    addedTokens: [
      '<|begin_of_text|>',
      '<|end_of_text|>',
      '<|start_header_id|>',
      '<|end_header_id|>',
      '<|eot_id|>',
      ...Array.from({ length: 251 }, (_, at) => `<|reserved_special_token_${at}|>`),
    ],
  },
  mistral: {
    merges,
    preTokenizer: splitBy(piecePattern('\\p{N}')),
    normalizer: null,
    addedTokens: ['<unk>', '<s>', '</s>', '[INST]', '[/INST]', '[TOOL_CALLS]'],
  },
} satisfies Record<string, TinyTokenizerOptions>;

/** A preset of `dataset.chat_template`. */
export type PresetName = keyof typeof kinds;
export const presetNames = Object.keys(kinds) as PresetName[];

/** The added tokens of a preset's model. */
export function addedTokensOfModel(preset: PresetName): readonly string[] {
  return kinds[preset].addedTokens;
}

/** Writes a tokenizer with which the preset can be used into a folder of its name; returns its path. */
export async function writeModelTokenizer(folder: string, preset: PresetName): Promise<string> {
  const own = path.join(folder, preset);
  await mkdir(own);
  return writeTinyTokenizer(own, kinds[preset]);
}
