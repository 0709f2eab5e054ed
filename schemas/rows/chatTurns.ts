import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { type ChatSpeaker, chatRoles, isChatRole } from '../interchange/openaiChat.ts';
import {
  type DatasetRow,
  flagReaders,
  type MaskFlag,
  type PairSide,
  type RowFormatName,
  type RowPiece,
  type RowProblem,
  type RowRole,
} from './datasetRow.ts';
import { has, mediaIn, type RowCodec, rowOfPieces } from './rowCodec.ts';

/** Maps each speaker to the role of its turn. */
const roleOf = {
  instruction: 'system',
  user: 'user',
  agent: 'assistant',
  call: 'assistant',
  tool: 'tool',
  end: 'user',
} as const satisfies Record<ChatSpeaker, RowRole>;

const flag = z.union([z.boolean(), z.number()]).nullish();

const flagNames = Object.keys(flagReaders) as MaskFlag[];
/** Turn flags that decide whether a turn is trained. */
const turnFlags = Object.fromEntries(flagNames.map((name) => [name, flag])) as Record<MaskFlag, typeof flag>;

const turnSchema = z.looseObject({
  from: z.string().nullish(),
  value: z.string().nullish(),
  role: z.string().nullish(),
  content: z
    .union([
      z.string(),
      z.array(z.looseObject({ type: z.string(), text: z.string().nullish(), value: z.string().nullish() })),
    ])
    .nullish(),
  /** Thoughts of a reasoning model, as vLLM, DeepSeek and OpenRouter name the field. */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  thinking: z.string().nullish(),
  tool_calls: z.array(z.unknown()).nullish(),
  function_call: z.unknown().optional(),
  ...turnFlags,
});
type Turn = z.infer<typeof turnSchema>;

/** Codec for rows with all turns in one column. */
export function turnsCodec(name: RowFormatName, column: 'conversations' | 'messages'): RowCodec {
  return {
    name,
    columns: column,
    reads: [column, 'loss_mask'],
    recognises: (raw) => has(raw, column),
    read: (raw) => rowOfTurns(raw, name, column),
  };
}

export const chatMessagesCodec = turnsCodec('messages', 'messages');

type TurnsColumn = 'conversations' | 'messages' | 'prompt' | 'completion' | PairSide | `${PairSide}_messages`;

/** Row whose trained turns are set by their roles or flags. */
export function rowOfTurns(
  raw: JsonObject,
  format: RowFormatName,
  column: TurnsColumn,
): DatasetRow | RowProblem {
  const [media] = mediaIn(raw);
  if (media !== undefined)
    return { path: media, code: 'unread_part', problem: 'expected rows of text alone, found media' };
  const read = piecesOf(raw[column], column);
  if ('problem' in read) return read;
  const masked =
    Array.isArray(raw.loss_mask) && format !== 'tokens' ? maskedTurns(read, raw.loss_mask) : read;
  if ('problem' in masked) return masked;
  const pieces = withSystem(raw, masked);
  // KTO trains the last turn.
  if (typeof raw.label === 'boolean')
    return {
      ...rowOfPieces(raw, format, 'answer', [...pieces.slice(0, -1).map(asPrompt), pieces.at(-1)!]),
      ...(!raw.label && { isUndesirable: true }),
    };
  const isMasked = masked.some(({ weight }, at) => weight < read[at]!.weight);
  const maskFlag = isMasked ? 'loss_mask' : flagIn(raw[column]);
  return {
    ...rowOfPieces(raw, format, 'turns', pieces),
    ...(maskFlag !== undefined && { maskFlag }),
    ...(hasNullArguments(raw[column]) && { hasNullArguments: true }),
    ...(hasCalls(raw[column]) && { hasCalls: true }),
  };
}

/** Prepends the column `system` of LLaMA-Factory and Axolotl; a system turn of the row replaces it. */
function withSystem({ system }: JsonObject, turns: readonly RowPiece[]): readonly RowPiece[] {
  if (typeof system !== 'string' || system === '' || turns[0]?.role === 'system') return turns;
  return [{ text: system, role: 'system', origin: 'prompt', weight: 0 }, ...turns];
}

