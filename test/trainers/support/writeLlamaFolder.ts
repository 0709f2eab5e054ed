import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TinyTokenizerOptions, writeTinyTokenizer } from '../../output/support/tinyTokenizer.ts';
import { writeModelFolder } from './writeModelFolder.ts';

const bos = '<|begin_of_text|>';
const addedTokens = [bos, '<|start_header_id|>', '<|end_header_id|>', '<|eot_id|>'];

/** One token of the end of a tag, the line feed behind it and the beginning of the next tag. */
const merges = [
  ['>', 'Ċ'],
  ['>Ċ', '<'],
] as const;

/** Llama 3's own post-processor: whoever asks for special tokens gets a beginning of text before his text. */
const addsBos = (id: number) => ({
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: bos, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
  pair: [
    { SpecialToken: { id: bos, type_id: 0 } },
    { Sequence: { id: 'A', type_id: 0 } },
    { Sequence: { id: 'B', type_id: 1 } },
  ],
  special_tokens: { [bos]: { id: bos, ids: [id], tokens: [bos] } },
});

const tokenizerConfig = {
  tokenizer_class: 'PreTrainedTokenizerFast',
  bos_token: bos,
  eos_token: '<|eot_id|>',
  pad_token: '<|eot_id|>',
  clean_up_tokenization_spaces: false,
};

/**
 * Writes the folder of {@link writeModelFolder} as a Llama with another tokenizer: it has Llama 3's control tokens and puts a
 * beginning of text before what it is asked to encode with special tokens, and its tokens of a whole text lie across
 * the borders of segments.
 */
export async function writeLlamaFolder(folder: string): Promise<void> {
  await writeModelFolder(folder);
  // As a Qwen2 it would be given Qwen's own class of tokenizer, which has control tokens that the file lacks.
  const config = path.join(folder, 'config.json');
  const qwen = JSON.parse(await readFile(config, 'utf8')) as object;
  const llama = { ...qwen, model_type: 'llama', architectures: ['LlamaForCausalLM'] };
  await writeFile(config, JSON.stringify(llama));
  await writeLlamaTokenizer(folder, { merges });
}

/** Writes a tiny tokenizer of Llama 3's kind, for a folder that transformers opens; returns the id of the turn's end. */
export async function writeLlamaTokenizer(
  folder: string,
  options: Pick<TinyTokenizerOptions, 'merges'> = {},
): Promise<number> {
  const tiny = await writeTinyTokenizer(folder, { addedTokens, normalizer: null, ...options });
  const json = JSON.parse(await readFile(tiny, 'utf8')) as {
    added_tokens: readonly { id: number; content: string }[];
  };
  const idOf = (token: string) => json.added_tokens.find(({ content }) => content === token)!.id;
  await writeFile(
    path.join(folder, 'tokenizer.json'),
    JSON.stringify({ ...json, post_processor: addsBos(idOf(bos)) }),
  );
  await writeFile(path.join(folder, 'tokenizer_config.json'), JSON.stringify(tokenizerConfig));
  return idOf('<|eot_id|>');
}

/** A Llama of a few weights, whose tokenizer puts a beginning of text before what it encodes. */
export async function writeTinyLlama(target: string): Promise<void> {
  const eos = await writeLlamaTokenizer(target);
  const config = {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: 264,
    hidden_size: 96,
    intermediate_size: 192,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    max_position_embeddings: 4096,
    tie_word_embeddings: true,
    bos_token_id: 256,
    eos_token_id: eos,
    dtype: 'float32',
  };
  await writeFile(path.join(target, 'config.json'), JSON.stringify(config));
}
