import type { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import type { DatasetRow, MaskSource, RowFormatName, RowPiece, RowProblem } from './datasetRow.ts';

/** Openings of chat markup: ChatML (Qwen), Llama 3 and Mistral. */
const markup = /^(?:<\|im_start\|>|<\|begin_of_text\|>|<\|start_header_id\|>|<s>|\[INST\])/;
const opening =
  /<\|im_start\|>([^\n<]{1,40})\n|<\|start_header_id\|>([^\n<]{1,40})<\|end_header_id\|>\n\n|(\[INST\]) ?|(\[\/INST\]) ?/g;
const endOfTurn = /(?:<\|im_end\|>\n?|<\|eot_id\|>|<\/s>)$/;

/** Texts of a row without chat markup. */
type SpokenTexts = Pick<DatasetRow, 'system' | 'user' | 'text'>;

/**
 * Text of system, user and model. A prompt may contain chat markup; text after its last opening of a model turn is an
 * untrained start of the answer.
 */
function spokenTexts(pieces: readonly RowPiece[]): SpokenTexts {
  const systems: string[] = [];
  const users: string[] = [];
  const answer: string[] = [];
  for (const [at, { role, origin, text }] of pieces.entries()) {
    // LLaMA-Factory's prompts may have the role of a tool; later tool turns are plain text.
    const isPrompt = at === 0 || role === 'user' || role === 'system';
    const prompt = isPrompt && role !== 'assistant' && markup.test(text) ? promptTexts(text) : undefined;
    if (prompt) {
      systems.push(...prompt.systems);
      users.push(...prompt.users);
      answer.push(prompt.rest);
    } else if (role === 'system') systems.push(text);
    else if (role === 'user') users.push(text);
    else if (origin !== 'prompt') answer.push(text);
  }
  return {
    system: systems[0] ?? null,
    user: users.length === 0 ? null : users.join('\n'),
    text: pieces.some(({ role, origin }) => role === 'assistant' && origin !== 'prompt')
      ? answer.join('').replace(endOfTurn, '')
      : null,
  };
}

function promptTexts(text: string) {
  const systems: string[] = [];
  const users: string[] = [];
  let rest = '';
  const openings = [...text.matchAll(opening)];
  for (const [at, found] of openings.entries()) {
    const next = openings[at + 1]?.index ?? text.length;
    const body = text.slice(found.index + found[0].length, next).replace(endOfTurn, '');
    const role = found[1] ?? found[2] ?? (found[3] ? 'user' : 'assistant');
    if (role === 'system') systems.push(body);
    else if (role !== 'assistant') users.push(body);
    // Earlier model turns are not compared.
    rest = role === 'assistant' && at === openings.length - 1 ? body : '';
  }
  return { systems, users, rest };
}

/**
 * One layout of dataset rows: detection and reading. Round trip: `read` returns what the writer of the layout wrote.
 */
export interface RowCodec {
  readonly name: RowFormatName;
  /** Column names for messages. */
  readonly columns: string;
  /** Columns besides those common to all layouts. */
  readonly reads: readonly string[];
  /** Pure and cheap: decides by column names alone. The first codec that recognises a row wins. */
  recognises(raw: JsonObject): boolean;
  /** Never guesses: an unknown part is a problem with its path. */
  read(raw: JsonObject): DatasetRow | RowProblem;
}

/** True if a column has a value: parquet has null where a row has none. */
export function has(raw: JsonObject, column: string): boolean {
  return raw[column] !== undefined && raw[column] !== null;
}

export function readColumns<T>(
  schema: z.ZodType<T>,
  raw: JsonObject,
  rowOf: (columns: T) => DatasetRow | RowProblem,
): DatasetRow | RowProblem {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return rowOf(parsed.data);
  const { path, code, message } = parsed.error.issues[0]!;
  return { path: pathText(path), code, problem: message };
}

export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => {
      if (typeof key === 'number') return `[${key}]`;
      const name = String(key);
      if (!/^[\w$-]+$/.test(name)) return `[${JSON.stringify(name)}]`;
      return at === 0 ? name : `.${name}`;
    })
    .join('');
}

const questionColumns = ['question', 'Question', 'problem'] as const;

