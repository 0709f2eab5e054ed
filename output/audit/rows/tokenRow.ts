import { qwenSystemPrompt } from '../../../schemas/config/dataset.ts';
import { type AfmMaskPatterns, afmMask } from '../../../schemas/trainers/afmMask.ts';
import { ignoredLabel } from '../../../schemas/trainers/huggingFace.ts';
import type { RowProblem } from '../expectation/auditSettings.ts';
import type { EncodedText, TokenText } from '../tokenText.ts';
import type { RecognisedRow, Turn } from './recogniseRow.ts';

/** A row in the tokens and with the mask that its trainer would see. */
export interface TokenRow {
  readonly row: EncodedText;
  /** 1 where the token is in the loss. */
  readonly trained: Uint8Array;
  /** What is wrong with the row before its text is looked at. */
  readonly problems: readonly RowProblem[];
  /** The row's text encoded as a whole; undefined where the ids are no text of this tokenizer. */
  readonly whole: EncodedText | undefined;
}

/**
 * Brings a row of any layout into tokens, as its trainer does.
 *
 * @param observationTag what AFM's fork is told to mask
 */
export async function tokenRow(
  recognised: RecognisedRow,
  tokenText: TokenText,
  observationTag?: string,
): Promise<TokenRow> {
  switch (recognised.layout) {
    case 'tokenised':
      return fromIds(recognised, tokenText);
    case 'alpaca':
      return fromAlpaca(recognised, tokenText, observationTag);
    case 'labelled_texts':
      return fromParts(recognised.turns, [], tokenText);
    case 'turns':
    case 'ranking':
      return hasMarkup(recognised.turns, tokenText)
        ? fromParts(recognised.turns, orderProblems(recognised.turns), tokenText)
        : fromParts(templateParts(recognised.turns, tokenText), [], tokenText);
  }
}

type Tokenised = Extract<RecognisedRow, { layout: 'tokenised' }>;

async function fromIds(recognised: Tokenised, tokenText: TokenText): Promise<TokenRow> {
  const { ids, labels, lossMask } = recognised;
  const trained = Uint8Array.from(ids, (_, at) =>
    Number(labels ? labels[at] !== undefined && labels[at] !== ignoredLabel : (lossMask?.[at] ?? 0) > 0),
  );
  const problems = idProblems(recognised);
  const unknown = ids.findIndex((id) => !Number.isInteger(id) || id < 0 || !tokenText.knows(id));
  if (unknown >= 0) {
    const message = `the tokenizer ${tokenText.name} has no id ${ids[unknown]}`;
    const row = { text: '', ids, starts: ids.map(() => 0), ends: ids.map(() => 0) };
    const foreign = { kind: 'foreign_ids', message, token: unknown, tokens: 1 } as const;
    return { row, trained, problems: [...problems, foreign], whole: undefined };
  }
  const whole = await tokenText.encode(await tokenText.decode(ids));
  return { row: { ...whole, ids }, trained, problems, whole };
}

function idProblems({ ids, labels, lossMask, attentionMask, lossWeights }: Tokenised): RowProblem[] {
  const problems: RowProblem[] = [];
  const columns = { labels, loss_mask: lossMask, attention_mask: attentionMask, loss_weights: lossWeights };
  for (const [name, list] of Object.entries(columns)) {
    if (list === undefined || list.length === ids.length) continue;
    const message = `${name} has ${list.length} values for ${ids.length} ids`;
    problems.push({ kind: 'wrong_lengths', message, token: Math.min(list.length, ids.length), tokens: 0 });
  }
  const hidden = attentionMask?.indexOf(0) ?? -1;
  if (hidden >= 0) {
    const message = 'attention_mask is 0 for a token of the row';
    problems.push({ kind: 'attention_masked', message, token: hidden, tokens: 1 });
  }
  const strange = labels?.findIndex((label, at) => label !== ignoredLabel && label !== ids[at]) ?? -1;
  if (strange >= 0 && strange < ids.length) {
    const message = `the label is ${labels![strange]}, the id ${ids[strange]}`;
    problems.push({ kind: 'label_not_id', message, token: strange, tokens: 1 });
  }
  return problems;
}

