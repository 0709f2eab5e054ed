import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TokenText } from '../audit/tokenText.ts';

/** The smallest Qwen2: trainers want a model's configuration, and no weight of it is ever used. */
const tinyModel = {
  architectures: ['Qwen2ForCausalLM'],
  model_type: 'qwen2',
  hidden_size: 8,
  intermediate_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 131_072,
  tie_word_embeddings: true,
};

/** Writes a model folder with the audit's tokenizer, as trainers open it. */
export async function writeTinyModel(folder: string, { file, controls }: TokenText): Promise<void> {
  await mkdir(folder, { recursive: true });
  await copyFile(file, path.join(folder, 'tokenizer.json'));
  const settings = path.join(path.dirname(file), 'tokenizer_config.json');
  const target = path.join(folder, 'tokenizer_config.json');
  const end = ['<|im_end|>', '<|eot_id|>', '</s>'].find((token) => [...controls.values()].includes(token));
  const plain = { tokenizer_class: 'PreTrainedTokenizerFast', eos_token: end, pad_token: end };
  if (existsSync(settings)) await copyFile(settings, target);
  else await writeFile(target, JSON.stringify(plain));
  // Enough for every id: the control tokens stand last in all vocabularies that are in use.
  const vocab_size = 1_024 * Math.ceil((Math.max(150_000, ...controls.keys()) + 1) / 1_024);
  await writeFile(path.join(folder, 'config.json'), JSON.stringify({ ...tinyModel, vocab_size }));
}
