import { once } from '../../base/once.ts';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { loadTokenizer } from './loadTokenizer.ts';

/** Gives the text of a row's ids, control tokens included; undefined where they are ids of another tokenizer. */
export type DecodeIds = (ids: readonly number[]) => Promise<string | undefined>;

/** Decodes rows that come as ids; the tokenizer is loaded for the first of them. */
export function createIdDecoder(nameOrPath: string): DecodeIds {
  const decode = nameOrPath === BUNDLED_TOKENIZER ? bundled : once(() => loadDecoder(nameOrPath));
  return async (ids) => (await decode())(ids);
}

/** Loading it takes half a second, and it never changes. */
const bundled = once(() => loadDecoder(BUNDLED_TOKENIZER));

async function loadDecoder(nameOrPath: string): Promise<DecodeIds> {
  return idDecoder(await loadTokenizer(nameOrPath));
}

/** Ids that are looked at to tell whose they are. */
const sampleIds = 64;
/** The last of them may join otherwise where the text goes on. */
const mayJoin = 16;

export function idDecoder(
  tokenizer: Pick<Tokenizer, 'decode' | 'encode' | 'addedTokens' | 'controlId'>,
): DecodeIds {
  const controls = new Set(tokenizer.addedTokens.map((token) => tokenizer.controlId(token)));
  const isOwn = async (ids: Uint32Array): Promise<boolean> => {
    const start = ids.findIndex((id, at) => !controls.has(id) && !controls.has(ids[at + 1]!));
    const end = ids.findIndex((id, at) => at > start && controls.has(id));
    const run = ids.subarray(Math.max(0, start), end < 0 ? undefined : end).subarray(0, sampleIds);
    const again = await tokenizer.encode(await tokenizer.decode(run));
    const compared = run.length < sampleIds ? run.length : run.length - mayJoin;
    return run.subarray(0, compared).every((id, at) => id === again[at]);
  };
  return async (list) => {
    if (list.some((id) => !Number.isInteger(id) || id < 0)) return undefined;
    const ids = Uint32Array.from(list);
    try {
      return (await isOwn(ids)) ? await tokenizer.decode(ids) : undefined;
    } catch {
      // Ids that the vocabulary does not have, or whose text the tokenizer would not make.
      return undefined;
    }
  };
}
