import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { RecordFailure } from '../../contract/errors.ts';

/** What a sealed child gets. */
export interface SealedOptions {
  /** Descriptors that are pipes, beside its streams. */
  readonly pipes: readonly number[];
  /** User and group id that it has from the start, in no other group; ours where absent. Only root may name one. */
  readonly uid: number | undefined;
}

/**
 * Starts a command in a process group of its own with nothing of ours: no environment, no descriptors but those of
 * its streams and pipes. Throws `RecordFailure` (`sandbox_unavailable`) where that is refused at once, as for a user id
 * that a container does not have; a command that is not there is told by the child's `error` event.
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
      // Node leaves the other groups too. A `setpriv` in between would take 1.5 ms.
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

/** Sends bytes on one of the pipes. What does not read them has failed before, and its status says so. */
export function sendOn(child: ChildProcess, descriptor: number, content: string | Uint8Array): void {
  const stream = child.stdio[descriptor] as Writable;
  stream.on('error', () => {});
  stream.end(content);
}

/** Kills the process group of a child that {@link spawnSealed} started, also where only others of it are left. */
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
 * Descriptors that every child of this process gets: high ones that it was itself started with (Node marks its own
 * and the lowest sixteen). A sandbox must not have them. Empty where there is no `/proc`.
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
    // It was the listing's own descriptor, closed by now.
    return false;
  }
}
