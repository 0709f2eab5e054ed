import { loadTokenizer } from '../../../output/tokenizers/loadTokenizer.ts';
import { rowSettings } from './rowSettings.ts';

/** Qwen2.5's tokenizer: one for all tests of a worker, since loading it takes longer than most of them. */
export const qwen = await loadTokenizer('qwen2.5');

/** What rows are rendered with by it when the configuration says nothing. */
export const qwenSettings = await rowSettings(qwen);
