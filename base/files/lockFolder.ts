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
  /** Where `pid` counts; null where the system does not say. */
  pid_namespace: z.string().nullable().default(null),
  /** Tells a process from a later one that got the same id; null where the system does not say. */
  process_identity: z.string().nullable(),
});
type Holder = z.infer<typeof holderSchema>;

/** A process that looks whether a folder is held has the lock for an instant: so often a taken lock is tried again. */
const TRIES = 5;
const TRY_AGAIN_MS = 20;
/** Whoever has the lock writes his name next, which takes long on a busy disk: so often it is looked for. */
const LOOKS_FOR_NAME = 250;

/** A file is held for milliseconds: whoever waits longer than this waits in vain. */
const FILE_PATIENCE_MS = 10_000;

/** SQLite's code for a lock that another has, and for a file system without locks. */
const SQLITE_BUSY = 5;

/** Locks of this process: a connection that nobody refers to would be closed, and its lock with it. */
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
    // Before the lock is given up: nobody else's is in its place yet.
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

/** True while a process holds the folder. */
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

/** Locks a file, which is made where there is none; undefined while another has it, or when it was replaced meanwhile. */
function tryLock(path: string): DatabaseSync | undefined {
  const before = madeFile(path);
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    // Whoever had the folder may have removed the file since: its lock keeps nobody out.
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

/** Undefined where there is no file: whoever has the folder may give it back, and remove the file, at any instant. */
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

/** Makes a file where there is none, without opening one that is there; returns its identity. */
function madeFile(path: string): string | undefined {
  try {
    writeFileSync(path, '', { flag: 'wx' });
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
  }
  return fileIdentity(path);
}

/** Tells a file from another of the same name; undefined where there is none. */
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

/** Who holds the folder or had it last; undefined where nobody is named, or a power cut left something else. */
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
 * Whether somebody that has no lock here may work all the same: on another machine, where the file system does not
 * pass locks on, or a process here whose file `lock` was removed.
 */
function mayStillWork(holder: Holder): boolean {
  if (holder.host === hostname())
    return !isElsewhere(holder) && isProcessAlive(holder.pid, holder.process_identity);
  const boot = bootOf(processIdentity(process.pid));
  return boot === undefined || bootOf(holder.process_identity) !== boot;
}

/** True for a process of this machine that is gone: its name was left by it, and is not the one of who has the lock. */
function hasEndedHere(holder: Holder): boolean {
  const isHere = holder.host === hostname() && !isElsewhere(holder);
  return isHere && !isProcessAlive(holder.pid, holder.process_identity);
}

/** True for a process whose id says nothing here. */
function isElsewhere({ pid_namespace }: Holder): boolean {
  return pid_namespace !== null && pid_namespace !== pidNamespace();
}

/** The system's start that a process belongs to: the same in all containers of a machine. */
function bootOf(identity: string | null): string | undefined {
  return identity?.split('/')[0];
}
