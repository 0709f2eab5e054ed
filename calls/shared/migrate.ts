import { readdirSync, readFileSync } from 'node:fs';
import type { ClientBase } from 'pg';
import { UserError } from '../../base/userError.ts';

/** The oldest version of PostgreSQL that is used. */
export const LEAST_POSTGRES = 15;

/** Keeps two processes from making the tables at the same time. */
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

/** The files of `migrations/` in their order; a database is as many of them on as its schema's comment says. */
const migrations = readdirSync(new URL('./migrations/', import.meta.url)).sort();

function readSql(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}

/** How many migrations a layout is on; undefined for one of before there were any, and of a later version. */
function migrationsOf(layout: string | null): number | undefined {
  const done = Number(/^migration (\d+)$/.exec(layout ?? '')?.[1]);
  return done <= migrations.length ? done : undefined;
}

/**
 * Makes the tables that the machines of a run share, or brings those of an earlier version up to date. Tables that no
 * migration leads on from are replaced where they hold no run.
 *
 * @throws UserError where they hold one
 */
export async function migrate(client: ClientBase, address: string): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [SETUP_LOCK]);
    const [found] = (await client.query<LayoutRow>(LAYOUT)).rows;
    const done = found && migrationsOf(found.layout);
    if (found && done === undefined) {
      refuseHeld(address, (await client.query<HeldRun>(HELD)).rows);
      await client.query('DROP SCHEMA coa_distill CASCADE');
    }
    if (done === undefined) await client.query('CREATE SCHEMA coa_distill');
    for (const name of migrations.slice(done)) await client.query(readSql(`./migrations/${name}`));
    if (done !== migrations.length)
      await client.query(`COMMENT ON SCHEMA coa_distill IS 'migration ${migrations.length}'`);
    await client.query(readSql('./rights.sql'));
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Whether the tables exist, as this version has them.
 *
 * @throws UserError when those of another version hold a run
 */
export async function hasTables(
  query: <Row extends object>(text: string) => Promise<readonly Row[]>,
  address: string,
): Promise<boolean> {
  const [found] = await query<LayoutRow>(LAYOUT);
  if (found && migrationsOf(found.layout) === migrations.length) return true;
  if (found) refuseHeld(address, await query<HeldRun>(HELD));
  return false;
}

/** @throws UserError when the server is older than what is needed */
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
