import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts';

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
  'instruction/input/output, conversations or messages, or segments (a trajectory of coa-distill)';

/** Finds the trajectory in a row by the row's own columns; undefined when it has none of the known layouts. */
export function rowText(row: JsonValue): RowText | undefined {
  if (!isJsonObject(row)) return undefined;
  return alpacaText(row) ?? chatText(row, 'conversations') ?? chatText(row, 'messages') ?? segmentsText(row);
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

/** The end of a ChatML turn, which rows for `template: empty` carry in their text. */
const endOfTurn = /<\|im_end\|>\n?$/;

function chatText(row: JsonObject, column: 'conversations' | 'messages'): RowText | undefined {
  const list = row[column];
  if (!Array.isArray(list) || !list.every(isJsonObject)) return undefined;
  const turns = list.map(readTurn);
  if (!turns.every(({ role }) => promptRoles.has(role) || trajectoryRoles.has(role))) return undefined;
  const spoken = turns.filter(({ role }) => trajectoryRoles.has(role));
  if (spoken.length === 0 || !spoken.every((turn) => typeof turn.text === 'string')) return undefined;
  const whole = spoken.map((turn) => turn.text).join('');
  const end = endOfTurn.exec(whole)?.[0] ?? '';
  const only = spoken.length === 1 ? spoken[0] : undefined;
  return {
    layout: 'chat',
    text: whole.slice(0, whole.length - end.length),
    profile: undefined,
    replace: only && ((text) => ({ ...row, [column]: list.map(withText(only, `${text}${end}`)) })),
  };
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
