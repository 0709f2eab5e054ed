import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../base/files/diskError.ts';
import { UserError } from '../base/userError.ts';
import { changedFiles } from '../output/audit/fileProblems.ts';
import { manifestSchema } from '../schemas/manifest.ts';
import type { JobRecord } from '../schemas/training/jobRecord.ts';

/**
 * Makes sure that a job goes on with the very rows that it was started with: a dataset that was edited or exported again
 * in the meantime would mix two trainings, and nobody could trace the result.
 *
 * @throws UserError that names what changed
 */
export async function refuseChangedData({ plan }: Pick<JobRecord, 'plan'>): Promise<void> {
  const { folder, manifest_sha256 } = plan.dataset;
  const path = join(folder, 'manifest.json');
  const bytes = await readOrRefuse(path);
  if (createHash('sha256').update(bytes).digest('hex') !== manifest_sha256)
    throw changed(path, 'it was rewritten');
  const manifest = manifestSchema.parse(JSON.parse(bytes.toString('utf8')));
  for await (const { file, message } of changedFiles(folder, manifest)) throw changed(file, message);
}

async function readOrRefuse(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw changed(path, 'it is not there');
    throw error;
  }
}

function changed(path: string, how: string): UserError {
  return new UserError(
    `${path}: ${how}; the job was started with other data: restore the dataset as it was, or start a new job with --job NAME`,
  );
}
