import { type LlamaFactoryRow, llamaFactoryRowSchema } from '../trainers/llamaFactory.ts';
import { turnsCodec } from './chatTurns.ts';
import type { RowProblem } from './datasetRow.ts';
import { cannotWrite, type RowToWrite, rowTurns } from './rowToWrite.ts';

/**
 * ShareGPT's `conversations`, which stock LLaMA-Factory reads and `llama_factory/` holds: with `template: empty` the texts
 * carry the chat markup themselves.
 */
export const shareGptCodec = turnsCodec('sharegpt', 'conversations');

/**
 * A row for stock LLaMA-Factory with `template: empty`: human and observation turns on even places, the model's on odd
 * ones.
 */
export function llamaFactoryRow({ pieces }: Pick<RowToWrite, 'pieces'>): LlamaFactoryRow | RowProblem {
  const conversations = rowTurns(pieces).map(({ trained, text }, place) => ({
    from: trained ? 'gpt' : place === 0 ? promptRole(text) : 'observation',
    value: text,
  }));
  const parsed = llamaFactoryRowSchema.safeParse({ conversations });
  if (parsed.success) return parsed.data;
  const turns = conversations.map((turn) => turn.from).join(' ');
  return cannotWrite(`the turns do not alternate between the model and others: ${turns}`);
}

/** What LLaMA-Factory (template.py, `_encode`) writes the turn's number for, once, in turns of `human` alone. */
const turnNumber = '{{idx}}';

/** Who speaks the beginning of a row: with `template: empty` both are written alike, and an observation stays as it is. */
export function promptRole(text: string): 'human' | 'observation' {
  return text.includes(turnNumber) ? 'observation' : 'human';
}
