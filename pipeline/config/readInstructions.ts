import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { UserError } from '../../base/userError.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { ProfileDeclaration } from '../../schemas/config/profiles.ts';
import type { ConfigProblems } from './configProblems.ts';

/** Longer files are no prompts, but data. */
const MAX_BYTES = 1024 * 1024;

/**
 * Declarations with the text of their prompts in place of the files that hold it: what is hashed, stored and written
 * depends on the text alone.
 *
 * @param folder that relative paths start at
 * @throws UserError that names each file which can't be read or holds no prompt
 */
export async function readInstructions(
  problems: ConfigProblems,
  declarations: readonly ProfileDeclaration[],
  folder: string,
): Promise<ProfileDeclaration[]> {
  const read = await Promise.all(
    declarations.map(async ({ instruction_file, instruction_from, ...declaration }, index) => {
      const sources = { instruction: declaration.instruction, instruction_file, instruction_from };
      const [first, second] = Object.entries(sources).filter(([, value]) => value !== undefined);
      if (second)
        problems.add(
          ['profiles', index, second[0]],
          `${first![0]} and ${second[0]} both give the prompt; keep one`,
        );
      if (second || !first || first[0] === 'instruction') return declaration;
      const [key, file = ''] = first;
      const withPrompt = key === 'instruction_file' ? withFile : withRows;
      const found = () => withPrompt(declaration, resolve(folder, file));
      return (await problems.attempt(['profiles', index, key], found)) ?? declaration;
    }),
  );
  problems.throwIfAny();
  return read;
}

/** White space around the text is the editor's, as it is for AFM's own scripts. */
async function withFile(declaration: ProfileDeclaration, file: string): Promise<ProfileDeclaration> {
  const instruction = (await readPlainText(file)).trim();
  if (instruction === '') throw new UserError(`${file} is empty; it must hold the prompt`);
  return { ...declaration, instruction };
}

async function withRows(declaration: ProfileDeclaration, file: string): Promise<ProfileDeclaration> {
  return readable(async () => {
    const { instruction, question_join, prompt_style } = await promptOfRows(file);
    return { prompt_style, question_join, ...definedOf(declaration), instruction } as ProfileDeclaration;
  });
}

/** A key that is not there does not hide another's value. */
function definedOf(declaration: ProfileDeclaration): ProfileDeclaration {
  const entries = Object.entries(declaration).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as ProfileDeclaration;
}

async function readPlainText(file: string): Promise<string> {
  const bytes = await readable(async () => {
    const { size } = await stat(file);
    if (size > MAX_BYTES) throw new UserError(`${file} has ${size} bytes; a prompt has at most ${MAX_BYTES}`);
    return readFile(file);
  });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n');
  } catch (error) {
    throw new UserError(`${file} is not text in UTF-8; save it as such`, { cause: error });
  }
}

async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    throw new UserError(`${(error as Error).message}; name a file that can be read`, { cause: error });
  }
}

/** What a dataset's rows say about the prompt that they were made with. */
interface RowsPrompt {
  readonly instruction: string;
  /** What stands between the instruction and the question. */
  readonly question_join: string;
  /** Undefined for rows that don't keep the question apart. */
  readonly prompt_style: Profile['prompt_style'] | undefined;
}

/** Rows that are read: the first ones show what all share. */
const MAX_ROWS = 1_000;

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
async function promptOfRows(file: string): Promise<RowsPrompt> {
  const rows: AskedRow[] = [];
  for await (const read of (await openRowFile(file)).rows()) {
    const asked = 'value' in read ? askedRow(read.value) : undefined;
    if (!asked)
      throw new UserError(`${file} row ${read.row}: expected instruction and input, or prompt with turns`);
    rows.push(asked);
    if (rows.length === MAX_ROWS) break;
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
