import { qwenSystemPrompt } from '../../schemas/config/dataset.ts';
import { pythonJson } from '../../schemas/rows/chatTurns.ts';
import type { DatasetRow, RowPiece, RowTokens } from '../../schemas/rows/datasetRow.ts';
import { ignoredLabel, tokenWeights } from '../../schemas/rows/tokens.ts';
import { isDrop, simulateFork } from './afmFork.ts';
import { type Fault, fault } from './rules.ts';
import { type EncodedText, type TokenText, tokenAt } from './tokenText.ts';

export interface TokenRow {
  readonly row: EncodedText;
  /** 1 for tokens in the loss. */
  readonly trained: Uint8Array;
  readonly faults: readonly Fault[];
  /** Encoding of the whole text; undefined if the tokenizer cannot decode the ids. */
  readonly whole: EncodedText | undefined;
  /** True if the row has a mask of its own length. */
  readonly hasMask: boolean;
  /** Start of the answer in a text without turns. */
  readonly answerAt?: number;
}

/**
 * Tokenises and masks a row of any layout in the same way as its trainer.
 *
 * @param observationTag tag that AFM's fork is told to mask
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
  const first = pieces[0]?.text ?? '';
  const hasMarkup = [...tokenText.controls.values()].some((control) => first.startsWith(control));
  if (hasMarkup) return fromParts(pieces, orderFaults(pieces), tokenText);
  return maskedBy === 'texts'
    ? fromTexts(pieces, tokenText)
    : fromParts(templateParts(row, tokenText), [], tokenText);
}

async function fromIds(tokens: RowTokens, tokenText: TokenText): Promise<TokenRow> {
  const { ids } = tokens;
  const trained = Uint8Array.from(tokenWeights(tokens), (weight) => Number(weight > 0));
  const faults = listFaults(tokens);
  const hasMask = faults.every(({ rule }) => rule !== 'wrong_lengths');
  const unknown = ids.findIndex((id) => !tokenText.hasId(id));
  if (unknown >= 0) {
    const row = { text: '', ids, starts: ids.map(() => 0), ends: ids.map(() => 0) };
    const message = `the tokenizer ${tokenText.name} has no id ${ids[unknown]}`;
    return {
      row,
      trained,
      faults: [...faults, fault('foreign_ids', message, unknown)],
      whole: undefined,
      hasMask,
    };
  }
  const whole = await tokenText.encode(await tokenText.decode(ids));
  return { row: { ...whole, ids }, trained, faults, whole, hasMask };
}

/** Faults in the token lists of a row, independent of the tokenizer. */
export function listFaults({ ids, labels, lossMask, attentionMask, lossWeights }: RowTokens): Fault[] {
  const columns = { labels, loss_mask: lossMask, attention_mask: attentionMask, loss_weights: lossWeights };
  const faults = Object.entries(columns).flatMap(([name, list = ids]): Fault[] => {
    if (list.length === ids.length) return [];
    const message = `${name} has ${list.length} values for ${ids.length} ids`;
    return [fault('wrong_lengths', message, Math.min(list.length, ids.length))];
  });
  const hidden = attentionMask?.indexOf(0) ?? -1;
  if (hidden >= 0)
    faults.push(fault('attention_masked', 'attention_mask is 0 for a token of the row', hidden));
  const strange = labels?.findIndex((label, at) => label !== ignoredLabel && label !== ids[at]) ?? -1;
  if (strange >= 0 && strange < ids.length)
    faults.push(fault('label_not_id', `the label is ${labels![strange]}, the id ${ids[strange]}`, strange));
  return faults;
}

/** Row of AFM's layout as built by AFM's fork of LLaMA-Factory, template `qwen`. */
async function fromAlpaca(
  { pieces }: DatasetRow,
  tokenText: TokenText,
  observationTag?: string,
): Promise<TokenRow> {
  const textOf = (role: RowPiece['role']) => pieces.find((piece) => piece.role === role)?.text;
  const prompt = `<|im_start|>system\n${textOf('system') ?? qwenSystemPrompt}<|im_end|>\n<|im_start|>user\n${textOf('user')}<|im_end|>\n<|im_start|>assistant\n`;
  const {
    answer,
    mask,
    faults: ofFork,
  } = await simulateFork(textOf('assistant') ?? '', tokenText, observationTag);
  const row = await tokenText.encodeApart([prompt, answer.text]);
  const trained = new Uint8Array(row.ids.length);
  const first = row.ids.length - answer.ids.length;
  if (mask.kept) for (const { from, to } of mask.trained) trained.fill(1, first + from, first + to);
  const faults = ofFork.map((each) =>
    fault(each.rule, each.message, isDrop(each) ? null : tokenAt(row, prompt.length + each.offset)),
  );
  return { row, trained, faults, whole: await tokenText.encode(row.text), hasMask: mask.kept };
}

type Part = Pick<RowPiece, 'text' | 'weight'>;

/** Row from texts that the trainer tokenises separately. */
async function fromParts(
  parts: readonly Part[],
  faults: readonly Fault[],
  tokenText: TokenText,
): Promise<TokenRow> {
  const row = await tokenText.encodeApart(parts.map(({ text }) => text));
  const trained = new Uint8Array(row.ids.length);
  let from = 0;
  for (const [at, count] of row.counts.entries()) {
    trained.fill(Number(parts[at]!.weight > 0), from, from + count);
    from += count;
  }
  return { row, trained, faults, whole: await tokenText.encode(row.text), hasMask: true };
}

