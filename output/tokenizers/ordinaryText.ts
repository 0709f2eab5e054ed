import type { EncodedTexts } from '../../contract/tokenizer.ts';
import { normalForm } from '../../schemas/normalForm.ts';
import { ByteLevelEncoder } from './byteLevel/byteLevelEncoder.ts';
import type { ByteLevelVocabulary } from './byteLevel/byteLevelVocabulary.ts';

/** One of the two programs that encode text in which nothing is a control token. */
export interface OrdinaryText {
  readonly encoder: 'coa-distill' | 'tokenizers';
  /** What it encodes by, where that can be copied to another thread. */
  readonly vocabulary: ByteLevelVocabulary | undefined;
  /** Whether the tokenizer encodes this very text, not a normal form of it. */
  keeps(text: string): boolean;
  encode(text: string): Promise<Uint32Array>;
  /** As in the contract's `Tokenizer`. */
  encodeSideBySide(texts: readonly string[]): Promise<EncodedTexts | undefined>;
  decode(ids: Uint32Array): Promise<string>;
}

/** Our own encoder of a vocabulary. Node's NFC leaves text as it is exactly where Hugging Face's does: a test compares them. */
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

/** Encodes each text by itself and all of them as one; undefined when that gives different ids. */
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
