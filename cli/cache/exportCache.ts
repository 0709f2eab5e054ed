import { once } from 'node:events';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { createRequestedFile } from '../../base/files/requestedFile.ts';
import { UserError } from '../../base/userError.ts';
import { exportAnswers, exportedLine } from '../../calls/cache/transferAnswers.ts';
import { formatCount } from '../format.ts';
import { cacheFileOf } from './cacheFileOf.ts';

/** Writes a cache as JSON lines, to a file or to the standard output. Throws `UserError` when either can't be had. */
export async function exportCache(
  runOrFile: string,
  output: string | undefined,
  json: boolean,
): Promise<void> {
  const cache = await cacheFileOf(runOrFile);
  if (output === undefined) return printAnswers(cache);
  const file = resolve(output);
  if (isSameFile(file, cache)) {
    throw new UserError(`--output ${output} is the cache itself; name another file`);
  }
  const answers = await writeAnswers(cache, file);
  console.log(json ? JSON.stringify({ file, answers }) : `${formatCount(answers)} answers in ${output}`);
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

async function printAnswers(cache: string): Promise<void> {
  for await (const answer of exportAnswers(cache)) {
    if (!process.stdout.write(exportedLine(answer))) await once(process.stdout, 'drain');
  }
}

/** The file appears under its name once it is whole. */
async function writeAnswers(cache: string, file: string): Promise<number> {
  let answers = 0;
  const exported = await createRequestedFile(file, '--output');
  try {
    for await (const answer of exportAnswers(cache)) {
      await exported.write(exportedLine(answer));
      answers += 1;
    }
    await exported.commit();
  } finally {
    await exported.discard();
  }
  return answers;
}
