import { UserError } from '../../base/userError.ts';

/**
 * The address of a database as it may be shown.
 *
 * @throws UserError when it is none
 */
export function databaseAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !/^postgres(?:ql)?:$/.test(parsed.protocol)) {
    throw new UserError(
      'expected the address of a PostgreSQL database, postgres://USER@HOST/DATABASE, with the password in PGPASSWORD or ~/.pgpass',
    );
  }
  const user = parsed.username && `${parsed.username}@`;
  return `${parsed.protocol}//${user}${parsed.host}${parsed.pathname}`;
}
