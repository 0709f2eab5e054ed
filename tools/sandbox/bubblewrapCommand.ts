/** Descriptor on which bubblewrap reads the program: it never lies on the host's disk. */
export const PROGRAM_FD = 3;
/** Descriptor on which bubblewrap reports the exit status, which tells a program's failure from its own. */
export const STATUS_FD = 4;

/** Memory of `/tmp` in the sandbox. */
const TMP_BYTES = 64 * 1024 * 1024;
/** Largest file that a program may write. */
const FILE_BYTES = 16 * 1024 * 1024;
const MAX_PROCESSES = 24;
const MAX_OPEN_FILES = 64;

/** What differs from one sandboxed run to another. */
export interface BubblewrapSettings {
  /** Real user and group id to run under; absent where we are an ordinary user already. */
  readonly uid?: number;
  /** Address space of each process. */
  readonly memoryMb: number;
  /** After this time everything is killed, even if nobody is left to do it. */
  readonly backstopSeconds: number;
}

/**
 * The command line that runs the program on {@link PROGRAM_FD} with Python in bubblewrap.
 *
 * - `timeout` ends a run whose supervisor died; `setpriv` takes root away before anything else happens.
 * - New namespaces of every kind: no network, no processes of the host, no sockets; no further namespaces inside.
 * - The file system is `/usr` read-only, a `/tmp` of its own and three devices. `/proc` belongs to the new process
 *   namespace, where process 1 is bubblewrap with an empty environment.
 * - `prlimit` stands inside: there RLIMIT_NPROC counts the sandbox's processes alone, not all of the user's.
 * - A fixed hash seed: a program that prints a set prints the same every time.
 */
export function bubblewrapCommand({ uid, memoryMb, backstopSeconds }: BubblewrapSettings): string[] {
  return [
    ...['timeout', '--signal=KILL', String(backstopSeconds)],
    ...(uid === undefined ? [] : dropPrivileges(uid)),
    ...['bwrap', '--unshare-user', '--unshare-all', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--cap-drop', 'ALL', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ...['--clearenv', '--setenv', 'PATH', '/usr/bin', '--setenv', 'HOME', '/tmp'],
    ...['--setenv', 'LANG', 'C.UTF-8', '--setenv', 'PYTHONHASHSEED', '0'],
    ...['--ro-bind', '/usr', '/usr'],
    ...['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64', '--symlink', 'usr/bin', '/bin'],
    ...['--proc', '/proc', '--tmpfs', '/dev', ...device('null'), ...device('urandom'), ...device('zero')],
    ...['--remount-ro', '/dev', '--size', String(TMP_BYTES), '--tmpfs', '/tmp'],
    ...['--ro-bind-data', String(PROGRAM_FD), '/tmp/main.py', '--remount-ro', '/', '--chdir', '/tmp'],
    ...['--json-status-fd', String(STATUS_FD), '--'],
    ...limits(memoryMb, backstopSeconds),
    ...['/usr/bin/python3', '-s', '/tmp/main.py'],
  ];
}

function dropPrivileges(uid: number): string[] {
  return ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs'];
}

function device(name: string): string[] {
  return ['--dev-bind', `/dev/${name}`, `/dev/${name}`];
}

function limits(memoryMb: number, cpuSeconds: number): string[] {
  return [
    'prlimit',
    `--as=${memoryMb * 1024 * 1024}`,
    `--cpu=${cpuSeconds}`,
    `--nproc=${MAX_PROCESSES}`,
    `--fsize=${FILE_BYTES}`,
    `--nofile=${MAX_OPEN_FILES}`,
    '--core=0',
  ];
}
