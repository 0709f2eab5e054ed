import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { JsonObject } from '../../base/json.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { matchedFiles, rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { UserError } from '../../base/userError.ts';
import type { TestStore } from '../../contract/testStore.ts';
import type { RecordTests, TaskTests } from '../../schemas/task.ts';
import { findIn, type TaskLayout } from '../../schemas/tasks/taskLayout.ts';
import { type MappedTests, mapTests } from './mapTests.ts';

/** Columns for tests and the calls they make. */
type TestColumns = Pick<TaskLayout, 'tests' | 'func_name' | 'starter_code' | 'import_prefix'>;

/** All tests of a row combined; empty columns are skipped. A problem names the column. */
export function testsOfRow(row: JsonObject, columns: TestColumns): MappedTests {
  const hints = {
    func_name: textAt(row, columns.func_name),
    starter_code: textAt(row, columns.starter_code),
    import_prefix: columns.import_prefix.flatMap((path) => findIn(row, [path]) ?? []).join('\n'),
  };
  const found = [];
  for (const path of columns.tests) {
    const column = findIn(row, [path]);
    const tests = column === undefined || column === '' ? undefined : mapTests(column, hints);
    if (tests && 'problem' in tests) return { problem: `the tests (column ${path}) ${tests.problem}` };
    if (tests) found.push(tests);
  }
  const joined = joinTests(found);
  if (!joined || !('problem' in joined)) return joined;
  return { problem: `columns ${columns.tests.join(', ')} ${joined.problem}` };
}

function textAt(row: JsonObject, paths: readonly string[]): string | undefined {
  const value = findIn(row, paths);
  return typeof value === 'string' ? value : undefined;
}

/** Combines tests of several columns; undefined for none; a problem if only some call a function. */
function joinTests(parts: readonly TaskTests[]): TaskTests | undefined | { readonly problem: string } {
  const [first, ...others] = parts;
  if (others.length === 0) return first;
  const [cases, checks] = [
    parts.flatMap((part) => (part.kind === 'stdin' ? part.cases : [])),
    parts.flatMap((part) => (part.kind === 'functional' ? part.checks : [])),
  ];
  if (cases.length > 0 && checks.length > 0) return { problem: 'hold tests by input and tests by call' };
  return first!.kind === 'stdin' ? { ...first!, cases } : { ...first!, checks };
}

import path from 'node:path';

/** Tests stored in separate files. */
export interface HiddenTests {
  /** Name of the file or folder, for messages. */
  readonly from: string;
  readonly tests: ReadonlyMap<string, RecordTests | { readonly problem: string }>;
}

/** Test columns of LiveCodeBench's rows and of the user's own. */
const columns: TestColumns = {
  tests: ['public_test_cases', 'private_test_cases', 'tests'],
  func_name: ['metadata.func_name', 'func_name'],
  starter_code: ['starter_code'],
  import_prefix: [],
};

const idColumns = ['question_id', 'id'];

/**
 * Reads the tests of the wanted questions from a file or all task files in a folder, one row in memory at a time:
 * with a store the result contains no tests. The first row of a question counts.
 * @param wanted ids of the questions that there are tasks of; rows of others are passed over
 * @throws UserError when there is no such file, or a row can't be read at all
 */
export async function readHiddenTests(
  place: string,
  wanted: ReadonlySet<string>,
  store: TestStore | undefined,
): Promise<HiddenTests> {
  const tests = new Map<string, RecordTests | { readonly problem: string }>();
  for (const file of await filesAt(place)) {
    const { unit, columns: rows } = await openRowFile(file);
    for await (const read of rows()) {
      if ('problem' in read)
        throw new UserError(
          `tests_from: ${path.basename(file)} ${unit} ${read.row}: ${read.problem}; fix the file`,
        );
      const id = findIn(read.value, idColumns);
      const name = typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
      if (name === undefined || !wanted.has(name) || tests.has(name)) continue;
      const problem = `no tests (column ${columns.tests.join(' or ')})`;
      const found = testsOfRow(read.value, columns) ?? { problem };
      tests.set(name, store && !('problem' in found) ? await store.put(found) : found);
    }
  }
  return { from: path.basename(place), tests };
}

/** Throws `UserError` if the file of tests is missing, before anything is read. */
export async function assertTestsThere(place: string): Promise<void> {
  for (const file of await filesAt(place)) await openRowFile(file);
}

/** The file, a folder's row files, or the matches of a pattern. */
async function filesAt(place: string): Promise<string[]> {
  if (!existsSync(place) && !matchedFiles(place))
    throw new UserError(`tests_from: ${place}: there is no such file or folder; check the path`);
  try {
    return (await rowFilesAt(place)).map((file) => file.path);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const names = await readdir(place, { recursive: true }).catch(() => []);
    const hint = names.some((name) => name.endsWith('.pkl')) ? pickleHint : '';
    throw new UserError(`tests_from: ${error.message}${hint}`, { cause: error });
  }
}

const pickleHint =
  "; .pkl files hold Python objects, which are not loaded: give the files that they were made of, such as LiveCodeBench's test5.jsonl";
