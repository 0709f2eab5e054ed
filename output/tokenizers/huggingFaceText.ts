import { Tokenizer as HuggingFace } from 'tokenizers';
import { encodeApartAndWhole, type OrdinaryText } from './ordinaryText.ts';
import type { TokenizerJson } from './tokenizerFile.ts';

/**
 * Hugging Face's own tokenizer of a file without its added tokens, so that text cannot encode to them.
 *
 * @throws Error if the library can't read the file
 */
export function huggingFaceText(json: TokenizerJson): OrdinaryText {
  const tokenizer = bareTokenizer({ ...json, added_tokens: [] });
  const normalizer = tokenizer.getNormalizer();
  const encode = async (text: string) => Uint32Array.from(await idsOf(tokenizer, text));
  return {
    encoder: 'tokenizers',
    vocabulary: undefined,
    keeps: (text) => (normalizer?.normalizeString(text) ?? text) === text,
    encode,
    encodeSideBySide: (texts) => encodeApartAndWhole(texts, encode),
    decode: (ids) => tokenizer.decode([...ids], false),
  };
}

/**
 * True if the ids of text do not depend on its position. Tokenizers with a `Metaspace` put a space before the first
 * word of a text, but not after an added token, so that the parts of a row could not be encoded separately.
 */
export async function encodesAlikeEverywhere(json: TokenizerJson): Promise<boolean> {
  const whole = bareTokenizer(json);
  const alone = await huggingFaceText(json).encode('word');
  for (const { content, id } of json.added_tokens.filter(isBare)) {
    const [first, ...behind] = await idsOf(whole, `${content}word`);
    // A token that contains a shorter one may not match itself, so it proves nothing.
    if (first === id && (await idsOf(whole, content)).length === 1) return behind.join() === alone.join();
  }
  return true;
}

/** The library's tokenizer without post-processing and truncation. */
function bareTokenizer(json: TokenizerJson): HuggingFace {
  return HuggingFace.fromString(
    JSON.stringify({ ...json, post_processor: null, truncation: null, padding: null }),
  );
}

async function idsOf(tokenizer: HuggingFace, text: string): Promise<number[]> {
  return (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds();
}

/** True if an added token absorbs no adjacent text. */
function isBare(token: TokenizerJson['added_tokens'][number]): boolean {
  return !token.lstrip && !token.rstrip && !token.single_word;
}
