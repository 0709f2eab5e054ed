import { readdirSync, readFileSync } from 'node:fs';
import type { ClientBase } from 'pg';
import { sha256Hex } from '../../../base/ids.ts';
import { UserError } from '../../../base/userError.ts';

/** Minimum version of PostgreSQL. */
export const LEAST_POSTGRES = 15;

/** Advisory lock against two processes that create the tables at once. */
const SETUP_LOCK = 0x436f6143;

const LAYOUT = `SELECT obj_description(oid, 'pg_namespace') AS layout FROM pg_namespace WHERE nspname = 'coa_distill'`;
const HELD = 'SELECT name, version FROM run';

interface LayoutRow {
  readonly layout: string | null;
}

interface HeldRun {
  readonly name: string;
  readonly version: string;
}

const tables = readdirSync(new URL('./tables/', import.meta.url))
  .sort()
  .map((name) => readFileSync(new URL(`./tables/${name}`, import.meta.url), 'utf8'))
  .join('');
/** Comment of a schema that was created by these statements. */
const layout = `layout ${sha256Hex(tables).slice(0, 16)}`;

/**
 * Creates the tables that the machines of a run share. Tables of another version are replaced if they hold no run.
 *
 * @throws UserError if they hold one
 */
export async function makeTables(client: ClientBase, address: string): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [SETUP_LOCK]);
    const [found] = (await client.query<LayoutRow>(LAYOUT)).rows;
    if (found?.layout !== layout) {
      if (found) refuseHeld(address, (await client.query<HeldRun>(HELD)).rows);
      await client.query('DROP SCHEMA IF EXISTS coa_distill CASCADE; CREATE SCHEMA coa_distill');
      await client.query(tables);
      await client.query(`COMMENT ON SCHEMA coa_distill IS '${layout}'`);
    }
    await client.query(readFileSync(new URL('./rights.sql', import.meta.url), 'utf8'));
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * True if the tables exist in this version.
 *
 * @throws UserError if those of another version hold a run
 */
export async function hasTables(
  query: <Row extends object>(text: string) => Promise<readonly Row[]>,
  address: string,
): Promise<boolean> {
  const [found] = await query<LayoutRow>(LAYOUT);
  if (found?.layout === layout) return true;
  if (found) refuseHeld(address, await query<HeldRun>(HELD));
  return false;
}

/** @throws UserError for a server older than {@link LEAST_POSTGRES} */
export async function refuseOldServer(client: ClientBase, address: string): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  const major = Math.floor(Number(rows[0]!.server_version_num) / 10_000);
  if (major >= LEAST_POSTGRES) return;
  throw new UserError(`${address}: is PostgreSQL ${major}, and ${LEAST_POSTGRES} or newer is needed`);
}

function refuseHeld(address: string, [held]: readonly HeldRun[]): void {
  if (!held) return;
  throw new UserError(
    `${address}: holds the run ${held.name} of coa-distill ${held.version}, whose tables are other ones; finish it with that version, or name another database`,
  );
}
