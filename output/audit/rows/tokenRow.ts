import { qwenSystemPrompt } from '../../../schemas/config/dataset.ts';
import { pythonJson } from '../../../schemas/rows/chatTurns.ts';
import type { DatasetRow, RowPiece, RowTokens } from '../../../schemas/rows/datasetRow.ts';
import { ignoredLabel, tokenWeights } from '../../../schemas/rows/tokens.ts';
import { afmMask } from '../../../schemas/trainers/afmMask.ts';
import type { RowProblem } from '../expectation/auditSettings.ts';
import type { EncodedText, TokenText } from '../tokenText.ts';

/** A row in the tokens and with the mask that its trainer would see. */
export interface TokenRow {
  readonly row: EncodedText;
  /** 1 where the token is in the loss. */
  readonly trained: Uint8Array;
  /** What is wrong with the row before its text is looked at. */
  readonly problems: readonly RowProblem[];
  /** The row's text encoded as a whole; undefined where this tokenizer makes no text of the ids. */
  readonly whole: EncodedText | undefined;
}

/**
 * Brings a row of any layout into tokens, as its trainer does.
 *
 * @param observationTag what AFM's fork is told to mask
 */
export async function tokenRow(
  row: DatasetRow,
  tokenText: TokenText,
  observationTag?: string,
): Promise<TokenRow> {
  const { tokens, maskedBy, pieces } = row;
  if (tokens) return fromIds(tokens, tokenText);
  if (maskedBy === 'fork') return fromAlpaca(row, tokenText, observationTag);
  if (maskedBy === 'segments') return fromParts(pieces, [], tokenText);
  return hasMarkup(pieces, tokenText)
    ? fromParts(pieces, orderProblems(pieces), tokenText)
    : fromParts(templateParts(row, tokenText), [], tokenText);
}

async function fromIds(tokens: RowTokens, tokenText: TokenText): Promise<TokenRow> {
  const { ids } = tokens;
  const trained = Uint8Array.from(tokenWeights(tokens), (weight) => Number(weight > 0));
  const problems = idProblems(tokens);
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

function idProblems({ ids, labels, lossMask, attentionMask, lossWeights }: RowTokens): RowProblem[] {
  const columns = { labels, loss_mask: lossMask, attention_mask: attentionMask, loss_weights: lossWeights };
  const problems = Object.entries(columns).flatMap(([name, list = ids]): RowProblem[] => {
    if (list.length === ids.length) return [];
    const message = `${name} has ${list.length} values for ${ids.length} ids`;
    return [{ kind: 'wrong_lengths', message, token: Math.min(list.length, ids.length), tokens: 0 }];
  });
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
  { pieces }: DatasetRow,
  tokenText: TokenText,
  observationTag = 'observation',
): Promise<TokenRow> {
  const textOf = (role: RowPiece['role']) => pieces.find((piece) => piece.role === role)?.text;
  const output = textOf('assistant') ?? '';
  const prompt = `<|im_start|>system\n${textOf('system') ?? qwenSystemPrompt}<|im_end|>\n<|im_start|>user\n${textOf('user')}<|im_end|>\n<|im_start|>assistant\n`;
  const answer = await tokenText.encode(`${output}<|im_end|>\n`);
  const row = await tokenText.encodeApart([prompt, answer.text]);
  const whole = await tokenText.encode(row.text);
  const trained = new Uint8Array(row.ids.length);
  // The fork tokenises its two marks with the model's own tokenizer.
  const { ids: start } = await tokenText.encode(`<${observationTag}`);
  const { ids: end } = await tokenText.encode(`${observationTag}>\n\n`);
  const mask = afmMask(output, answer.ids, { start, end }, observationTag);
  if (!mask.kept) {
    const message = `the fork drops it: ${mask.reason}`;
    const problem: RowProblem = { kind: 'dropped_by_fork', message, token: null, tokens: 0 };
    return { row, trained, problems: [problem], whole };
  }
  const first = row.ids.length - answer.ids.length;
  for (const { from, to } of mask.trained) trained.fill(1, first + from, first + to);
  return { row, trained, problems: [], whole };
}

type Part = Pick<RowPiece, 'text' | 'weight'>;

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
    trained.fill(Number(parts[at]!.weight > 0), from, from + count);
    from += count;
  }
  return { row, trained, problems, whole: await tokenText.encode(row.text) };
}

/** Rows for a template that adds nothing carry the chat markup in their texts. */
export function hasMarkup(pieces: readonly RowPiece[], tokenText: TokenText): boolean {
  const first = pieces[0]?.text ?? '';
  return [...tokenText.controls.values()].some((control) => first.startsWith(control));
}

/** LLaMA-Factory drops rows of another order with no more than a warning. */
function orderProblems(turns: readonly RowPiece[]): RowProblem[] {
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
  /** What stands around a tool's words in its turn. */
  readonly result: (text: string) => string;
}

const chatMl: TurnMarkup = {
  start: '',
  opening: (role) => `<|im_start|>${role}\n`,
  closing: '<|im_end|>\n',
  result: (text) => `<tool_response>\n${text}\n</tool_response>`,
};
const llama3: TurnMarkup = {
  start: '<|begin_of_text|>',
  opening: (role) => `<|start_header_id|>${role}<|end_header_id|>\n\n`,
  closing: '<|eot_id|>',
  result: (text) => text,
};

/** Turns without markup as the model's template writes them; neighbouring turns of the model are one. */
function templateParts(row: DatasetRow, tokenText: TokenText): Part[] {
  const isLlama = [...tokenText.controls.values()].includes('<|start_header_id|>');
  const markup = isLlama ? llama3 : chatMl;
  const turns = row.maskedBy === 'origin' ? row.pieces.map(inOneTurn) : row.pieces;
  const parts: Part[] = [{ text: markup.start, weight: 0 }];
  // LLaMA-Factory's `template: qwen` and Qwen2.5's own template both write this one.
  if (turns[0]?.role !== 'system' && !isLlama)
    parts.push(...turnParts('system', [{ text: qwenSystemPrompt + toolsText(row), weight: 0 }], markup));
  let words: Part[] = [];
  for (const [at, { role, text, weight }] of turns.entries()) {
    const said = role === 'tool' ? markup.result(text) : text;
    words.push({ text: role === 'system' && at === 0 ? said + toolsText(row) : said, weight });
    if (role === 'assistant' && turns[at + 1]?.role === 'assistant') continue;
    parts.push(...turnParts(role === 'tool' ? 'user' : role, words, markup));
    words = [];
  }
  return parts;
}

/** A trajectory is one turn of the model, whoever wrote its segments. */
function inOneTurn(piece: RowPiece): RowPiece {
  return piece.role === 'tool' ? { ...piece, role: 'assistant' } : piece;
}

/** The functions that a row declares, as Qwen2.5's chat template adds them to the system turn. */
function toolsText({ tools }: DatasetRow): string {
  if (tools.length === 0) return '';
  const declared = tools.map(pythonJson).join('\n');
  return `\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n${declared}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`;
}

/** Templates train the end of the model's turn, whatever part of the answer stands before it. */
function turnParts(role: string, words: readonly Part[], { opening, closing }: TurnMarkup): Part[] {
  const weight = Number(words.some((part) => part.weight > 0));
  return [{ text: opening(role), weight: 0 }, ...words, { text: closing, weight }];
}
