import { z } from 'zod';
import { turnsCodec } from './chatTurns.ts';
import type { RowProblem } from './datasetRow.ts';
import { cannotWrite, type RowToWrite, rowTurns } from './rowToWrite.ts';

/**
 * ShareGPT's `conversations`, which stock LLaMA-Factory reads and `llama_factory/` holds: with `template: empty` the texts
 * carry the chat markup themselves.
 */
export const shareGptCodec = turnsCodec('sharegpt', 'conversations');

const humanOrObservation = z.strictObject({
  from: z.enum(['human', 'observation']),
  value: z.string().min(1),
});
const gpt = z.strictObject({ from: z.literal('gpt'), value: z.string().min(1) });

/**
 * A row for stock LLaMA-Factory with `template: empty`: the texts carry the chat markup themselves and `gpt` turns
 * are trained. Human and observation stand on even places, gpt on odd ones, in an even number of turns; LLaMA-Factory
 * drops other rows with no more than a warning.
 */
export const llamaFactoryRowSchema = z.strictObject({
  conversations: z
    .array(z.union([humanOrObservation, gpt]))
    .min(2)
    .refine((turns) => turns.length % 2 === 0, 'expected an even number of turns')
    .refine(
      (turns) => turns.every((turn, place) => (turn.from === 'gpt') === (place % 2 === 1)),
      'expected gpt on odd places and nothing else there',
    ),
});
export type LlamaFactoryRow = z.infer<typeof llamaFactoryRowSchema>;

/**
 * A row in LLaMA-Factory's ranking layout with `template: empty`: one turn up to the answers, which carries the chat
 * markup, and the two answers. LLaMA-Factory trains the whole of both, what tools wrote included.
 */
const llamaFactoryPairSchema = z.strictObject({
  conversations: z.tuple([humanOrObservation]),
  chosen: gpt,
  rejected: gpt,
});
export type LlamaFactoryPair = z.infer<typeof llamaFactoryPairSchema>;

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

/**
 * Placeholder that LLaMA-Factory (template.py, `_encode`) replaces by the turn's number, once, only in turns of
 * `human`.
 */
const turnNumber = '{{idx}}';

/** Role of a row's first turn: with `template: empty` both are written alike, and an observation is unchanged. */
export function promptRole(text: string): 'human' | 'observation' {
  return text.includes(turnNumber) ? 'observation' : 'human';
}
