import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { type Profile, renderPrompt } from '../../schemas/coa/profile.ts';
import { valueAt } from '../../schemas/columnPath.ts';
import { taskInTurn } from '../../stages/decontaminate/benchmarkLayouts.ts';
import { BadRow } from './sourceRow.ts';

/** Columns that hold nothing but the question, the first that a row has. */
const questionColumns: readonly string[] = ['question', 'Question', 'problem'];
/** Columns that hold it in rows without turns; beside turns they hold other things, such as the kind of task. */
const lesserColumns: readonly string[] = ['query', 'prompt', 'task'];

export interface QuestionOptions {
  /** Dots reach into objects; undefined: by the row's layout. */
  readonly column: string | undefined;
  /** Those whose prompts are known, so that only the question behind them counts. */
  readonly profiles: readonly Profile[];
}

/** What a row asks. Throws `BadRow` where nothing says it. */
export function rowQuestion(row: JsonObject, { column, profiles }: QuestionOptions): string {
  if (column !== undefined) return textIn(row, column);
  const question =
    textOfFirst(row, questionColumns) ??
    (questionInPrompt(rowPrompt(row)?.user ?? '', profiles) ||
      promptTask(row) ||
      textOfFirst(row, lesserColumns));
  if (question !== undefined) return boundedText(question, 'question');
  const known = [...questionColumns, ...lesserColumns].join(', ');
  throw new BadRow(
    `no question: expected a column ${known}, or instruction, conversations or messages; name it with --column`,
  );
}

function textOfFirst(row: JsonObject, columns: readonly string[]): string | undefined {
  return columns.map((name) => row[name]).find((text) => typeof text === 'string' && text.trim() !== '') as
    | string
    | undefined;
}

function textIn(row: JsonObject, column: string): string {
  const found = valueAt(row, column);
  if (typeof found === 'string' && found.trim() !== '') return boundedText(found, column);
  throw new BadRow(
    `${column}: expected a text, found ${JSON.stringify(found)?.slice(0, 60) ?? 'no such column'}`,
  );
}

/** What stands before the model's words in a row. */
interface RowPrompt {
  readonly system: string | undefined;
  readonly user: string;
}

const systemRoles: readonly unknown[] = ['system'];
const userRoles: readonly unknown[] = ['human', 'user'];

/** The prompt of an alpaca or chat row; undefined for other rows. */
export function rowPrompt(row: JsonObject): RowPrompt | undefined {
  const { instruction, input, system } = row;
  if (typeof instruction === 'string') {
    const user = typeof input === 'string' && input !== '' ? `${instruction}\n${input}` : instruction;
    return { system: typeof system === 'string' ? system : undefined, user };
  }
  const turns = row.conversations ?? row.messages;
  if (!Array.isArray(turns)) return undefined;
  return { system: said(turns, systemRoles)[0], user: said(turns, userRoles).join('\n') };
}

/** The task in a column `prompt` of turns, as in AFM's files; undefined for other rows. */
function promptTask({ prompt }: JsonObject): string | undefined {
  return Array.isArray(prompt) ? taskInTurn(said(prompt, userRoles).join('\n')) : undefined;
}

function said(turns: readonly JsonValue[], roles: readonly unknown[]): string[] {
  const own = turns.filter(isJsonObject).filter((turn) => roles.includes(turn.from ?? turn.role));
  return own.map(textOf);
}

/** The question in a user turn: what stands behind a profile's own prompt or behind `Question:`, or else all of it. */
export function questionInPrompt(user: string, profiles: readonly Profile[]): string {
  for (const profile of profiles) {
    const before = renderPrompt(profile, '').user;
    if (before !== '' && user.startsWith(before)) return user.slice(before.length).trim();
  }
  const marked = /(?:^|\n)Question:\s*/.exec(user);
  return (marked ? user.slice(marked.index + marked[0].length) : user).trim();
}

function textOf(turn: JsonObject): string {
  const text: JsonValue | undefined = turn.value ?? turn.content;
  return typeof text === 'string' ? text : '';
}

/** Characters of a text that is compared with others: comparing takes some 25 bytes of memory for each. */
const MAX_COMPARED_CHARACTERS = 10_000_000;

/**
 * The text itself.
 *
 * @param what it is, for messages
 * @throws BadRow for one that is too long to compare
 */
export function boundedText(text: string, what: string): string {
  if (text.length <= MAX_COMPARED_CHARACTERS) return text;
  throw new BadRow(`${what}: expected at most ${MAX_COMPARED_CHARACTERS} characters, found ${text.length}`);
}