/** Prompt and completion tokenised as in TRL: one text with EOS, masked by the prompt's number of tokens. */
async function fromTexts(pieces: readonly RowPiece[], tokenText: TokenText): Promise<TokenRow> {
  const eos = markupOf(tokenText).closing.trimEnd();
  const prompt = pieces
    .slice(0, -1)
    .map(({ text }) => text)
    .join('');
  const answer = pieces.at(-1)!.text;
  const row = await tokenText.encode(prompt + answer + (answer.endsWith(eos) ? '' : eos));
  const trained = new Uint8Array(row.ids.length).fill(1, (await tokenText.encode(prompt)).ids.length);
  return { row, trained, faults: [], whole: row, hasMask: true, answerAt: prompt.length };
}

/** LLaMA-Factory drops rows of another order with only a warning. */
function orderFaults(turns: readonly RowPiece[]): Fault[] {
  const wrong = turns.findIndex(({ role }, place) => (role === 'assistant') !== (place % 2 === 1));
  if (wrong < 0 && turns.length % 2 === 0) return [];
  const odd = `expected an even number of turns, found ${turns.length}`;
  return [fault('wrong_turn_order', wrong < 0 ? odd : `turn ${wrong + 1} is of the ${turns[wrong]!.role}`)];
}

interface TurnMarkup {
  readonly start: string;
  readonly opening: (role: string) => string;
  readonly closing: string;
  /** Formats a tool's output in its turn. */
  readonly result: (text: string) => string;
  /** Separator of neighbouring tool outputs in one turn; `null` if each has its own turn. */
  readonly betweenResults: string | null;
}

const chatMl: TurnMarkup = {
  start: '',
  opening: (role) => `<|im_start|>${role}\n`,
  closing: '<|im_end|>\n',
  result: (text) => `<tool_response>\n${text}\n</tool_response>`,
  betweenResults: '\n',
};
const llama3: TurnMarkup = {
  start: '<|begin_of_text|>',
  opening: (role) => `<|start_header_id|>${role}<|end_header_id|>\n\n`,
  closing: '<|eot_id|>',
  result: (text) => text,
  betweenResults: null,
};

function isLlama({ controls }: TokenText): boolean {
  return [...controls.values()].includes('<|start_header_id|>');
}

function markupOf(tokenText: TokenText): TurnMarkup {
  return isLlama(tokenText) ? llama3 : chatMl;
}

/**
 * Turns without markup as the model's template renders them; merges neighbouring turns of the model, or of Qwen's
 * tools.
 */
function templateParts(row: DatasetRow, tokenText: TokenText): Part[] {
  const markup = markupOf(tokenText);
  // Trajectories are single model turns.
  const isTrajectory = row.maskedBy === 'origin';
  const turns = row.pieces.map((piece) =>
    isTrajectory && piece.role === 'tool' ? { ...piece, role: 'assistant' as const } : piece,
  );
  const parts: Part[] = [{ text: markup.start, weight: 0 }];
  // Default system turn of LLaMA-Factory's `template: qwen` and of Qwen2.5's own template.
  if (turns[0]?.role !== 'system' && !isLlama(tokenText))
    parts.push(...turnParts('system', [{ text: qwenSystemPrompt + toolsText(row), weight: 0 }], markup));
  // TRL also trains the markup between the turns of a completion.
  const first = turns.findIndex(({ weight }) => weight > 0);
  const isIn = (at: number) => row.maskedBy === 'completion' && at > first;
  let words: Part[] = [];
  for (const [at, { role, text, weight }] of turns.entries()) {
    const said = role === 'tool' ? markup.result(text) : text;
    // Trainers include or exclude part of a turn; its weight does not split the text.
    words.push({
      text: role === 'system' && at === 0 ? said + toolsText(row) : said,
      weight: Number(weight > 0),
    });
    if (turns[at + 1]?.role === role && role === 'assistant') continue;
    if (turns[at + 1]?.role === role && role === 'tool' && markup.betweenResults !== null) {
      words.push({ text: markup.betweenResults, weight: Number(weight > 0) });
      continue;
    }
    const [opening, ...others] = turnParts(role === 'tool' ? 'user' : role, words, markup);
    parts.push({ ...opening!, weight: Number(isIn(at)) }, ...others);
    words = [];
  }
  return joinedParts(parts);
}

/** Joins neighbours of equal weight, as trainers tokenise a prompt with its markup and an answer with its end. */
function joinedParts(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const { text, weight } of parts) {
    const last = joined.at(-1);
    if (last?.weight === weight) joined.splice(-1, 1, { text: last.text + text, weight });
    else joined.push({ text, weight });
  }
  return joined;
}

/** Functions that a row declares, as Qwen2.5's chat template adds them to the system turn. */
function toolsText({ tools }: DatasetRow): string {
  if (tools.length === 0) return '';
  const declared = tools.map(pythonJson).join('\n');
  return `\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n<tools>\n${declared}\n</tools>\n\nFor each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>`;
}

/** Templates always train the end of the model's turn. */
function turnParts(role: string, words: readonly Part[], { opening, closing }: TurnMarkup): Part[] {
  const weight = Number(words.some((part) => part.weight > 0));
  return [{ text: opening(role), weight: 0 }, ...words, { text: closing, weight }];
}
