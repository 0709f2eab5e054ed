import type { SandboxLimits } from '../../contract/sandbox.ts';

/** Descriptor on which bubblewrap reports the program's exit status. */
export const STATUS_FD = 4;
/** Descriptor on which bubblewrap reads the filter of system calls. */
export const FILTER_FD = 5;
/** Descriptor on which bubblewrap reads the program. */
export const PROGRAM_FD = 6;
/** Keeps the program's stderr while the shell's own words, such as "Killed", are dropped. */
const STDERR_FD = 8;

/** Folder in which programs run. */
export const WORKING_FOLDER = '/tmp';
const PROGRAM_FILE = `${WORKING_FOLDER}/main.py`;
/** Holds the semaphores of `multiprocessing`; a link, so that they count as files of the working folder. */
const SHARED_MEMORY_FOLDER = '/dev/shm';

/** Environment of every program. One thread for linear algebra: more would count as processes. */
const environment: readonly (readonly [name: string, value: string])[] = [
  ['PATH', '/usr/bin'],
  ['HOME', WORKING_FOLDER],
  ['LANG', 'C.UTF-8'],
  ['PYTHONHASHSEED', '0'],
  ['OPENBLAS_NUM_THREADS', '1'],
  ['OMP_NUM_THREADS', '1'],
  ['MKL_NUM_THREADS', '1'],
];

/**
 * The command line that runs the program of {@link PROGRAM_FD} in bubblewrap. `file` is bubblewrap itself.
 *
 * - It is started without root, see `spawnSealed`, and its first act is to forbid itself new privileges.
 * - New namespaces of every kind: no network, no processes of the host, no sockets; no further namespaces inside.
 * - The file system is `/usr` read-only, a `/tmp` of its own and two devices (`/dev/zero` could be mapped as memory that
 *   belongs to no process). `/proc` belongs to the new process namespace, read-only:
 *   through it programs could write to the memory of the shell that starts them.
 * - `/etc/alternatives` has links only: Debian's libraries for linear algebra are found by them.
 * - `--die-with-parent` ends the sandbox when this process ends.
 * - A fixed hash seed: a program that prints a set prints the same every time.
 */
export function bubblewrapCommand(file: string, limits: SandboxLimits, hasFilter: boolean): string[] {
  return [
    ...[file, '--unshare-user', '--unshare-all', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--as-pid-1', '--cap-drop', 'ALL', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ...(hasFilter ? ['--seccomp', String(FILTER_FD)] : []),
    '--clearenv',
    ...environment.flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr', '--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
    ...['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64', '--symlink', 'usr/bin', '/bin'],
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--tmpfs', '/dev', ...device('null'), ...device('urandom')],
    ...['--symlink', WORKING_FOLDER, SHARED_MEMORY_FOLDER],
    ...['--remount-ro', '/dev', '--size', String(limits.diskBytes), '--tmpfs', WORKING_FOLDER],
    ...['--ro-bind-data', String(PROGRAM_FD), PROGRAM_FILE, '--remount-ro', '/'],
    ...['--chdir', WORKING_FOLDER, '--json-status-fd', String(STATUS_FD), '--'],
    ...insideCommand(limits),
  ];
}

function device(name: string): string[] {
  return ['--dev-bind', `/dev/${name}`, `/dev/${name}`];
}

/**
 * The command of process 1 inside: a shell that sets the limits and runs the program. It is filtered as the program is,
 * and so no way around the filter.
 *
 * The limits are set inside, where RLIMIT_NPROC counts the sandbox's processes alone and not all of the user's. The one
 * for CPU time ends a process with SIGXCPU, or a second later, if it is caught, with SIGKILL.
 */
function insideCommand({
  memoryBytes,
  processes,
  fileBytes,
  openFiles,
  cpuSeconds,
}: SandboxLimits): string[] {
  const lines = [
    'ulimit -c 0',
    `ulimit -v ${Math.floor(memoryBytes / 1024)}`,
    // Blocks of 512 bytes.
    `ulimit -f ${Math.ceil(fileBytes / 512)}`,
    `ulimit -n ${openFiles}`,
    `ulimit -p ${processes}`,
    `ulimit -S -t ${Math.ceil(cpuSeconds)}`,
    `ulimit -H -t ${Math.ceil(cpuSeconds) + 1}`,
    `exec ${STDERR_FD}>&2 2>/dev/null`,
    // In brackets, because dash writes "Killed" to the stderr of a simple command that has one of its own.
    `(exec /usr/bin/python3 -s ${PROGRAM_FILE} 2>&${STDERR_FD} ${STDERR_FD}>&-)`,
    'exit $?',
  ];
  return ['/bin/sh', '-c', lines.join('\n'), 'sh'];
}
