import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readLines } from '../base/journal/readLines.ts';
import { jsonValueOf } from '../base/json.ts';
import { parseStored, readStored } from '../base/parseStored.ts';
import { UserError } from '../base/userError.ts';
import { RUNS_DIR } from '../pipeline/run/runNames.ts';
import { type EvaluationFile, evaluationFileSchema } from './records/evaluationFile.ts';
import { type TaskResult, taskResultSchema } from './records/sampleResult.ts';

export const EVALUATION_FILE = 'evaluation.json';

/** Folder of the results by task: one `<benchmark>.jsonl` each. */
export const TASK_RESULTS = 'results';

export const INSPECT_LOGS = 'inspect';

export const RESULTS_TABLE = 'results.md';
/** Report as one page, written by the command line. */
export const REPORT_PAGE = 'report.html';
/** Cached answers of the judge for picking the best sample, a folder per benchmark. */
export const PICKS = 'picks';
/** Links to the served checkpoint, and the server's log. */
export const SERVED = 'served';

export function isEvaluation(folder: string): boolean {
  return existsSync(join(folder, EVALUATION_FILE));
}

export function evaluationNames(): string[] {
  return existsSync(RUNS_DIR)
    ? readdirSync(RUNS_DIR).filter((name) => isEvaluation(join(RUNS_DIR, name)))
    : [];
}

/**
 * Reads the result of an evaluation.
 *
 * @throws UserError if the folder contains none, or the file is damaged
 */
export async function readEvaluation(folder: string): Promise<EvaluationFile> {
  const parse = (bytes: Buffer) => parseStored(evaluationFileSchema, bytes.toString('utf8'));
  const evaluation = await readStored(
    [folder, EVALUATION_FILE],
    parse,
    'evaluate again, which calls no model',
  );
  if (evaluation) return evaluation;
  throw new UserError(
    existsSync(folder)
      ? `${folder}: no finished evaluation; the command that began it resumes it`
      : `no evaluation "${folder}"`,
  );
}

/** Reads a benchmark's results by task. Throws `UserError` if they are missing or damaged. */
export async function readTaskFile(folder: string, benchmark: string): Promise<TaskResult[]> {
  const path = join(folder, TASK_RESULTS, `${benchmark}.jsonl`);
  if (!existsSync(path)) throw new UserError(`${path}: missing; evaluate again, which calls no model`);
  const tasks: TaskResult[] = [];
  for await (const { bytes, number } of readLines(path, 0, folder)) {
    const parsed = taskResultSchema.safeParse(jsonValueOf(bytes.toString('utf8')));
    if (!parsed.success)
      throw new UserError(`${path}:${number}: damaged; evaluate again, which calls no model`);
    tasks.push(parsed.data);
  }
  return tasks;
}
