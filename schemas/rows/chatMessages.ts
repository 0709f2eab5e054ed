import { replacedTurn, rowOfTurns } from './chatTurns.ts';
import { has, type RowCodec } from './rowCodec.ts';

/** Chat messages: OpenAI's fine-tuning files, TRL's, verl's and ms-swift's. */
export const chatMessagesCodec: RowCodec = {
  name: 'messages',
  columns: 'messages',
  recognises: (raw) => has(raw, 'messages'),
  read: (raw) => rowOfTurns(raw, 'messages', 'messages'),
  replaceText: (raw, text, said) => replacedTurn(raw, 'messages', text, said),
};
