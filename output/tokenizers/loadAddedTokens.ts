import { type AddedTokens, addedTokensOf } from '../rows/addedTokens.ts';
import { loadTokenizer } from './loadTokenizer.ts';

/**
 * The added tokens of the tokenizer that `dataset.tokenizer` names, without the tokenizer.
 *
 * @throws UserError as {@link loadTokenizer}
 */
export async function loadAddedTokens(nameOrPath: string): Promise<AddedTokens> {
  const tokenizer = await loadTokenizer(nameOrPath);
  tokenizer.close();
  return addedTokensOf(tokenizer);
}
