import { sha256Hex } from '../../base/ids.ts';
import { safeParseJson, storedLevels } from '../../base/json.ts';
import { type CachedAnswer, cachedAnswerSchema } from '../../schemas/run/cachedAnswer.ts';

/** Columns of an answer; `checksum` follows them. */
export const answerColumns = [
  'kind',
  'request',
  'provider',
  'name',
  'sample',
  'task_id',
  'created_at',
  'answer',
] as const;

/** Inserts an answer; of two under one key the first stays. */
export const insertAnswer = `
  INSERT INTO answers (${answerColumns.join(', ')}, checksum)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (request, provider) DO NOTHING
`;

export function answerRow(answer: CachedAnswer): (string | number)[] {
  const values = answerColumns.map((column) => {
    const value = answer[column];
    if (typeof value === 'number') return value;
    return (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
  });
  return [...values, answerChecksum(values)];
}

/** SHA-256 of a row's values in the order of {@link answerColumns}. */
function answerChecksum(values: readonly unknown[]): string {
  return sha256Hex(JSON.stringify(values));
}

/** Answer of a row; undefined for a wrong checksum or an invalid value. */
export function readAnswer(row: Readonly<Record<string, unknown>>): CachedAnswer | undefined {
  const { checksum, ...values } = row;
  if (checksum !== answerChecksum(answerColumns.map((column) => values[column]))) return undefined;
  const json = safeParseJson(String(values.answer), storedLevels);
  if (!json.ok) return undefined;
  const parsed = safeParseAnswer({ ...values, answer: json.value });
  return parsed.ok ? parsed.answer : undefined;
}

/** Parses an answer at any nesting; `error` describes the problem. */
export function safeParseAnswer(
  value: unknown,
): { readonly ok: true; readonly answer: CachedAnswer } | { readonly ok: false; readonly error: string } {
  try {
    const { success, data, error } = cachedAnswerSchema.safeParse(value);
    if (success) return { ok: true, answer: data };
    const [issue] = error.issues;
    return { ok: false, error: `${issue?.path.join('.') || 'the line'}: ${issue?.message}` };
  } catch (error) {
    // Thousands of levels overflow the stack.
    if (error instanceof RangeError) return { ok: false, error: 'the answer is nested too deep' };
    throw error;
  }
}
