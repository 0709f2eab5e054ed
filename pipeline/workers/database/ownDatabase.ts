import { existsSync } from 'node:fs';
import { chown, lstat, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sha256Hex } from '../../../base/ids.ts';
import { startBoundProcess } from '../../../base/processes/boundProcess.ts';
import { UserError } from '../../../base/userError.ts';
import { findPostgres, type ServerUser, serverUser } from './postgresPrograms.ts';

/** Start timeout of a server; after a crash it replays its log first. */
const START_MS = 120_000;
const POLL_MS = 50;
/** Connections of each worker, and of observers. */
const CONNECTIONS = { worker: 4, other: 20 };

/** PostgreSQL server of a single run. It ends with this process, even if killed. */
export interface OwnDatabase {
  readonly url: string;
  /** @param remove deletes its data */
  stop(options: { readonly remove: boolean }): Promise<void>;
}

/**
 * Starts a PostgreSQL server with its data in the run's folder, reachable only by this user through a socket. Takes
 * over the data of a killed run. The run's folder must be locked.
 *
 * @throws UserError if PostgreSQL is not installed or does not start
 */
export async function startOwnDatabase(
  runFolder: string,
  { workers, env }: { readonly workers: number; readonly env: NodeJS.ProcessEnv },
): Promise<OwnDatabase> {
  const user = serverUser();
  const folder = await makeOwnFolder(runFolder, user);
  const data = join(folder, 'data');
  const only = existsSync(data) ? Number(await readFile(join(data, 'PG_VERSION'), 'utf8')) : undefined;
  const programs = await findPostgres(env, { user, only });
  if (only === undefined) {
    const half = join(folder, 'new');
    await rm(half, { recursive: true, force: true });
    await programs.run('initdb', '-D', half, '-U', 'coa', '--auth=trust', '--locale=C', '--encoding=UTF8');
    await rename(half, data);
  }
  const stopServer = () => programs.run('pg_ctl', 'stop', '-D', data, '-m', 'fast', '-w').catch(() => {});
  if (existsSync(join(data, 'postmaster.pid'))) await stopServer();
  const sockets = await mkdtemp(join(tmpdir(), 'coa-postgres-'));
  if (user) await chown(sockets, user.uid, user.gid);
  const logFile = join(folder, 'server.log');
  const settings = {
    listen_addresses: '',
    unix_socket_directories: sockets,
    unix_socket_permissions: '0700',
    max_connections: CONNECTIONS.worker * (workers + 1) + CONNECTIONS.other,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = await startBoundProcess(programs.argv('postgres', '-D', data, ...flags), {
    cwd: '/',
    env: programs.env,
    logFile,
  });
  let isOver = false;
  void server.ended.then(() => {
    isOver = true;
  });
  const deadlineMs = Date.now() + START_MS;
  while (!(await isReady(data))) {
    if (isOver || Date.now() > deadlineMs) {
      await server.stop();
      throw new UserError(`PostgreSQL ${programs.major} did not start: see ${logFile}`);
    }
    await delay(POLL_MS);
  }
  return {
    url: `postgres://coa@${encodeURIComponent(sockets)}/postgres?sslmode=disable`,
    async stop({ remove }) {
      await stopServer();
      await server.stop();
      await rm(sockets, { recursive: true, force: true });
      if (remove) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Reads the last line of the server's status file, which says when it accepts connections. */
async function isReady(data: string): Promise<boolean> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  return text.split('\n')[7]?.trim() === 'ready';
}

/** Folder inside the run's folder, or in a place accessible to the server's user. */
async function makeOwnFolder(runFolder: string, user: ServerUser | undefined): Promise<string> {
  if (!user) {
    const folder = join(runFolder, 'database');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }
  const folder = join('/var/tmp', `coa-distill-${sha256Hex(runFolder).slice(0, 16)}`);
  await mkdir(folder, { mode: 0o700 }).then(
    () => chown(folder, user.uid, user.gid),
    () => {},
  );
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === user.uid && (found.mode & 0o077) === 0) return folder;
  throw new UserError(`${folder}: belongs to somebody else; remove it, or run as another user than root`);
}
