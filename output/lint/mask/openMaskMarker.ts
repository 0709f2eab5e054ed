import { BUNDLED_TOKENIZER } from '../../../schemas/config/dataset.ts';
import { ByteLevelEncoder } from '../../tokenizers/byteLevel/byteLevelEncoder.ts';
import { restoreVocabulary } from '../../tokenizers/byteLevel/byteLevelVocabulary.ts';
import { type PortableTokenizer, portableTokenizer } from '../../tokenizers/fileTokenizer.ts';
import { loadTokenizer } from '../../tokenizers/loadTokenizer.ts';
import { createMaskMarker, type MaskMarker } from './createMaskMarker.ts';

/** The tokenizer of the models that AFM's fork trains, Qwen2.5's. */
export async function loadMarkingTokenizer(): Promise<PortableTokenizer> {
  const portable = portableTokenizer(await loadTokenizer(BUNDLED_TOKENIZER));
  if (portable === undefined) throw new Error('the bundled tokenizer is not encoded by our own code');
  return portable;
}

/** The marker for AFM's fork. It encodes pieces of normalised text, which may be no whole words: nothing is checked. */
export async function openMaskMarker(tokenizer?: PortableTokenizer): Promise<MaskMarker> {
  const { vocabulary, addedTokens } = tokenizer ?? (await loadMarkingTokenizer());
  const encoder = new ByteLevelEncoder(restoreVocabulary(vocabulary));
  return createMaskMarker({
    encode: async (text) => encoder.encode(text),
    decode: async (ids) => encoder.decode(ids),
    addedTokens: addedTokens.map((token) => token.content),
  });
}
