import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { detectFormat } from '../../output/lint/read/detectFormat.ts';
import { readPieces } from '../../output/lint/read/readPieces.ts';
import type { Profile } from '../../schemas/coa/profile.ts';

/** What a dataset's rows say about the prompt that they were made with. */
export interface RowsPrompt {
  readonly instruction: string;
  /** What stands between the instruction and the question. */
  readonly question_join: string;
  /** Undefined for rows that don't keep the question apart. */
  readonly prompt_style: Profile['prompt_style'] | undefined;
}

/** Rows that are read: the first ones show what all share. */
const mostRows = 1_000;

/** What AFM's rows have before a question: `Question: ` in those of web and MHQA, `Task:` in those of code and maths. */
const marks = /\n+(?:Question|Task|Problem):[ \n]?/g;

interface AskedRow {
  /** The whole user turn. */
  readonly user: string;
  /** The column of an alpaca row that keeps the question in `input`. */
  readonly instruction: string | undefined;
}

/**
 * The prompt of the rows of a dataset: alpaca columns, or the user turn in `prompt`, `messages` or `conversations`. It
 * is what all of them begin with, up to the last mark before the question, with every line feed.
 *
 * @throws UserError for a file without rows, a row without a prompt, and rows that share none
 */
export async function promptOfRows(file: string): Promise<RowsPrompt> {
  const rows: AskedRow[] = [];
  for await (const piece of readPieces(file, await detectFormat(file))) {
    if (piece.kind !== 'row') continue;
    const asked = 'value' in piece.parsed ? askedRow(piece.parsed.value as JsonValue) : undefined;
    if (!asked)
      throw new UserError(`${file} row ${piece.row}: expected instruction and input, or prompt with turns`);
    rows.push(asked);
    if (rows.length === mostRows) break;
  }
  const [first] = rows;
  if (!first) throw new UserError(`${file} has no rows`);
  const columns = new Set(rows.map(({ instruction }) => instruction));
  const prompt = sharedPrompt(rows.map(({ user }) => user)) ?? columnPrompt(columns);
  if (prompt) return { ...prompt, prompt_style: columns.has(undefined) ? undefined : 'question' };
  throw new UserError(
    `${file}: its rows share no text before "Question:" or "Task:"; put the prompt in instruction_file, and what stands before the question in question_join`,
  );
}

type SharedPrompt = Pick<RowsPrompt, 'instruction' | 'question_join'>;

function sharedPrompt(users: readonly string[]): SharedPrompt | undefined {
  const shared = users.reduce(commonStart);
  const mark = [...shared.matchAll(marks)].at(-1);
  if (!mark || shared.slice(0, mark.index).trim() === '') return undefined;
  return { instruction: shared.slice(0, mark.index), question_join: mark[0] };
}

/** The question stands alone in `input`. */
function columnPrompt(columns: ReadonlySet<string | undefined>): SharedPrompt | undefined {
  const [instruction] = columns;
  if (columns.size > 1 || instruction === undefined || instruction.trim() === '') return undefined;
  return { instruction, question_join: '\n' };
}

function askedRow(value: JsonValue): AskedRow | undefined {
  if (!isJsonObject(value)) return undefined;
  const { instruction, input, prompt, messages, conversations } = value;
  if (typeof instruction === 'string') {
    if (typeof input !== 'string' || input === '') return { user: instruction, instruction: undefined };
    return { user: `${instruction}\n${input}`, instruction };
  }
  const turns = prompt ?? messages ?? conversations;
  const turn = Array.isArray(turns) ? turns.filter(isJsonObject).find(isUserTurn) : undefined;
  const said = turn?.content ?? turn?.value;
  return typeof said === 'string' ? { user: said, instruction: undefined } : undefined;
}

function isUserTurn({ role, from }: JsonObject): boolean {
  return role === 'user' || from === 'human' || from === 'user';
}

function commonStart(a: string, b: string): string {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a[at] === b[at]) at += 1;
  return a.slice(0, at);
}
