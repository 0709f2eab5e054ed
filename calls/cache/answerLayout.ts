import type { DatabaseSync } from 'node:sqlite';
import { UserError } from '../../base/userError.ts';
import { answerColumns } from './answerRow.ts';
import { damage } from './sqliteErrors.ts';

/** Marks a SQLite file as a cache of ours: "CoaC". */
const APPLICATION_ID = 0x436f6143;
/** Bumped when the table changes. */
const LAYOUT_VERSION = 2;

/** Makes the table where there is none, and marks the file. */
export const createLayout = `
  CREATE TABLE IF NOT EXISTS answers (
    kind TEXT NOT NULL, request TEXT NOT NULL, provider TEXT NOT NULL, name TEXT NOT NULL, sample INTEGER NOT NULL,
    task_id TEXT NOT NULL, created_at TEXT NOT NULL, answer TEXT NOT NULL, checksum TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (request, provider)
  );
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${LAYOUT_VERSION};
`;

const FACTS = `
  SELECT application_id, user_version, page_count, (SELECT count(*) FROM sqlite_schema) AS tables
  FROM pragma_application_id, pragma_user_version, pragma_page_count
`;

/**
 * Lets a new file and a cache of ours pass.
 *
 * @throws UserError for any other database, and for a cache of another version; an error of damage for a cache whose
 * first page does not fit its table
 */
export function refuseForeign(database: DatabaseSync, path: string): void {
  type Facts = Record<'application_id' | 'user_version' | 'page_count' | 'tables', number>;
  const facts = database.prepare(FACTS).get() as Facts;
  if (facts.tables === 0 && facts.page_count <= 1) return;
  const isMarked = facts.application_id === APPLICATION_ID;
  const isVersion = isMarked && facts.user_version === LAYOUT_VERSION;
  const hasTable = hasAnswersTable(database);
  if (hasTable && isVersion) return;
  if (hasTable || isVersion || facts.tables === 0) throw damage('its first page does not fit its table');
  if (!isMarked) {
    throw new UserError(
      `${path}: expected a cache of coa-distill, got another SQLite database; name another file`,
    );
  }
  throw new UserError(
    `${path}: expected a cache of layout ${LAYOUT_VERSION}, got layout ${facts.user_version} of another version of coa-distill; move it away, or use that version`,
  );
}

function hasAnswersTable(database: DatabaseSync): boolean {
  const columns = database.prepare("SELECT name FROM pragma_table_info('answers')").all();
  return columns.map(({ name }) => name).join(' ') === [...answerColumns, 'checksum'].join(' ');
}
