import { createMaskMarker, type MaskMarker } from '../../output/lint/mask/createMaskMarker.ts';
import { createOrdinaryTokenizer } from '../../output/tokenizers/huggingFaceTokenizer.ts';
import { readTokenizerFile } from '../../output/tokenizers/tokenizerFile.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';

/**
 * The marker for AFM's fork, whose models read text with Qwen2.5's tokenizer. Only a few characters of each row are
 * encoded, so the slower encoder will do: it takes 200 MB less than the one that exports use.
 */
export async function openMaskMarker(): Promise<MaskMarker> {
  const { json } = await readTokenizerFile(BUNDLED_TOKENIZER);
  const addedTokens = json.added_tokens.map((token) => token.content);
  return createMaskMarker({ ...createOrdinaryTokenizer(json), addedTokens });
}
