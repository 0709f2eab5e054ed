import { openTokenText } from '../../../output/check/tokenText.ts';

/** Qwen2.5's tokenizer as the check opens it: one for all tests of a worker, since loading it takes half a second. */
export const qwenText = await openTokenText('qwen2.5');
