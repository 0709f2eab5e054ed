import type { SandboxLimits } from '../../contract/sandbox.ts';

/** Descriptor on which the end of a program is reported from inside; bubblewrap reports on it itself. */
export const STATUS_FD = 4;
/** Descriptor on which the program comes in where the back end has no way of its own. */
export const PROGRAM_FD = 6;

/** Where the program's stderr is kept while the shell's own words, such as "Killed", go nowhere. */
const STDERR_FD = 8;

/** Where programs run. */
export const WORKING_FOLDER = '/tmp';
/** The program's own file. */
export const PROGRAM_FILE = `${WORKING_FOLDER}/main.py`;

/** Where `multiprocessing` keeps semaphores: a link to the working folder, so that they count as the files in it. */
export const SHARED_MEMORY_FOLDER = '/dev/shm';

/** Said on {@link STATUS_FD} before a program starts. */
export const BEGUN = 'begun';

/** The environment of every program. One thread for linear algebra: more would count as processes. */
export const environment: readonly (readonly [name: string, value: string])[] = [
  ['PATH', '/usr/bin'],
  ['HOME', WORKING_FOLDER],
  ['LANG', 'C.UTF-8'],
  ['PYTHONHASHSEED', '0'],
  ['OPENBLAS_NUM_THREADS', '1'],
  ['OMP_NUM_THREADS', '1'],
  ['MKL_NUM_THREADS', '1'],
];

/**
 * The command of process 1 inside: a shell that sets the limits and runs the program. It is filtered as the program is,
 * and so no way around the filter.
 *
 * The limits are set inside, where RLIMIT_NPROC counts the sandbox's processes alone and not all of the user's. The one
 * for CPU time ends a process with SIGXCPU, or a second later, if it is caught, with SIGKILL.
 *
 * @param programBytes - Of a program that comes in on {@link PROGRAM_FD}; undefined where it lies in its file. One that
 *   comes in has its beginning and its status reported on {@link STATUS_FD}.
 */
export function insideCommand(limits: SandboxLimits, programBytes?: number): string[] {
  const isSent = programBytes !== undefined;
  const closed = [...(isSent ? [STATUS_FD, PROGRAM_FD] : []), STDERR_FD].map((fd) => `${fd}>&-`).join(' ');
  const lines = [
    ...(isSent ? [`echo ${BEGUN} >&${STATUS_FD}`] : []),
    ...(isSent ? [`head -c ${programBytes} <&${PROGRAM_FD} >${PROGRAM_FILE}`] : []),
    ...setLimits(limits),
    `exec ${STDERR_FD}>&2 2>/dev/null`,
    // In brackets, because dash writes "Killed" to the stderr of a simple command that has one of its own.
    `(exec /usr/bin/python3 -s ${PROGRAM_FILE} 2>&${STDERR_FD} ${closed})`,
    'status=$?',
    ...(isSent ? [`echo $status >&${STATUS_FD}`] : []),
    'exit $status',
  ];
  return ['/bin/sh', '-c', lines.join('\n'), 'sh'];
}

function setLimits({ memoryBytes, processes, fileBytes, openFiles, cpuSeconds }: SandboxLimits): string[] {
  return [
    'ulimit -c 0',
    `ulimit -v ${Math.floor(memoryBytes / 1024)}`,
    // Blocks of 512 bytes.
    `ulimit -f ${Math.ceil(fileBytes / 512)}`,
    `ulimit -n ${openFiles}`,
    `ulimit -p ${processes}`,
    `ulimit -S -t ${Math.ceil(cpuSeconds)}`,
    `ulimit -H -t ${Math.ceil(cpuSeconds) + 1}`,
  ];
}
