import { replacedTurn, rowOfTurns } from './chatTurns.ts';
import { has, type RowCodec } from './rowCodec.ts';

/**
 * ShareGPT's `conversations`, which stock LLaMA-Factory reads and `llama_factory/` holds: with `template: empty` the texts
 * carry the chat markup themselves.
 */
export const shareGptCodec: RowCodec = {
  name: 'sharegpt',
  columns: 'conversations',
  recognise: (raw) => (has(raw, 'conversations') ? 'certain' : 'no'),
  read: (raw) => rowOfTurns(raw, 'sharegpt', 'conversations'),
  replaceText: (raw, text, said) => replacedTurn(raw, 'conversations', text, said),
};
