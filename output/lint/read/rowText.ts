import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { pairSides } from '../../../schemas/audit.ts';

/** The trajectory that a row of a dataset holds. */
export interface RowText {
  readonly layout: 'alpaca' | 'chat' | 'trajectory';
  readonly text: string;
  /** The profile that the row names, where its layout has a place for it. */
  readonly profile: string | undefined;
  /** The row with another text; undefined where that can't be done without touching other parts of the row. */
  readonly replace: ((text: string) => JsonObject) | undefined;
}

/** The layouts that {@link rowText} knows, for messages. */
export const knownLayouts =
  'instruction/input/output, conversations or messages, or segments (of Axolotl, or a trajectory of coa-distill)';

/** Those that {@link rowTexts} knows. */
export const knownTextLayouts = `${knownLayouts}, or a pair of these as chosen and rejected`;

/** Finds the trajectory in a row by the row's own columns; undefined when it has none of the known layouts. */
export function rowText(row: JsonValue): RowText | undefined {
  if (!isJsonObject(row)) return undefined;
  return (
    alpacaText(row) ??
    chatText(row, 'conversations') ??
    chatText(row, 'messages') ??
    labelledText(row) ??
    segmentsText(row)
  );
}

/** The trajectories in a row: one, or both sides of a pair; none where the row has none of the known layouts. */
export function rowTexts(row: JsonValue): readonly RowText[] {
  const sides = isJsonObject(row) ? pairSides.flatMap((side) => rowText(sideRow(row[side], row)) ?? []) : [];
  // A pair is not rewritten: its prompt belongs to both.
  if (sides.length === 2) return sides.map((text) => ({ ...text, replace: undefined }));
  return [rowText(row) ?? []].flat();
}

/** A side of a pair as a row of its own: a text or turns behind a prompt, or a whole record. */
function sideRow(side: JsonValue | undefined, pair: JsonObject): JsonValue {
  if (typeof side === 'string')
    return { messages: [...promptTurns(pair), { role: 'assistant', content: side }] };
  if (Array.isArray(side)) return { messages: [...promptTurns(pair), ...side] };
  const isTurn = isJsonObject(side) && ('from' in side || 'role' in side);
  return isTurn ? { messages: [...promptTurns(pair), side] } : (side ?? null);
}

/** What both sides answer. Earlier answers of the model are part of it: only the last is compared. */
function promptTurns({ conversations, messages, prompt = '' }: JsonObject): JsonValue[] {
  const turns = [conversations, messages, prompt].find((column) => Array.isArray(column));
  if (turns === undefined) return [{ role: 'user', content: prompt }];
  return turns.filter((turn) => isJsonObject(turn) && !trajectoryRoles.has(readTurn(turn).role));
}

function alpacaText(row: JsonObject): RowText | undefined {
  const { instruction, output } = row;
  if (typeof instruction !== 'string' || typeof output !== 'string') return undefined;
  return {
    layout: 'alpaca',
    text: output,
    profile: undefined,
    replace: (text) => ({ ...row, output: text }),
  };
}

interface Turn {
  readonly row: JsonObject;
  readonly role: JsonValue | undefined;
  readonly text: JsonValue | undefined;
}

const promptRoles: ReadonlySet<unknown> = new Set(['system', 'human', 'user']);
/** Turns that together are the trajectory: tools speak in turns of their own in some layouts. */
const trajectoryRoles: ReadonlySet<unknown> = new Set([
  'gpt',
  'assistant',
  'observation',
  'tool',
  'function_call',
]);

/** What chat markup begins with, and where it opens the model's turn: ChatML, Llama 3 and Mistral. */
const markup = /^(?:<\|im_start\|>|<\|begin_of_text\|>|<\|start_header_id\|>|<s>|\[INST\])/;
const modelTurn =
  /<\|im_start\|>assistant\n|<\|start_header_id\|>assistant<\|end_header_id\|>\n\n|\[\/INST\] ?/g;
const endOfTurn = /(?:<\|im_end\|>\n?|<\|eot_id\|>|<\/s>)$/;

function chatText(row: JsonObject, column: 'conversations' | 'messages'): RowText | undefined {
  const list = row[column];
  if (!Array.isArray(list) || !list.every(isJsonObject)) return undefined;
  const turns = list.map(readTurn);
  if (!turns.every(({ role }) => promptRoles.has(role) || trajectoryRoles.has(role))) return undefined;
  if (!turns.some(({ role }) => trajectoryRoles.has(role))) return undefined;
  const answer = turns.filter((turn) => answerPart(turn) !== '');
  if (!answer.every((turn) => typeof turn.text === 'string')) return undefined;
  const whole = answer.map(answerPart).join('');
  const end = endOfTurn.exec(whole)?.[0] ?? '';
  const only = answer.length === 1 && trajectoryRoles.has(answer[0]!.role) ? answer[0] : undefined;
  return {
    layout: 'chat',
    text: whole.slice(0, whole.length - end.length),
    profile: undefined,
    replace: only && ((text) => ({ ...row, [column]: list.map(withText(only, `${text}${end}`)) })),
  };
}

/** What a turn holds of the answer. Where the markup stands in the rows, a prompt goes on with what is not trained. */
function answerPart({ role, text }: Omit<Turn, 'row'>): JsonValue | undefined {
  if (trajectoryRoles.has(role)) return text;
  if (typeof text !== 'string' || !markup.test(text)) return '';
  const opening = [...text.matchAll(modelTurn)].at(-1);
  return opening ? text.slice(opening.index + opening[0].length) : '';
}

function readTurn(row: JsonObject): Turn {
  return 'from' in row
    ? { row, role: row.from, text: row.value }
    : { row, role: row.role, text: row.content };
}

function withText(turn: Turn, text: string) {
  const column = 'from' in turn.row ? 'value' : 'content';
  return (row: JsonObject): JsonObject => (row === turn.row ? { ...row, [column]: text } : row);
}

/** Axolotl's `input_output`: the first segment is the prompt. */
function labelledText({ segments }: JsonObject): RowText | undefined {
  if (!Array.isArray(segments) || !segments.every(isLabelled)) return undefined;
  const parts = segments.map(({ text }, at) => answerPart({ role: at === 0 ? 'user' : 'assistant', text }));
  const text = parts.join('').replace(endOfTurn, '');
  return { layout: 'chat', text, profile: undefined, replace: undefined };
}

function isLabelled(value: JsonValue): value is JsonObject & { readonly text: string } {
  return isSegment(value) && typeof value.label === 'boolean';
}

function segmentsText(row: JsonObject): RowText | undefined {
  const { segments, profile } = row;
  if (!Array.isArray(segments) || !segments.every(isSegment)) return undefined;
  return {
    layout: 'trajectory',
    text: segments.map((segment) => segment.text).join(''),
    profile: typeof profile === 'string' ? profile : undefined,
    // The ids of a trajectory are hashes of its text.
    replace: undefined,
  };
}

function isSegment(value: JsonValue): value is JsonObject & { readonly text: string } {
  return isJsonObject(value) && typeof value.text === 'string';
}

/** A row of a dataset file as read, or why it could not be. */
export interface FileRow {
  readonly kind: 'row';
  /** From 1. */
  readonly row: number;
  /** Line on which the row begins, from 1; null in parquet files. */
  readonly line: number | null;
  /** Bytes of the file up to the end of this row. */
  readonly bytesRead: number;
  /** The row as it stands in the file; empty in parquet files. */
  readonly bytes: Uint8Array;
  readonly parsed: { readonly value: JsonValue } | { readonly problem: string };
}
