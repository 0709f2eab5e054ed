import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { UserError } from '../../../base/userError.ts';
import { LEAST_POSTGRES } from './makeTables.ts';

/** Install locations of the server programs outside of `PATH`. */
const places = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql@*/bin',
  '/usr/local/opt/postgresql@*/bin',
];

const install =
  'apt-get install postgresql (Debian, Ubuntu), dnf install postgresql-server (Fedora, Red Hat), brew install postgresql@17 (macOS)';

export interface PostgresPrograms {
  readonly major: number;
  /** Their environment, without the run's keys. */
  readonly env: NodeJS.ProcessEnv;
  run(program: 'initdb' | 'pg_ctl', ...args: string[]): Promise<void>;
  argv(program: 'postgres', ...args: string[]): string[];
}

/**
 * Finds the newest PostgreSQL of this machine.
 *
 * @param only the version that created the data; default: any from 15 on
 * @throws UserError that says what to install
 */
export async function findPostgres(
  env: NodeJS.ProcessEnv,
  { user, only }: { readonly user: ServerUser | undefined; readonly only?: number | undefined },
): Promise<PostgresPrograms> {
  const onPath = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const folders = [...places.flatMap((place) => globSync(place)), ...onPath].filter((folder) =>
    ['initdb', 'pg_ctl', 'postgres'].every((program) => existsSync(join(folder, program))),
  );
  const found = await Promise.all(folders.map(async (folder) => ({ folder, major: await majorOf(folder) })));
  const [newest] = found
    .filter(({ major }) => (only === undefined ? major >= LEAST_POSTGRES : major === only))
    .sort((a, b) => b.major - a.major);
  if (!newest) {
    const wanted = only === undefined ? `${LEAST_POSTGRES} or newer` : `${only}, which made its data`;
    throw new UserError(
      `workers without an address need PostgreSQL ${wanted} on this machine: ${install}; or name a database with --workers postgres://USER@HOST/DB`,
    );
  }
  const { folder, major } = newest;
  const own = { PATH: env.PATH };
  const argvOf = (program: string, args: readonly string[]) => [
    ...asUser(user),
    join(folder, program),
    ...args,
  ];
  return {
    major,
    env: own,
    async run(program, ...args) {
      const [file, ...rest] = argvOf(program, args);
      await promisify(execFile)(file!, rest, { cwd: '/', env: own });
    },
    argv: (program, ...args) => argvOf(program, args),
  };
}

async function majorOf(folder: string): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)(join(folder, 'postgres'), ['--version']);
    return Number(/(\d+)/.exec(stdout)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** User for a server started by root, since PostgreSQL refuses to run as root: `postgres`, otherwise `nobody`. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  const [, , uid, gid] = users.find((line) => line.startsWith('postgres:'))?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : { uid: 65_534, gid: 65_534 };
}

function asUser(user: ServerUser | undefined): string[] {
  return user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
}
