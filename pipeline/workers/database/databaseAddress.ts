import { UserError } from '../../../base/userError.ts';

/** What of a query may be shown, and is needed to reach the same database in the same way. */
const shownKeys = new Set(['host', 'port', 'user', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']);

/**
 * The address of a database as it may be shown.
 *
 * @throws UserError when it is not one
 */
export function databaseAddress(url: string): string {
  const { protocol, username, host, pathname } = parseAddress(url);
  const user = username && `${username}@`;
  return `${protocol}//${user}${host}${pathname}`;
}

/** An address that reaches the same database, given the password. Throws `UserError` when it is not one. */
export function withoutPassword(url: string): string {
  const query = [...parseAddress(url).searchParams].filter(([key]) => shownKeys.has(key));
  const asked = query.length > 0 ? `?${new URLSearchParams(query)}` : '';
  return `${databaseAddress(url)}${asked}`;
}

/** Whether an address holds a password. Throws `UserError` when it is not one. */
export function hasPassword(url: string): boolean {
  const { password, searchParams } = parseAddress(url);
  return password !== '' || [...searchParams.keys()].some((key) => key.endsWith('password'));
}

/** The address for `pg`, which takes these modes for `verify-full` and prints a warning of five lines. */
export function asVerified(url: string): string {
  if (/[?&]uselibpqcompat=true/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

function parseAddress(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  // An `@` behind the host was meant to be before it: a password with `/`, `?` or `#` would be shown as something else.
  if (parsed && /^postgres(?:ql)?:\/\/[^/?#]*(?:[/?#][^@]*)?$/.test(url)) return parsed;
  throw new UserError(
    'expected the address of a PostgreSQL database, postgres://USER@HOST/DATABASE, with the password in PGPASSWORD or ~/.pgpass; other characters than letters and digits as %40 for @',
  );
}
