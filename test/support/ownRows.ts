import { writeFileSync } from 'node:fs';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import { ignoredLabel } from '../../schemas/rows/tokens.ts';

/** The layouts that `dataset.mix` reads. */
export const ownLayouts = ['messages', 'sharegpt', 'alpaca', 'tokens'] as const;
export type OwnLayout = (typeof ownLayouts)[number];

const answers = ['Yes.', 'It is 42 °C.', 'def f(x):\n    return x', '日本語です。', 'No: see <b>above</b>.'];

const answerOf = (at: number) => `${answers[at % answers.length]} (${at})`;

/** A row of a user's own, with a mask of its own in every third. */
const makers: { readonly [Layout in Exclude<OwnLayout, 'tokens'>]: (at: number) => object } = {
  messages: (at) => ({
    messages: [
      ...(at % 2 === 0 ? [{ role: 'system', content: `Be brief, ${at}.` }] : []),
      { role: 'user', content: `What is the value of item ${at}?` },
      { role: 'assistant', content: answerOf(at), ...(at % 3 === 0 && { weight: 0 }) },
      { role: 'user', content: 'And the next?' },
      { role: 'assistant', content: answerOf(at + 1) },
    ],
  }),
  sharegpt: (at) => ({
    conversations: [
      { from: 'human', value: `Name the colour of lamp ${at}.` },
      { from: 'gpt', value: answerOf(at), ...(at % 3 === 0 && { loss: false }) },
      { from: 'human', value: 'Are you sure?' },
      { from: 'gpt', value: `Yes, ${answerOf(at)}` },
    ],
  }),
  alpaca: (at) => ({
    instruction: `Translate sentence ${at}.`,
    input: at % 2 === 0 ? `Sentence ${at}: the sea is calm.` : '',
    output: answerOf(at),
    ...(at % 3 === 0 && { system: 'You translate.', history: [['Hello', answerOf(at + 2)]] }),
  }),
};

/** The stretches of a chat in Qwen's markup: text, and whether it is trained. */
export type Stretches = readonly (readonly [text: string, trained: boolean])[];

/** Row of tokens. */
export function tokenStretches(at: number): Stretches {
  return [
    [`<|im_start|>user\nHow far is place ${at}?<|im_end|>\n<|im_start|>assistant\n`, false],
    [`${answerOf(at)}<|im_end|>\n`, true],
  ];
}

/** Ids and mask of texts that a trainer encodes one by one, control tokens as such. */
export async function encodedStretches(stretches: Stretches, tokenizer: Tokenizer) {
  const ids: number[] = [];
  const mask: number[] = [];
  for (const [text, trained] of stretches) {
    for (const part of text.split(/(<\|im_start\|>|<\|im_end\|>)/)) {
      const isControl = /^<\|im_(?:start|end)\|>$/.test(part);
      const found = isControl ? [tokenizer.controlId(part)] : [...(await tokenizer.encode(part))];
      ids.push(...found);
      mask.push(...found.map(() => Number(trained)));
    }
  }
  return { ids, mask };
}

async function tokenRow(at: number, tokenizer: Tokenizer): Promise<object> {
  const { ids, mask } = await encodedStretches(tokenStretches(at), tokenizer);
  return at % 2 === 0
    ? { input_ids: ids, labels: ids.map((id, place) => (mask[place] ? id : ignoredLabel)) }
    : { input_ids: ids, loss_mask: mask };
}

/** Rows of a user's own in one layout; the same numbers give the same rows. */
export async function ownRows(layout: OwnLayout, count: number, tokenizer: Tokenizer): Promise<object[]> {
  const numbers = Array.from({ length: count }, (_, at) => at);
  if (layout !== 'tokens') return numbers.map(makers[layout]);
  return Promise.all(numbers.map((at) => tokenRow(at, tokenizer)));
}

/** Writes rows as JSON lines. */
export function writeRowFile(file: string, rows: readonly object[]): string {
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return file;
}
