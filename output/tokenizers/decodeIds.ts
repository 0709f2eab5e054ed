import { once } from '../../base/once.ts';
import { loadTokenizer } from './loadTokenizer.ts';

/** Gives the text of ids, control tokens included. */
export type DecodeIds = (ids: readonly number[]) => Promise<string>;

/** Decodes rows that come as ids; the tokenizer is loaded for the first of them. */
export function createIdDecoder(tokenizer: string): DecodeIds {
  const loaded = once(() => loadTokenizer(tokenizer));
  return async (ids) => (await loaded()).decode(Uint32Array.from(ids));
}
