import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { sha256Hex } from '../../base/ids.ts';
import { safeParseLine } from '../../base/rows/repeatedKey.ts';
import { UserError } from '../../base/userError.ts';
import { type PassRateLine, passRateLineSchema } from '../../schemas/passRateLine.ts';
import { normaliseQuestion } from '../../schemas/question.ts';
import { passRateOf } from '../../schemas/tryResult.ts';

/** Pass rates of another model. */
export class PassRates {
  readonly #counts = new Map<string, { passed: number; samples: number }>();

  add({ task_id, question, passed, samples }: PassRateLine): void {
    const key = task_id ?? keyOf(question!);
    const before = this.#counts.get(key) ?? { passed: 0, samples: 0 };
    this.#counts.set(key, { passed: before.passed + passed, samples: before.samples + samples });
  }

  /** Tries of a task, by its id, otherwise by its question; undefined without a line. */
  countsOf({ task_id, question }: { task_id: string; question: string }) {
    return this.#counts.get(task_id) ?? this.#counts.get(keyOf(question));
  }

  /** Pass rate of a task, by its id, otherwise by its question; undefined without a line. */
  rateOf(task: { task_id: string; question: string }): number | undefined {
    const counts = this.countsOf(task);
    return counts && passRateOf(counts);
  }
}

/**
 * Reads a file of pass rates, a line at a time.
 * @param key - The configuration's key that names the file
 * @throws UserError for a file that can't be read, and that names the first line that can't be used
 */
export async function readPassRates(file: string, key: string): Promise<PassRates> {
  try {
    const rates = new PassRates();
    for await (const line of passRateLines(file)) rates.add(line);
    return rates;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${key}: ${file} can't be read (${(error as Error).message})`, {
      cause: error,
    });
  }
}

/** Lines of a file of pass rates, unchanged. Throws `UserError` for the first invalid one. */
async function* passRateLines(file: string): AsyncGenerator<PassRateLine> {
  let number = 0;
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number++;
    if (line.trim() !== '') yield parseLine(file, number, line);
  }
}

function parseLine(file: string, number: number, line: string): PassRateLine {
  const fail = (why: string): never => {
    throw new UserError(
      `${file}, line ${number}: ${why}; expected {"task_id" or "question", "passed", "samples"}`,
    );
  };
  const json = safeParseLine(line);
  if (!json.ok) return fail(json.error);
  const parsed = passRateLineSchema.safeParse(json.value);
  // Not the parsed object, whose keys are in another order.
  if (parsed.success) return json.value as PassRateLine;
  const { path, message } = parsed.error.issues[0]!;
  return fail([path.join('.'), message].filter((part) => part !== '').join(': '));
}

/** 128-bit hash as a string of 16 bytes. */
function keyOf(question: string): string {
  return Buffer.from(sha256Hex(normaliseQuestion(question)).slice(0, 32), 'hex').toString('latin1');
}
