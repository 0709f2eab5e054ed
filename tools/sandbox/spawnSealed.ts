import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { RecordFailure } from '../../contract/errors.ts';

/** Options of a sealed child. */
export interface SealedOptions {
  /** Pipe descriptors besides its streams. */
  readonly pipes: readonly number[];
  /** User and group id from the start, without other groups; default: ours. Only root may set one. */
  readonly uid: number | undefined;
}

/**
 * Starts a command in its own process group with no environment and only the descriptors of its streams and pipes.
 * Throws `RecordFailure` (`sandbox_unavailable`) for an immediate refusal, as for a user id that a container lacks; a
 * missing command is reported by the child's `error` event.
 */
export function spawnSealed([file, ...args]: readonly string[], { pipes, uid }: SealedOptions): ChildProcess {
  const nothing = openSync('/dev/null', 'r');
  try {
    const stdio: ('pipe' | 'ignore' | number)[] = ['pipe', 'pipe', 'pipe'];
    const put = (descriptor: number, what: 'pipe' | number) => {
      while (stdio.length <= descriptor) stdio.push('ignore');
      stdio[descriptor] = what;
    };
    for (const descriptor of inheritedDescriptors()) put(descriptor, nothing);
    for (const descriptor of pipes) put(descriptor, 'pipe');
    return spawn(file!, args, {
      stdio,
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      // Node drops the other groups too. `setpriv` would take 1.5 ms.
      ...(uid !== undefined && { uid, gid: uid }),
    });
  } catch (cause) {
    const user = uid === undefined ? '' : ` as user ${uid}, whom not every container has`;
    const message = `the sandbox could not be started${user}: ${(cause as Error).message}`;
    throw new RecordFailure('sandbox_unavailable', message, {}, { cause });
  } finally {
    closeSync(nothing);
  }
}

/** Sends bytes on a pipe. A child that does not read them has failed before, and its status says so. */
export function sendOn(child: ChildProcess, descriptor: number, content: string | Uint8Array): void {
  const stream = child.stdio[descriptor] as Writable;
  stream.on('error', () => {});
  stream.end(content);
}

/** Kills the process group of a child of {@link spawnSealed}, even if only its descendants remain. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** `O_CLOEXEC` in the octal `flags` line of `/proc/self/fdinfo/N`. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors inherited by every child of this process: high ones with which it was itself started (Node marks its
 * own and the lowest sixteen). A sandbox must not get them. Empty without `/proc`.
 */
function inheritedDescriptors(): number[] {
  let names: string[];
  try {
    names = readdirSync('/proc/self/fdinfo');
  } catch {
    return [];
  }
  return names.map(Number).filter((descriptor) => descriptor > 2 && isInherited(descriptor));
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor of the listing itself, closed by now.
    return false;
  }
}
