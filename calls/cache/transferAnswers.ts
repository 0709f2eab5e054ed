import { constants } from 'node:buffer';
import { existsSync } from 'node:fs';
import { readLines } from '../../base/journal/readLines.ts';
import { parseSealed, sealedLine } from '../../base/journal/sealed.ts';
import { safeParseJson, storedLevels } from '../../base/json.ts';
import { printable } from '../../base/printable.ts';
import { UserError } from '../../base/userError.ts';
import type { AnswerKey } from '../../contract/answerCache.ts';
import type { CachedAnswer } from '../../schemas/run/cachedAnswer.ts';
import { rowsOf } from './answerDatabase.ts';
import { readAnswer, safeParseAnswer } from './answerRow.ts';
import { SqliteAnswerCache } from './sqliteAnswerCache.ts';

/** Answers imported per transaction. */
const ANSWERS_AT_ONCE = 200;

/** All answers of a cache, oldest first. Throws `UserError` if it is unreadable. */
export async function* exportAnswers(file: string): AsyncGenerator<CachedAnswer> {
  for await (const row of rowsOf(file, 'SELECT * FROM answers ORDER BY created_at, request, provider')) {
    const answer = readAnswer(row);
    if (answer) yield answer;
  }
}

/** Keys of all answers of a cache, unordered. Throws `UserError` if it is unreadable. */
export async function* answerKeys(file: string): AsyncGenerator<AnswerKey> {
  for await (const { request, provider } of rowsOf(file, 'SELECT request, provider FROM answers'))
    yield { request: String(request), provider: String(provider) };
}

/** An answer as a line of an export, with its checksum. */
export function exportedLine(answer: CachedAnswer): string {
  return `${sealedLine(answer)}\n`;
}

/** Result of an import. */
export interface ImportedAnswers {
  /** New answers. */
  readonly added: number;
  /** Answers already in the cache, left unchanged. */
  readonly known: number;
}

/**
 * Adds exported answers to a cache, creating it if missing. The file is read twice: nothing is added unless every
 * line is an answer.
 * @param log told when a damaged cache was replaced
 * @throws UserError that names the line which is not an answer
 */
export async function importAnswers(
  file: string,
  from: string,
  log: (line: string) => void,
): Promise<ImportedAnswers> {
  if (!existsSync(from)) throw new UserError(`there is no file ${from} to import`);
  for await (const _answer of parsedLines(from));
  await using cache = await SqliteAnswerCache.open(file, log);
  const counts = { added: 0, known: 0 };
  const waiting = new Map<string, Promise<unknown>>();
  for await (const answer of parsedLines(from)) {
    const key = `${answer.request} ${answer.provider}`;
    if (waiting.has(key) || (await cache.lookup(answer))) counts.known += 1;
    else {
      counts.added += 1;
      waiting.set(key, cache.store(answer));
    }
    if (waiting.size < ANSWERS_AT_ONCE) continue;
    await Promise.all(waiting.values());
    waiting.clear();
  }
  await Promise.all(waiting.values());
  return counts;
}

async function* parsedLines(from: string): AsyncGenerator<CachedAnswer> {
  for await (const { bytes, number } of readLines(from)) {
    const place = `${from}:${number}`;
    if (bytes.length > constants.MAX_STRING_LENGTH) {
      throw new UserError(`${place}: the line is too long; expected a line of a cache export`);
    }
    yield parseLine(bytes, place);
  }
}

function parseLine(line: Buffer, place: string): CachedAnswer {
  const refuse = (why: string): never => {
    throw new UserError(`${place}: ${printable(why)}; expected a line of a cache export`);
  };
  const json = safeParseJson(line.toString('utf8'), storedLevels);
  if (!json.ok) return refuse(json.error);
  let said: unknown;
  try {
    said = parseSealed(line);
  } catch (error) {
    return refuse((error as Error).message);
  }
  const parsed = safeParseAnswer(said);
  return parsed.ok ? parsed.answer : refuse(parsed.error);
}