/** Marks a piece as prompt, model turns included: only the turns after it are compared or trained. */
export function asPrompt(piece: RowPiece): RowPiece {
  return { ...piece, origin: 'prompt', weight: 0 };
}

/** True if arguments given as an object hold nulls; arguments given as JSON text are the model's own. */
function hasNullArguments(turns: JsonValue | undefined): boolean {
  const calls = [turns ?? []]
    .flat()
    .flatMap((turn) => (isJsonObject(turn) ? [turn.tool_calls ?? []].flat() : []));
  return calls.some((call) => {
    const called = isJsonObject(call) && isJsonObject(call.function) ? call.function : call;
    const given = isJsonObject(called) ? called.arguments : undefined;
    return isJsonObject(given) && Object.values(given).includes(null);
  });
}

/** True if a turn calls a tool by a field, a part or its role; the template renders such a call. */
function hasCalls(turns: JsonValue | undefined): boolean {
  return [turns ?? []].flat().some((turn) => {
    if (!isJsonObject(turn)) return false;
    const parts = [turn.content ?? []].flat();
    const isCall = parts.some((part) => isJsonObject(part) && part.type === 'tool_call');
    const role = String(turn.from ?? turn.role);
    const { tool_calls, function_call } = turn;
    const isCalled = (Array.isArray(tool_calls) && tool_calls.length > 0) || function_call != null;
    return isCall || isCalled || (isChatRole(role) && chatRoles[role] === 'call');
  });
}

/** Fields of turns that {@link turnsCodec} reads, and ids and names that only distinguish calls and speakers. */
const readFields = new Set([...Object.keys(turnSchema.shape), 'id', 'name', 'tool_call_id', 'type']);

/** Unread fields of a row's turns, for example `messages[].refusal`. */
export function unreadFields(raw: JsonObject): string[] {
  const found = (['conversations', 'messages'] as const).flatMap((column) =>
    [raw[column] ?? []]
      .flat()
      .filter(isJsonObject)
      .flatMap((turn) => Object.keys(turn).filter((field) => turn[field] != null && !readFields.has(field)))
      .map((field) => `${column}[].${field}`),
  );
  return [...new Set(found)];
}

/** Applies a mask of the row with one value per turn or per model turn. */
function maskedTurns(pieces: readonly RowPiece[], mask: readonly JsonValue[]): RowPiece[] | RowProblem {
  const isMasked = ({ role }: RowPiece) => mask.length === pieces.length || role === 'assistant';
  const masked = pieces.filter(isMasked);
  if (masked.length !== mask.length)
    return {
      path: 'loss_mask',
      code: 'wrong_lengths',
      problem: `expected a value for each of ${pieces.length} turns or of the model's ${masked.length}, found ${mask.length}`,
    };
  const values = mask.values();
  return pieces.map((piece) =>
    isMasked(piece) ? { ...piece, weight: Math.max(0, Number(values.next().value)) } : piece,
  );
}

/** Pieces of a list of turns or of a single turn. */
export function piecesOf(turns: JsonValue | undefined, column: TurnsColumn): RowPiece[] | RowProblem {
  const list = Array.isArray(turns) ? turns : [turns];
  const pieces: RowPiece[] = [];
  for (const [at, turn] of list.entries()) {
    const path = Array.isArray(turns) ? `${column}[${at}]` : column;
    const piece = pieceOf(turn, path);
    if ('problem' in piece) return piece;
    pieces.push(piece);
  }
  return pieces.length > 0
    ? pieces
    : { path: column, code: 'no_turn', problem: 'expected at least one turn, found none' };
}

function pieceOf(value: JsonValue | undefined, path: string): RowPiece | RowProblem {
  const parsed = turnSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { path: [path, ...issue!.path].join('.'), code: issue!.code, problem: issue!.message };
  }
  const turn = parsed.data;
  const name = turn.from ?? turn.role ?? '';
  if (!isChatRole(name)) {
    const known = Object.keys(chatRoles).join(', ');
    return {
      path,
      code: 'unknown_role',
      problem: `expected a role of ${known}, found ${JSON.stringify(name)}`,
    };
  }
  const role = roleOf[chatRoles[name]];
  const text = textOf(turn, path);
  if (typeof text !== 'string') return text;
  const origin = role === 'assistant' ? 'model' : role === 'tool' ? 'environment' : 'prompt';
  const said = chatRoles[name] === 'call' ? calledText(text) : text;
  return { text: said, role, origin, weight: weightOf(turn, role) };
}

