import { recordLineSchema } from '../../schemas/run/recordLine.ts';
import { damagedLine, parseStored } from './parseStored.ts';
import { type RawLine, readLines } from './readLines.ts';
import { stagePaths } from './stagePaths.ts';

/** What the first bytes of a record line say, and where it stands. */
export interface RecordLinePlace extends Omit<RawLine, 'whole'> {
  readonly index: number;
  /** How many records it holds. */
  readonly count: number;
}

const linePrefix = /^\{"index":(\d+),"count":(\d+),/;

/** `index` and `count` of a record line, from its first bytes. Throws `UserError` on a line that no journal of ours wrote. */
export function parseLinePrefix(
  runFolder: string,
  stage: string,
  { bytes, number }: Pick<RawLine, 'bytes' | 'number'>,
): { index: number; count: number } {
  const match = linePrefix.exec(bytes.subarray(0, 64).toString('latin1'));
  if (match) return { index: Number(match[1]), count: Number(match[2]) };
  throw damagedLine(stagePaths(runFolder, stage).records, number, stage, 'no record line');
}

/** The record lines of a stage in the order in which they were written; a torn last line is left out. */
export async function* readRecordLines(runFolder: string, stage: string): AsyncGenerator<RecordLinePlace> {
  for await (const line of readLines(stagePaths(runFolder, stage).records)) {
    const { bytes, number, offset, whole } = line;
    if (whole) yield { bytes, number, offset, ...parseLinePrefix(runFolder, stage, line) };
  }
}

/** The records of a line. Throws `UserError` when it is damaged; `number` counts lines from 1. */
export function parseRecordLine(
  runFolder: string,
  stage: string,
  number: number,
  bytes: Buffer,
): readonly unknown[] {
  try {
    return parseStored(recordLineSchema, bytes.toString('utf8')).records;
  } catch (error) {
    throw damagedLine(stagePaths(runFolder, stage).records, number, stage, (error as Error).message);
  }
}
