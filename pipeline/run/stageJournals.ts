import { type RawLine, readLines } from '../../base/journal/readLines.ts';
import { checkSealed, parseSealed } from '../../base/journal/sealed.ts';
import { missingLines, parseSealedAs } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import { type RecordLine, type RetryLine, recordLineSchema } from '../../schemas/run/journalLines.ts';
import { readStageFile, stagePaths } from './stageFiles.ts';

interface RecordLinePlace extends Omit<RawLine, 'whole'> {
  readonly index: number;
  /** Number of records in the line. */
  readonly count: number;
}

type LineBytes = Pick<RawLine, 'bytes' | 'number'>;

/** Position of a line; its path is computed only for error messages. */
interface Journal {
  readonly runFolder: string;
  readonly stage: string;
  readonly file: 'records' | 'ledger';
}

const linePrefix = /^\{"index":(\d+),"count":(\d+),/;
const retryPrefix = Buffer.from('{"kind":"retry"');

/** Parses `index` and `count` of a record line and verifies its checksum. Throws `UserError` if it is damaged. */
export function parseLinePrefix(
  runFolder: string,
  stage: string,
  line: LineBytes,
): { index: number; count: number } {
  return parseLine({ runFolder, stage, file: 'records' }, line, (bytes) => {
    const match = linePrefix.exec(bytes.subarray(0, 64).toString('latin1'));
    if (!match) throw new Error('no record line');
    checkSealed(bytes);
    return { index: Number(match[1]), count: Number(match[2]) };
  });
}

/** Streams the record lines of a stage in write order, without a torn last line. */
export async function* readRecordLines(runFolder: string, stage: string): AsyncGenerator<RecordLinePlace> {
  for await (const line of readLines(stagePaths(runFolder, stage).records, 0, runFolder)) {
    const { bytes, number, offset, whole } = line;
    if (whole) yield { bytes, number, offset, ...parseLinePrefix(runFolder, stage, line) };
  }
}

/** Parses a record line. Throws `UserError` if it is damaged. */
export function parseRecordLine(runFolder: string, stage: string, line: LineBytes): RecordLine {
  return parseLine({ runFolder, stage, file: 'records' }, line, (bytes) =>
    parseSealedAs(recordLineSchema, bytes),
  );
}

/**
 * Streams the valid entries of a stage's ledger in write order, without failures that were retried since and without a
 * torn last line.
 *
 * @throws UserError if a line is damaged, or lines of a finished stage are missing
 */
export async function* readLedger(runFolder: string, stage: string): AsyncGenerator<LedgerEntry> {
  const path = stagePaths(runFolder, stage).ledger;
  const retriedAt = await lastRetries(runFolder, stage);
  let count = 0;
  for await (const line of readLines(path, 0, runFolder)) {
    if (!line.whole || isRetry(line)) continue;
    const entry = parseLedgerLine(runFolder, stage, line) as LedgerEntry;
    if (line.number <= (retriedAt.get(entry.index) ?? 0)) continue;
    count += 1;
    yield entry;
  }
  const file = await readStageFile(runFolder, stage);
  if (file?.complete !== true) return;
  const counts = [...Object.values(file.dropped), ...Object.values(file.failed)];
  const written = counts.reduce((sum, of) => sum + of, 0);
  if (count !== written) throw missingLines(path, stage, { count, written });
}

/** Parses a ledger line. Throws `UserError` if it is damaged. */
export function parseLedgerLine(runFolder: string, stage: string, line: LineBytes): LedgerEntry | RetryLine {
  const parse = (bytes: Buffer) => parseSealed(bytes) as LedgerEntry | RetryLine;
  return parseLine({ runFolder, stage, file: 'ledger' }, line, parse);
}

/** Input -> number of its last retry line. */
async function lastRetries(runFolder: string, stage: string): Promise<ReadonlyMap<number, number>> {
  const retriedAt = new Map<number, number>();
  for await (const line of readLines(stagePaths(runFolder, stage).ledger, 0, runFolder)) {
    if (line.whole && isRetry(line))
      retriedAt.set(parseLedgerLine(runFolder, stage, line).index, line.number);
  }
  return retriedAt;
}

function isRetry({ bytes }: LineBytes): boolean {
  return bytes.subarray(0, retryPrefix.length).equals(retryPrefix);
}

/** Parses a line. Throws `UserError` that describes the problem. */
function parseLine<T>(
  { runFolder, stage, file }: Journal,
  { bytes, number }: LineBytes,
  parse: (bytes: Buffer) => T,
): T {
  try {
    return parse(bytes);
  } catch (error) {
    throw damagedLine(stagePaths(runFolder, stage)[file], number, stage, (error as Error).message, bytes);
  }
}

/** Error for a damaged journal line; `bytes` may contain its task. */
export function damagedLine(
  path: string,
  line: number,
  stage: string,
  why: string,
  bytes: Buffer = Buffer.alloc(0),
): UserError {
  const task = /"task_id":"([\w.:-]+)"/.exec(bytes.subarray(0, 512).toString('latin1'))?.[1];
  return new UserError(
    `${path}:${line}: damaged, or of another version (${why}${task === undefined ? '' : `; ${task}`}); redo the stage with --from ${stage}, or restore the file`,
  );
}