/** Row of pieces with the values of its other columns. */
export function rowOfPieces(
  raw: JsonObject,
  format: RowFormatName,
  maskedBy: MaskSource,
  pieces: readonly RowPiece[],
): DatasetRow {
  const spoken = spokenTexts(pieces);
  return {
    format,
    maskedBy,
    question: firstText(raw, questionColumns),
    ...spoken,
    system: spoken.system ?? firstText(raw, ['system']),
    pieces,
    profile: typeof raw.profile === 'string' ? raw.profile : null,
    answer: finalAnswer(spoken.text, pieces),
    gold: goldIn(raw).gold,
    tools: toolsOf(raw.tools),
  };
}

export function firstText(raw: JsonObject, columns: readonly string[]): string | null {
  const found = columns
    .map((name) => raw[name])
    .find((text) => typeof text === 'string' && text.trim() !== '');
  return (found as string | undefined) ?? null;
}

/** Columns of gold answers, compared without case; unambiguous names first. */
export const goldColumns = [
  'golden_answers',
  'gold_answers',
  'gold_answer',
  'ground_truth',
  'gt',
  'expected_answer',
  'reference_answer',
  'correct_answer',
  'answers',
  'answer',
  'target',
] as const;
const goldNames: ReadonlySet<string> = new Set(goldColumns);

/** Columns with media for placeholders such as `<image>` or for the question. */
const mediaColumns = 'images videos audios image video audio image_path image_paths image_url'.split(' ');

/** Media columns that have content. */
export function mediaIn(row: JsonObject): string[] {
  return mediaColumns.filter((name) =>
    [row[name] ?? []].flat().some((value) => value !== '' && value !== false),
  );
}

/**
 * Columns that any layout may have. They are read only in part; a row with pictures is refused if the layout cannot
 * read them.
 */
const commonColumns = ['id', 'system', 'profile', 'tools', 'label', 'reward_model', ...mediaColumns];

export function unreadColumns(row: JsonObject, read: readonly string[]): string[] {
  const { column = '' } = goldIn(row);
  const known = new Set<string>([...commonColumns, ...questionColumns, ...read, column]);
  return Object.keys(row).filter((name) => has(row, name) && !known.has(name));
}

/** Gold answers of a row and their column; some columns hold nested lists. */
export function goldIn(row: JsonObject): { readonly column?: string; readonly gold: string[] } {
  const columns = Object.keys(row).filter((column) => goldNames.has(column.toLowerCase()));
  for (const name of goldColumns)
    for (const column of columns) {
      if (column.toLowerCase() !== name) continue;
      const gold = [row[column]].flat(3).filter(isAnswer).map(String);
      if (gold.length > 0) return { column, gold };
    }
  const truth = groundTruth(row.reward_model);
  return truth.length > 0 ? { column: 'reward_model', gold: truth } : { gold: [] };
}

function isAnswer(value: JsonValue | undefined): value is string | number {
  return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
}

/** verl's `reward_model.ground_truth`: the answer, or the JSON text of an object with it as AFM's rows have it. */
function groundTruth(rewardModel: JsonValue | undefined): string[] {
  const truth = isJsonObject(rewardModel) ? rewardModel.ground_truth : undefined;
  if (typeof truth !== 'string') return [];
  const parsed = safeParseJson(truth);
  const { target } = (parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}) as JsonObject;
  return target === undefined ? [truth] : [target].flat(2).filter((text) => typeof text === 'string');
}

function finalAnswer(text: string | null, pieces: readonly RowPiece[]): string | null {
  if (text === null) return null;
  const start = text.lastIndexOf('<answer>');
  if (start >= 0) {
    const end = text.indexOf('</answer>', start);
    return text.slice(start + '<answer>'.length, end < 0 ? undefined : end).trim();
  }
  const last = pieces.findLast(({ role }) => role === 'assistant');
  return pieces.length > 0 && last ? last.text.trim() : null;
}

/** A list of declarations, or its JSON text. */
function toolsOf(tools: JsonValue | undefined): JsonObject[] {
  const parsed = typeof tools === 'string' ? safeParseJson(tools) : undefined;
  const list = parsed ? (parsed.ok ? parsed.value : []) : tools;
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