/** A row of AFM's layout as AFM's fork of LLaMA-Factory makes it, template `qwen`: the fork masks by tokens. */
async function fromAlpaca(
  { system, user, output }: Extract<RecognisedRow, { layout: 'alpaca' }>,
  tokenText: TokenText,
  observationTag = 'observation',
): Promise<TokenRow> {
  const prompt = `<|im_start|>system\n${system ?? qwenSystemPrompt}<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n<|im_start|>assistant\n`;
  const answer = await tokenText.encode(`${output}<|im_end|>\n`);
  const row = await tokenText.encodeApart([prompt, answer.text]);
  const whole = await tokenText.encode(row.text);
  const trained = new Uint8Array(row.ids.length);
  const mask = afmMask(output, answer.ids, await forkPatterns(tokenText, observationTag), observationTag);
  if (!mask.kept) {
    const message = `the fork drops it: ${mask.reason}`;
    const problem: RowProblem = { kind: 'dropped_by_fork', message, token: null, tokens: 0 };
    return { row, trained, problems: [problem], whole };
  }
  const first = row.ids.length - answer.ids.length;
  for (const { from, to } of mask.trained) trained.fill(1, first + from, first + to);
  return { row, trained, problems: [], whole };
}

/** The fork tokenises its two marks with the model's own tokenizer. */
async function forkPatterns(tokenText: TokenText, tag: string): Promise<AfmMaskPatterns> {
  const { ids: start } = await tokenText.encode(`<${tag}`);
  const { ids: end } = await tokenText.encode(`${tag}>\n\n`);
  return { start, end };
}

type Part = Pick<Turn, 'text' | 'trained'>;

/** Texts that the trainer tokenises one by one. */
async function fromParts(
  parts: readonly Part[],
  problems: readonly RowProblem[],
  tokenText: TokenText,
): Promise<TokenRow> {
  const row = await tokenText.encodeApart(parts.map(({ text }) => text));
  const trained = new Uint8Array(row.ids.length);
  let from = 0;
  for (const [at, count] of row.counts.entries()) {
    trained.fill(Number(parts[at]!.trained), from, from + count);
    from += count;
  }
  return { row, trained, problems, whole: await tokenText.encode(row.text) };
}

/** Rows for a template that adds nothing carry the chat markup in their texts. */
export function hasMarkup(turns: readonly Turn[], tokenText: TokenText): boolean {
  const first = turns[0]!.text;
  return [...tokenText.controls.values()].some((control) => first.startsWith(control));
}

/** LLaMA-Factory drops rows of another order with no more than a warning. */
function orderProblems(turns: readonly Turn[]): RowProblem[] {
  const wrong = turns.findIndex(({ role }, place) => (role === 'assistant') !== (place % 2 === 1));
  if (wrong < 0 && turns.length % 2 === 0) return [];
  const message =
    wrong < 0
      ? `expected an even number of turns, found ${turns.length}`
      : `turn ${wrong + 1} is of the ${turns[wrong]!.role}`;
  return [{ kind: 'wrong_turn_order', message, token: null, tokens: 0 }];
}

/** How a family of models opens and closes turns. */
interface TurnMarkup {
  readonly start: string;
  readonly opening: (role: string) => string;
  readonly closing: string;
}

const chatMl: TurnMarkup = {
  start: '',
  opening: (role) => `<|im_start|>${role}\n`,
  closing: '<|im_end|>\n',
};
const llama3: TurnMarkup = {
  start: '<|begin_of_text|>',
  opening: (role) => `<|start_header_id|>${role}<|end_header_id|>\n\n`,
  closing: '<|eot_id|>',
};

/** Turns without markup as the model's template writes them; neighbouring turns of the model are one. */
function templateParts(turns: readonly Turn[], tokenText: TokenText): Part[] {
  const isLlama = [...tokenText.controls.values()].includes('<|start_header_id|>');
  const markup = isLlama ? llama3 : chatMl;
  const parts: Part[] = [{ text: markup.start, trained: false }];
  // LLaMA-Factory's `template: qwen` and Qwen2.5's own template both write this one.
  if (turns[0]!.role !== 'system' && !isLlama)
    parts.push(...turnParts('system', [{ text: qwenSystemPrompt, trained: false }], markup));
  for (let at = 0; at < turns.length; ) {
    const { role } = turns[at]!;
    const next =
      role === 'assistant' ? turns.findIndex((turn, place) => place > at && turn.role !== role) : at + 1;
    const until = next < 0 ? turns.length : next;
    parts.push(...turnParts(role === 'tool' ? 'user' : role, turns.slice(at, until), markup));
    at = until;
  }
  return parts;
}

/** Templates train the end of the model's turn, whatever part of the answer stands before it. */
function turnParts(role: string, words: readonly Part[], { opening, closing }: TurnMarkup): Part[] {
  const isTrained = words.some(({ trained }) => trained);
  return [
    { text: opening(role), trained: false },
    ...words.map(({ text, trained }) => ({ text, trained })),
    { text: closing, trained: isTrained },
  ];
}
