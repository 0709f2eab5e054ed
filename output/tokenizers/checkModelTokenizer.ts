import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/userError.ts';
import { createOrdinaryTokenizer } from './huggingFaceTokenizer.ts';
import { readTokenizerFile, type TokenizerFile, type TokenizerJson } from './tokenizerFile.ts';
import { encoderSample } from './verifiedTokenizers.ts';

/**
 * Makes sure that the rows' tokenizer is that of the model that will be trained on them, where the model's own can be
 * read: `training.model` is a folder with a `tokenizer.json`. A model that is only a name says nothing.
 *
 * Equal means that every token has the same id and that a sample of text has the same ids. Files may differ
 * otherwise, as they do when a library rewrites a tokenizer.
 *
 * @param tokenizer - `dataset.tokenizer`: `qwen2.5`, or the path of a `tokenizer.json`
 * @param model - `training.model`; a relative folder starts at the working directory, as for the trainers
 * @throws UserError that names the first token that differs, or says what is wrong with the tokenizer's file
 */
export async function checkModelTokenizer(tokenizer: string, model: string): Promise<void> {
  const file = path.resolve(model, 'tokenizer.json');
  if (!existsSync(file)) return;
  const ours = await readTokenizerFile(tokenizer);
  const theirs = await readTokenizerFile(file);
  if (ours.sha256 === theirs.sha256) return;
  const difference = tokenDifference(ours.json, theirs.json) ?? (await sampleDifference(ours, theirs));
  if (difference === undefined) return;
  throw new UserError(
    `dataset.tokenizer: ${ours.name} is not the tokenizer of training.model ${model} (${difference}), which would be trained on other words than the rows hold: set dataset.tokenizer to ${file}, or another training.model`,
  );
}

/** The first token whose ids differ, in words. */
function tokenDifference(ours: TokenizerJson, theirs: TokenizerJson): string | undefined {
  const ourIds = tokenIds(ours);
  const theirIds = tokenIds(theirs);
  const idOf = (id: number | undefined) => (id === undefined ? 'not there' : `${id}`);
  for (const token of new Set([...ourIds.keys(), ...theirIds.keys()])) {
    const [our, their] = [ourIds.get(token), theirIds.get(token)];
    if (our === their) continue;
    const shown = JSON.stringify(token.length > 40 ? `${token.slice(0, 40)}…` : token);
    return `token ${shown}: ${idOf(our)} here, ${idOf(their)} in the model`;
  }
  return undefined;
}

/** Ids by token, added ones included. Vocabularies that are no table of tokens have none but the added ones. */
function tokenIds({ model, added_tokens }: TokenizerJson): Map<string, number> {
  const { vocab } = model;
  const table = typeof vocab === 'object' && vocab !== null && !Array.isArray(vocab) ? vocab : {};
  const added = added_tokens.map(({ content, id }): [string, number] => [content, id]);
  return new Map([...Object.entries(table as Record<string, number>), ...added]);
}

async function sampleDifference(ours: TokenizerFile, theirs: TokenizerFile): Promise<string | undefined> {
  const [here, there] = await Promise.all(
    [ours, theirs].map(({ json }) => createOrdinaryTokenizer(json).encode(encoderSample)),
  );
  const at = here!.findIndex((id, place) => id !== there![place]);
  if (at < 0 && here!.length === there!.length) return undefined;
  return 'the same tokens, but text is cut into them otherwise';
}
