import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/userError.ts';
import { huggingFaceText } from './huggingFaceText.ts';
import { readTokenizerFile, type TokenizerFile, type TokenizerJson } from './tokenizerFile.ts';
import { encoderSample } from './verifiedTokenizers.ts';

/**
 * Makes sure that the rows' tokenizer is that of the model that will be trained on them, where the model's own can be
 * read: `training.model` is a folder with a `tokenizer.json`. A model that is only a name says nothing.
 *
 * @param tokenizer - `dataset.tokenizer`: `qwen2.5`, or the path of a `tokenizer.json`
 * @param model - `training.model`; a relative folder starts at the working directory, as for the trainers
 * @throws UserError that names the first token that differs, or says what is wrong with the tokenizer's file
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
 * The first difference between the rows' tokenizer and the model's; undefined where every token has the same id, the
 * merges are the same, and a sample of text has the same ids. Templates and limits may differ, and so may the files, as
 * they do when a library rewrites a tokenizer.
 */
export async function tokenizerDifference(
  ours: TokenizerFile,
  theirs: TokenizerFile,
): Promise<string | undefined> {
  if (ours.sha256 === theirs.sha256) return undefined;
  return tokenDifference(ours.json, theirs.json) ?? (await cutDifference(ours.json, theirs.json));
}

/** The first token whose ids differ, in words. */
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

/** Ids by token, added ones included. Vocabularies that are not a table of tokens have none but the added ones. */
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

/** Merges stand as `"a b"` in older files and as `["a", "b"]` in newer ones. */
function mergesOf({ model }: TokenizerJson): string {
  const { merges = [] } = model as { merges?: readonly (string | readonly string[])[] };
  return merges.map((merge) => (typeof merge === 'string' ? merge : merge.join(' '))).join('\n');
}
