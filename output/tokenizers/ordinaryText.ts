import type { EncodedTexts } from '../../contract/tokenizer.ts';
import { normalForm } from '../../schemas/normalForm.ts';
import { ByteLevelEncoder } from './byteLevel/byteLevelEncoder.ts';
import type { ByteLevelVocabulary } from './byteLevel/byteLevelVocabulary.ts';

/** Encoder of text without control tokens; there are two implementations. */
export interface OrdinaryText {
  readonly encoder: 'coa-distill' | 'tokenizers';
  /** Copyable vocabulary, if the encoder has one. */
  readonly vocabulary: ByteLevelVocabulary | undefined;
  /** True if the tokenizer encodes the text itself, not a normal form of it. */
  keeps(text: string): boolean;
  encode(text: string): Promise<Uint32Array>;
  /** As in the contract's `Tokenizer`. */
  encodeSideBySide(texts: readonly string[]): Promise<EncodedTexts | undefined>;
  decode(ids: Uint32Array): Promise<string>;
}

/**
 * coa-distill's encoder of a vocabulary. A test proves that Node's NFC agrees with Hugging Face's on which text is
 * unchanged.
 */
export function byteLevelText(
  vocabulary: ByteLevelVocabulary,
  encoder = new ByteLevelEncoder(vocabulary),
): OrdinaryText {
  const { normalises } = vocabulary;
  const encode = async (text: string) => encoder.encode(text);
  return {
    encoder: 'coa-distill',
    vocabulary,
    keeps: (text) => !normalises || normalForm(text, 'NFC') === text,
    encode,
    // Other pieces can still have the same ids.
    encodeSideBySide: async (texts) =>
      encoder.encodeSideBySide(texts) ?? (await encodeApartAndWhole(texts, encode)),
    decode: async (ids) => encoder.decode(ids),
  };
}

/** Encodes each text separately and all as one; undefined if the ids differ. */
export async function encodeApartAndWhole(
  texts: readonly string[],
  encode: (text: string) => Promise<Uint32Array>,
): Promise<EncodedTexts | undefined> {
  const whole = await encode(texts.join(''));
  const ends = new Uint32Array(texts.length);
  let size = 0;
  for (const [index, text] of texts.entries()) {
    const ids = await encode(text);
    if (ids.some((id, at) => whole[size + at] !== id)) return undefined;
    size += ids.length;
    ends[index] = size;
  }
  return size === whole.length ? { ids: whole, ends } : undefined;
}
