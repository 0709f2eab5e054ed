import { once } from '../../base/once.ts';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { loadTokenizer } from './loadTokenizer.ts';

/** Decodes a row's ids including control tokens; undefined for ids of another tokenizer. */
export type DecodeIds = (ids: readonly number[]) => Promise<string | undefined>;

/** Decodes rows given as ids; loads the tokenizer on first use. */
export function createIdDecoder(nameOrPath: string): DecodeIds {
  const decode = nameOrPath === BUNDLED_TOKENIZER ? bundled : once(() => loadDecoder(nameOrPath));
  return async (ids) => (await decode())(ids);
}

/** Cached, since loading takes half a second. */
const bundled = once(() => loadDecoder(BUNDLED_TOKENIZER));

async function loadDecoder(nameOrPath: string): Promise<DecodeIds> {
  return idDecoder(await loadTokenizer(nameOrPath));
}

/** Ids inspected to identify their tokenizer. */
const sampleIds = 64;
/** Trailing ids that may change if the text continues. */
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
      // Unknown ids, or a text that the tokenizer would not encode to them.
      return undefined;
    }
  };
}
