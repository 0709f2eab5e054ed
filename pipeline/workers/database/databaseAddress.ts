import { UserError } from '../../../base/userError.ts';

/** Query parameters that are safe to show and needed to reach the database. */
const shownKeys = new Set(['host', 'port', 'user', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']);

/**
 * Address of a database, safe to show.
 *
 * @throws UserError if it is invalid
 */
export function databaseAddress(url: string): string {
  const { protocol, username, host, pathname } = parseAddress(url);
  const user = username && `${username}@`;
  return `${protocol}//${user}${host}${pathname}`;
}

/** Address of the database without its password. Throws `UserError` if it is invalid. */
export function withoutPassword(url: string): string {
  const query = [...parseAddress(url).searchParams].filter(([key]) => shownKeys.has(key));
  const asked = query.length > 0 ? `?${new URLSearchParams(query)}` : '';
  return `${databaseAddress(url)}${asked}`;
}

/** True if an address contains a password. Throws `UserError` if it is invalid. */
export function hasPassword(url: string): boolean {
  const { password, searchParams } = parseAddress(url);
  return password !== '' || [...searchParams.keys()].some((key) => key.endsWith('password'));
}

/** Address for `pg`, which treats these modes as `verify-full` but prints a five-line warning. */
export function asVerified(url: string): string {
  if (/[?&]uselibpqcompat=true/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

function parseAddress(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // An `@` after the host suggests an unescaped `/`, `?` or `#` in the password, which would be shown as something
  // else.
  if (parsed && /^postgres(?:ql)?:\/\/[^/?#]*(?:[/?#][^@]*)?$/.test(url)) return parsed;
  throw new UserError(
    'expected the address of a PostgreSQL database, postgres://USER@HOST/DATABASE, with the password in PGPASSWORD or ~/.pgpass; other characters than letters and digits as %40 for @',
  );
}
