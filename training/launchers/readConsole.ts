import { join } from 'node:path';
import type { LogPart, LogRequest } from '../../contract/launcher.ts';
import type { JobHandle } from '../../schemas/training/jobRecord.ts';
import { readFileFrom } from '../follow/readFileFrom.ts';

/** What a job has printed, where its console file lies on a disk that this machine shares. */
export function readConsole(
  _: JobHandle,
  { folder, consoleFile, from, maxBytes }: LogRequest,
): Promise<LogPart> {
  return readFileFrom(join(folder, consoleFile), from, maxBytes);
}