function weightOf(turn: Turn, role: RowRole): number {
  const given = flagNames.flatMap((name) => turn[name] ?? []).map((value) => Math.max(0, Number(value)));
  return given.length === 0
    ? Number(role === 'assistant')
    : given.reduce((product, value) => product * value);
}

/** First flag that excludes a model turn from training. */
function flagIn(turns: JsonValue | undefined): MaskFlag | undefined {
  const list = [turns ?? []].flat().filter(isJsonObject);
  const ofModel = list.filter(({ from, role }) => roleNamed(String(from ?? role)) === 'assistant');
  return flagNames.find((name) => ofModel.some((turn) => turn[name] != null && !(Number(turn[name]) > 0)));
}

function roleNamed(name: string): RowRole | undefined {
  return isChatRole(name) ? roleOf[chatRoles[name]] : undefined;
}

/** Text of a turn in the layout of Qwen's templates: reasoning, content, calls. */
function textOf(turn: Turn, path: string): string | RowProblem {
  const parts = partsOf(turn, path);
  if ('problem' in parts) return parts;
  const thought = turn.reasoning_content ?? turn.reasoning ?? turn.thinking ?? parts.thought;
  const calls = [...(turn.tool_calls ?? []), ...(turn.function_call == null ? [] : [turn.function_call])];
  const words = parts.words === '' ? [] : [parts.words];
  const said = [...words, ...[...parts.calls, ...calls].map(callText)].join('\n');
  return thought ? `<think>\n${thought.trim()}\n</think>\n\n${said}` : said;
}

interface TurnParts {
  readonly words: string;
  readonly thought: string;
  readonly calls: readonly unknown[];
}

/** Parts of a turn's content; LLaMA-Factory's parts hold `value` where OpenAI's hold `text`. */
function partsOf({ value, content }: Turn, path: string): TurnParts | RowProblem {
  const list = value ?? content ?? '';
  if (typeof list === 'string') return { words: list, thought: '', calls: [] };
  const parts = list.map((part) => ({ type: part.type, said: part.text ?? part.value }));
  const other = parts.findIndex(({ type, said }) => !readTypes.has(type) || typeof said !== 'string');
  if (other >= 0)
    return {
      path: `${path}.content[${other}]`,
      code: 'unread_part',
      problem: `expected parts of type ${[...readTypes].join(', ')}, found ${JSON.stringify(parts[other]!.type)}`,
    };
  const of = (...types: string[]) => parts.flatMap(({ type, said }) => (types.includes(type) ? [said!] : []));
  return {
    words: of('text', 'tool_result').join(''),
    thought: of('reasoning').join(''),
    calls: of('tool_call'),
  };
}

const readTypes: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call', 'tool_result']);

/** A call as Qwen2.5's chat template writes it into the model's turn. */
function callText(call: unknown): string {
  const whole = parsedOnce(call);
  const value = isJsonObject(whole) && isJsonObject(whole.function) ? whole.function : whole;
  const { name, arguments: given } = isJsonObject(value) ? value : {};
  // Some data sets encode the arguments' text twice.
  const written = pythonJson({ name: name ?? null, arguments: parsedOnce(parsedOnce(given)) ?? {} });
  return `<tool_call>\n${written}\n</tool_call>`;
}

/** Wraps a turn that is only the JSON of one or more calls (LLaMA-Factory); returns other texts unchanged. */
function calledText(text: string): string {
  const parsed = safeParseJson(text);
  const calls = parsed.ok ? [parsed.value].flat() : [];
  const areCalls = calls.length > 0 && calls.every((call) => isJsonObject(call) && 'name' in call);
  return areCalls ? calls.map(callText).join('\n') : text;
}

function parsedOnce(value: unknown): JsonValue | undefined {
  const parsed = typeof value === 'string' ? safeParseJson(value) : undefined;
  return parsed?.ok ? parsed.value : (value as JsonValue | undefined);
}

/** JSON with the spacing of Python's `json.dumps` and jinja's `tojson`. */
export function pythonJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${pythonJson(member!)}`).join(', ')}}`;
}
