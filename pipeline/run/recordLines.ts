import { type RawLine, readLines } from '../../base/journal/readLines.ts';
import { checkSealed } from '../../base/journal/sealed.ts';
import { parseSealedAs } from '../../base/parseStored.ts';
import { type RecordLine, recordLineSchema } from '../../schemas/run/journalLines.ts';
import { damagedLine } from './damagedLine.ts';
import { stagePaths } from './stagePaths.ts';

/** What the first bytes of a record line say, and where it stands. */
export interface RecordLinePlace extends Omit<RawLine, 'whole'> {
  readonly index: number;
  /** How many records it holds. */
  readonly count: number;
}

const recordKeys = Object.keys(recordLineSchema.shape);
const linePrefix = /^\{"index":(\d+),"count":(\d+),/;

/** `index` and `count` of a record line, whose checksum is compared. Throws `UserError` when it is damaged. */
export function parseLinePrefix(
  runFolder: string,
  stage: string,
  { bytes, number }: Pick<RawLine, 'bytes' | 'number'>,
): { index: number; count: number } {
  try {
    const match = linePrefix.exec(bytes.subarray(0, 64).toString('latin1'));
    if (!match) throw new Error('no record line');
    checkSealed(bytes, recordKeys);
    return { index: Number(match[1]), count: Number(match[2]) };
  } catch (error) {
    const { records } = stagePaths(runFolder, stage);
    throw damagedLine(records, number, stage, (error as Error).message, bytes);
  }
}

/** The record lines of a stage in the order in which they were written; a torn last line is left out. */
export async function* readRecordLines(runFolder: string, stage: string): AsyncGenerator<RecordLinePlace> {
  for await (const line of readLines(stagePaths(runFolder, stage).records)) {
    const { bytes, number, offset, whole } = line;
    if (whole) yield { bytes, number, offset, ...parseLinePrefix(runFolder, stage, line) };
  }
}

/** A record line. Throws `UserError` when it is damaged. */
export function parseRecordLine(
  runFolder: string,
  stage: string,
  { bytes, number }: Pick<RawLine, 'bytes' | 'number'>,
): RecordLine {
  try {
    return parseSealedAs(recordLineSchema, bytes);
  } catch (error) {
    throw damagedLine(stagePaths(runFolder, stage).records, number, stage, (error as Error).message, bytes);
  }
}
