import path from 'node:path';
import { allowedNames } from '../../base/nearestName.ts';
import { firstRows, openRowFile, type RowFile } from '../../base/rows/openRowFile.ts';
import { rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { ProblemList, UserError } from '../../base/userError.ts';
import type { TestStore } from '../../contract/testStore.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { TaskSourceConfig, TasksConfig } from '../../schemas/config/tasks.ts';
import { unreadColumns } from '../../schemas/tasks/accountColumns.ts';
import { missingColumns, missingColumnsText } from '../../schemas/tasks/guessColumns.ts';
import { layoutOf } from '../../schemas/tasks/layoutOf.ts';
import type { TaskMapping } from './mapTask.ts';
import { assertTestsThere } from './readHiddenTests.ts';

/** A task file of the configuration, with its absolute path. */
type TaskSourceOnDisk = TaskSourceConfig & { readonly path: string };

export interface TaskSourceOptions {
  readonly sources: readonly TaskSourceOnDisk[];
  /**
   * `fail`: a bad row ends the source with an error before any task is worked on; `skip`: it is dropped as
   * `bad_task`.
   */
  readonly onBadTask: TasksConfig['on_bad_task'];
  readonly profiles: Pick<ProfileRegistry, 'names' | 'profileOf'>;
  /** Maximum tasks over all files, without bad rows; absent: all. */
  readonly limit?: number | undefined;
  /** Store for tests of `tests_from`; absent: tasks contain them. */
  readonly testStore?: TestStore | undefined;
  readonly minTests?: number | undefined;
}

/** A source with open files and their mapping. */
export interface OpenSource {
  /** Name in the configuration, for messages. */
  readonly place: string;
  readonly files: readonly OpenFile[];
  readonly mapping: SourceMapping;
  readonly limit: number;
  /** File of its tests, if not in its rows. */
  readonly testsFrom: string | undefined;
  /** Message if none of its rows is a task because its first rows lack a column. */
  readonly wrongColumns: string | undefined;
}

/** Mapping of a source's rows. */
export type SourceMapping = Omit<TaskMapping, 'file'>;

/** A row file with its name. */
export interface OpenFile extends RowFile {
  /** Relative to the configuration's folder, so that records are equal on every machine. */
  readonly name: string;
}

/**
 * Opens the files of all sources and determines their mapping.
 * @throws UserError for unknown profiles, wrong columns, and files that can't be read
 */
export async function openTaskSources({
  sources,
  profiles,
  onBadTask,
  limit = Infinity,
}: TaskSourceOptions): Promise<OpenSource[]> {
  const opened: OpenSource[] = [];
  for (const source of sources) {
    const profile = profiles.profileOf(source.profile);
    if (!profile) {
      throw new UserError(
        `tasks.sources: unknown profile ${JSON.stringify(source.profile)} for ${source.file}; ${allowedNames(source.profile, profiles.names)}`,
      );
    }
    const files: OpenFile[] = [];
    for (const { path, name } of await rowFilesAt(source.path))
      files.push({ ...(await openRowFile(path)), name });
    const rows = await firstRows(files, Math.min(limit, source.limit ?? Infinity, MAX_BAD_ROWS_NAMED));
    const mapping: SourceMapping = {
      layout: layoutOf(source, source.preset === 'generic' ? rows[0] : undefined, true),
      profile: profile.name,
      domain: source.domain ?? profile.domain,
    };
    const testsFrom = placeOfTests(source, mapping);
    if (testsFrom !== undefined) await assertTestsThere(testsFrom);
    const place = path.basename(source.path);
    const lacks = missingColumns(rows, mapping.layout, mapping.domain).filter(
      ({ part }) => part === 'question' || testsFrom === undefined,
    );
    const wrongColumns = lacks.length > 0 ? `${place}: ${missingColumnsText(lacks, rows)}` : undefined;
    if (wrongColumns !== undefined && onBadTask === 'fail') throw new UserError(wrongColumns);
    const unread = unreadColumns(
      await firstRows(files, Math.min(limit, source.limit ?? Infinity, rowsAccountedFor(mapping))),
      mapping.layout,
    );
    if (unread.length > 0) throw new ProblemList(unread.map((problem) => `${place}: ${problem}`));
    opened.push({ place, files, mapping, limit: source.limit ?? Infinity, testsFrom, wrongColumns });
  }
  return opened;
}

/** Maximum bad rows reported. */
export const MAX_BAD_ROWS_NAMED = 20;

/** Number of first rows checked for unread columns; few if rows may contain megabytes of tests. */
function rowsAccountedFor({ domain }: SourceMapping): number {
  return domain === 'code' ? MAX_BAD_ROWS_NAMED : 100;
}

/** Separate test file of a source; undefined if the rows contain the tests. */
function placeOfTests(
  { tests_from, file, path: own }: TaskSourceOnDisk,
  { domain, layout }: SourceMapping,
): string | undefined {
  if (tests_from !== undefined && domain !== 'code') {
    throw new UserError(
      `tasks.sources: tests_from of ${file}: tests judge programs, and its domain is ${domain}; take it out, or use a profile of programs`,
    );
  }
  return tests_from ?? (layout.hasLongTests && domain === 'code' ? own : undefined);
}
