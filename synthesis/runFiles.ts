import { join } from 'node:path';
import { replaceFile } from '../base/files/atomicFile.ts';
import { sealedFile } from '../base/journal/sealed.ts';
import { parseSealedAs, parseStored, readStored } from '../base/parseStored.ts';
import { TASKS_MANIFEST } from '../contract/stageTable.ts';
import { readStageFile } from '../pipeline/run/stageFiles.ts';
import {
  type CheckerMeasure,
  type CheckerWork,
  checkerMeasureSchema,
  type TasksetManifest,
  tasksetManifestSchema,
} from './records/tasksetManifest.ts';

/** Reads the manifest of the made tasks; undefined before it is written. Throws `UserError` if it is damaged. */
export function readTasksetManifest(runFolder: string): Promise<TasksetManifest | undefined> {
  const parse = (bytes: Buffer) => parseStored(tasksetManifestSchema, bytes.toString('utf8'));
  return readStored([runFolder, TASKS_MANIFEST], parse, 'write the tasks again with --from write');
}

const CHECKER_FILE = 'checker.json';

/** Stores the measured quality of the role `check`. */
export function writeChecker(runFolder: string, measure: CheckerMeasure): Promise<void> {
  return replaceFile(join(runFolder, CHECKER_FILE), sealedFile(measure));
}

/**
 * Reads the output of {@link writeChecker} and the results of the stage `check`; undefined before either exists. Throws
 * `UserError` if damaged.
 */
export async function readChecker(runFolder: string): Promise<CheckerWork | undefined> {
  const parse = (bytes: Buffer) => parseSealedAs(checkerMeasureSchema, bytes);
  const measure = await readStored([runFolder, CHECKER_FILE], parse, 'redo the stage with --from check');
  const check = measure && (await readStageFile(runFolder, 'check'));
  if (!check) return undefined;
  const { answer_drift = 0, not_unique = 0 } = check.dropped;
  return { ...measure, dropped: answer_drift + not_unique, kept: check.emitted_inputs };
}
