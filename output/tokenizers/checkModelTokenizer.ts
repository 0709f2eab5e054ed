import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/userError.ts';
import { huggingFaceText } from './huggingFaceText.ts';
import { readTokenizerFile, type TokenizerFile, type TokenizerJson } from './tokenizerFile.ts';
import { encoderSample } from './verifiedTokenizers.ts';

/**
 * Checks that the rows' tokenizer is that of the model to train, if `training.model` is a folder with a
 * `tokenizer.json`. Skipped for a model that is only a name.
 *
 * @param tokenizer - `dataset.tokenizer`: `qwen2.5`, or the path of a `tokenizer.json`
 * @param model - `training.model`; a relative folder starts at the working directory, as for the trainers
 * @throws UserError that names the first token that differs, or the problem with the tokenizer's file
 */
export async function checkModelTokenizer(tokenizer: string, model: string): Promise<void> {
  const file = path.resolve(model, 'tokenizer.json');
  if (!existsSync(file)) return;
  const ours = await readTokenizerFile(tokenizer);
  const difference = await tokenizerDifference(ours, await readTokenizerFile(file));
  if (difference === undefined) return;
  throw new UserError(
    `dataset.tokenizer: ${ours.name} is not the tokenizer of training.model ${model} (${difference}), which would be trained on other words than the rows hold: set dataset.tokenizer to ${file}, or another training.model`,
  );
}

/**
 * First difference between the rows' tokenizer and the model's; undefined if all token ids, the merges and the ids of a
 * sample are equal. Templates, limits and the files themselves may differ, as after rewriting by a library.
 */
export async function tokenizerDifference(
  ours: TokenizerFile,
  theirs: TokenizerFile,
): Promise<string | undefined> {
  if (ours.sha256 === theirs.sha256) return undefined;
  return tokenDifference(ours.json, theirs.json) ?? (await cutDifference(ours.json, theirs.json));
}

/** Describes the first token whose ids differ. */
function tokenDifference(ours: TokenizerJson, theirs: TokenizerJson): string | undefined {
  const ourIds = tokenIds(ours);
  const theirIds = tokenIds(theirs);
  for (const token of new Set([...ourIds.keys(), ...theirIds.keys()])) {
    const [our = 'none', their = 'none'] = [ourIds.get(token), theirIds.get(token)];
    if (our === their) continue;
    const shown = JSON.stringify(token.length > 40 ? `${token.slice(0, 40)}…` : token);
    return `token ${shown}: ${our} in the dataset's, ${their} in the model's`;
  }
  return undefined;
}

/** Ids by token, including added ones. Vocabularies that are no token table only have the added ones. */
function tokenIds({ model, added_tokens }: TokenizerJson): Map<string, number> {
  const { vocab } = model;
  const table = typeof vocab === 'object' && vocab !== null && !Array.isArray(vocab) ? vocab : {};
  const added = added_tokens.map(({ content, id }): [string, number] => [content, id]);
  return new Map([...Object.entries(table as Record<string, number>), ...added]);
}

async function cutDifference(ours: TokenizerJson, theirs: TokenizerJson): Promise<string | undefined> {
  const sampled = await Promise.all(
    [ours, theirs].map((json) => huggingFaceText(json).encode(encoderSample)),
  );
  if (mergesOf(ours) === mergesOf(theirs) && sampled[0]!.join() === sampled[1]!.join()) return undefined;
  return 'the same tokens, but text is cut into them otherwise';
}

/** Reads merges as `"a b"` (older files) or `["a", "b"]` (newer ones). */
function mergesOf({ model }: TokenizerJson): string {
  const { merges = [] } = model as { merges?: readonly (string | readonly string[])[] };
  return merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' '))).join('\n');
}
