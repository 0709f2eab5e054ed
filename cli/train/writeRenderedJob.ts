import { dirname, join } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { UserError } from '../../base/userError.ts';
import { readJob } from '../../training/jobFolder.ts';
import type { PlannedJob } from './planFromCommandLine.ts';

/**
 * Writes a job's files, to be started by hand.
 *
 * @throws UserError when the job was started: its files are what it was started with
 */
export async function writeRenderedJob({ jobFolder, rendered }: PlannedJob): Promise<void> {
  if (await readJob(jobFolder)) {
    throw new UserError(`${jobFolder}: the job was started, and its files are kept; name another with --job`);
  }
  for (const { path, text } of rendered.files) {
    const file = join(jobFolder, path);
    await makeFolder(dirname(file));
    await replaceFile(file, text);
  }
}
