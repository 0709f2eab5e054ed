import { truncate } from 'node:fs/promises';
import { unshare } from '../files/atomicFile.ts';
import { onDisk } from '../files/diskError.ts';
import { UserError } from '../userError.ts';
import { type RawLine, readLines } from './readLines.ts';

const CLOSING_BRACE = 0x7d;

export type WholeLine = Pick<RawLine, 'bytes' | 'number' | 'offset'>;

/**
 * Visits the whole lines of a JSONL journal and cuts off a torn last one, whose work is then pending again: a line
 * without line feed, or one that a power cut left as something other than a JSON object.
 * @param advice what the user is told to do about a damaged line
 * @param within folder that must hold the file itself. Default: links are followed
 * @returns the journal's length in bytes after the cut
 * @throws UserError when a line before the last one is damaged
 */
export async function scanJournal(
  path: string,
  visit: (line: WholeLine) => void,
  advice = 'redo the stage with --from, or restore the file',
  within?: string,
): Promise<number> {
  let end = 0;
  let damaged: number | undefined;
  for await (const line of readLines(path, 0, within)) {
    if (damaged !== undefined) throw damagedLine(path, damaged, advice);
    if (!line.whole || !isJsonObject(line.bytes)) {
      damaged = line.number;
      continue;
    }
    visit(line);
    end = line.offset + line.bytes.length + 1;
  }
  if (damaged !== undefined) await onDisk(path, () => cutOff(path, end));
  return end;
}

async function cutOff(path: string, end: number): Promise<void> {
  await unshare(path);
  await truncate(path, end);
}

/** Checks both ends only: a torn line lacks one of them, and traces are too long to parse fully here. */
function isJsonObject(bytes: Buffer): boolean {
  return (
    bytes.length > 1 && bytes.subarray(0, 2).toString('latin1') === '{"' && bytes.at(-1) === CLOSING_BRACE
  );
}

function damagedLine(path: string, line: number, advice: string): UserError {
  return new UserError(`${path}:${line}: the line is damaged and others follow it; ${advice}`);
}
