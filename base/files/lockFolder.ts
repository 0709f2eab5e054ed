import { rmSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { isProcessAlive, pidNamespace, processIdentity } from '../processes/processIdentity.ts';
import { UserError } from '../userError.ts';
import { replaceFile } from './atomicFile.ts';
import { onDisk, systemErrorCode } from './diskError.ts';
import { readPlain } from './plainFile.ts';

const holderSchema = z.object({
  pid: z.int().positive(),
  host: z.string(),
  /** Namespace of `pid`; null if the system does not tell. */
  pid_namespace: z.string().nullable().default(null),
  /** Distinguishes a process from a later one with the same id; null if the system does not tell. */
  process_identity: z.string().nullable(),
});
type Holder = z.infer<typeof holderSchema>;

/** Retries for a taken lock: a process that checks whether a folder is held takes the lock for an instant. */
const TRIES = 5;
const TRY_AGAIN_MS = 20;
/** Checks for the holder's name, which is written after the lock is taken and may be late on a busy disk. */
const LOOKS_FOR_NAME = 250;

/** Timeout for a file lock; files are normally held for milliseconds. */
const FILE_PATIENCE_MS = 10_000;

/** SQLite's codes for a lock held elsewhere and for file systems without locks. */
const SQLITE_BUSY = 5;

/** Locks of this process: a garbage-collected connection would release its lock. */
const held = new Set<DatabaseSync>();

/**
 * Takes a folder, of a run or of a training job, for this process. The operating system holds the lock (SQLite's, on
 * the empty file `lock`: `fcntl` on Unix), so all processes of a machine see it, whatever their containers, and it goes
 * with its process. `lock.json` says who has it.
 *
 * Nothing else may open `lock` in this process: closing it there would release the lock (`fcntl(2)`).
 *
 * @returns gives the folder back
 * @throws UserError that names the holder
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const database = await lockPatiently(folder);
  try {
    const left = await readHolder(folder);
    if (left && mayStillWork(left))
      throw inUse(folder, left, `, or remove ${holderPath(folder)} if it has ended`);
    await writeHolder(folder);
  } catch (error) {
    release(database);
    throw error;
  }
  return async () => {
    await rm(holderPath(folder), { force: true });
    // Before releasing the lock: no other holder's file is in its place yet.
    rmSync(join(folder, 'lock'), { force: true });
    release(database);
  };
}

/**
 * Takes a file that is there for nothing else, such as `reviews.lock`, for a short piece of work; waits while another
 * process or another part of this one has it. The file stays.
 *
 * @returns gives the file back
 * @throws UserError when it stays taken for ten seconds
 */
export async function lockFile(path: string): Promise<() => void> {
  for (let waitedMs = 0; waitedMs < FILE_PATIENCE_MS; waitedMs += TRY_AGAIN_MS) {
    const database = await onDisk(path, async () => tryLock(path));
    if (database !== undefined) return () => release(database);
    await delay(TRY_AGAIN_MS);
  }
  throw new UserError(`${path} stays locked by another process; try again once that has ended`);
}

/** True while any process holds the folder. */
export async function isFolderHeld(folder: string): Promise<boolean> {
  if (isLocked(folder)) return true;
  const left = await readHolder(folder);
  return left !== undefined && mayStillWork(left);
}

async function lockPatiently(folder: string): Promise<DatabaseSync> {
  for (let tries = 1; ; tries++) {
    const database = await onDisk(folder, async () => tryLock(join(folder, 'lock')));
    if (database !== undefined) return database;
    if (tries >= TRIES) {
      const holder = await readHolder(folder);
      const isNamed = holder !== undefined && !hasEndedHere(holder);
      if (isNamed || tries >= LOOKS_FOR_NAME) throw inUse(folder, holder, '');
    }
    await delay(TRY_AGAIN_MS);
  }
}

/** Locks a file, creating it if missing; undefined if another process holds it or it was replaced meanwhile. */
function tryLock(path: string): DatabaseSync | undefined {
  const before = madeFile(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // The previous holder may have removed the file: its lock excludes no one.
    if (fileIdentity(path) === before) {
      held.add(database);
      return database;
    }
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    return undefined;
  }
  database.close();
  return undefined;
}

function isLocked(folder: string): boolean {
  const path = join(folder, 'lock');
  const database = openToLook(path);
  if (database === undefined) return false;
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    database.close();
  }
}

/** Undefined without a file: the holder may release the folder and remove the file at any time. */
function openToLook(path: string): DatabaseSync | undefined {
  for (;;) {
    const before = fileIdentity(path);
    if (before === undefined || !statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
    try {
      return new DatabaseSync(path, { timeout: 0, readOnly: true });
    } catch (error) {
      if (fileIdentity(path) === before) throw error;
    }
  }
}

function release(database: DatabaseSync): void {
  held.delete(database);
  database.close();
}

/** Creates a missing file without opening an existing one; returns its identity. */
function madeFile(path: string): string | undefined {
  try {
    writeFileSync(path, '', { flag: 'wx' });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  return fileIdentity(path);
}

/** Distinguishes files of the same name; undefined without a file. */
function fileIdentity(path: string): string | undefined {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file && `${file.dev}/${file.ino}/${file.birthtimeNs}`;
}

function isBusy(error: unknown): boolean {
  return ((error as { errcode?: number }).errcode ?? 0) % 256 === SQLITE_BUSY;
}

function inUse(folder: string, holder: Holder | undefined, otherwise: string): UserError {
  const who = holder
    ? `process ${holder.pid} on ${holder.host}${isElsewhere(holder) ? ' (in another container)' : ''}`
    : 'another process, or its file system knows no locks (docs/run-reference.md)';
  return new UserError(`${folder} is in use by ${who}; wait for it, stop it${otherwise}`);
}

async function writeHolder(folder: string): Promise<void> {
  const own: Holder = {
    pid: process.pid,
    host: hostname(),
    pid_namespace: pidNamespace(),
    process_identity: processIdentity(process.pid),
  };
  await replaceFile(holderPath(folder), JSON.stringify(own));
}

/** Current or last holder of the folder; undefined if not recorded or damaged by a power cut. */
async function readHolder(folder: string): Promise<Holder | undefined> {
  try {
    return holderSchema.parse(
      JSON.parse((await readPlain(holderPath(folder), { within: folder })).toString('utf8')),
    );
  } catch {
    return undefined;
  }
}

function holderPath(folder: string): string {
  return join(folder, 'lock.json');
}

/**
 * True if a process without a lock here may still be working: on another machine, if the file system does not share
 * locks, or here if its file `lock` was removed.
 */
function mayStillWork(holder: Holder): boolean {
  if (holder.host === hostname())
    return !isElsewhere(holder) && isProcessAlive(holder.pid, holder.process_identity);
  const boot = bootOf(processIdentity(process.pid));
  return boot === undefined || bootOf(holder.process_identity) !== boot;
}

/** True if the named process ran on this machine and has ended: the name is stale and not the lock holder's. */
function hasEndedHere(holder: Holder): boolean {
  const isHere = holder.host === hostname() && !isElsewhere(holder);
  return isHere && !isProcessAlive(holder.pid, holder.process_identity);
}

/** True for a process whose id is meaningless here. */
function isElsewhere({ pid_namespace }: Holder): boolean {
  return pid_namespace !== null && pid_namespace !== pidNamespace();
}

/** Boot id of a process: the same in all containers of a machine. */
function bootOf(identity: string | null): string | undefined {
  return identity?.split('/')[0];
}
