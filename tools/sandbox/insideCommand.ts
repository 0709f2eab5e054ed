import { quoteShellWord } from '../../base/shellWord.ts';
import type { SandboxLimits, SandboxOutputFile, SandboxProgram } from '../../contract/sandbox.ts';
import { MAIN_FILE } from './checkFiles.ts';

/** Descriptor on which the end of a program is reported from inside; bubblewrap reports on it itself. */
export const STATUS_FD = 4;
/** Descriptor on which files come in, one after another. */
export const FILES_FD = 6;
/** Descriptor on which files go out: see `collector`. */
export const OUTPUTS_FD = 7;

/** Where the program's stderr is kept while the shell's own words, such as "Killed", go nowhere. */
const STDERR_FD = 8;

/** Where programs run. */
export const WORKING_FOLDER = '/tmp';

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

/** What a program's process 1 does. */
export interface InsideOptions {
  readonly limits: SandboxLimits;
  /** They come in on {@link FILES_FD}. */
  readonly incoming: NonNullable<SandboxProgram['files']>;
  readonly outputs: readonly string[];
  /** Whether it says on {@link STATUS_FD} that it has begun, and the status at the end. */
  readonly reports: boolean;
}

/**
 * The command of process 1 inside: a shell that takes the files in, sets the limits, runs the program, ends what it
 * left behind and gives files back. It is filtered as the program is, and so no way around the filter.
 *
 * The limits are set inside, where RLIMIT_NPROC counts the sandbox's processes alone and not all of the user's. The one
 * for CPU time ends a process with SIGXCPU, or a second later, if it is caught, with SIGKILL.
 */
export function insideCommand({ limits, incoming, outputs, reports }: InsideOptions): string[] {
  const lines = [
    ...(reports ? [`echo ${BEGUN} >&${STATUS_FD}`] : []),
    ...takeIn(incoming),
    ...setLimits(limits),
    `exec ${STDERR_FD}>&2 2>/dev/null`,
    ...program({ outputs, reports, hasFiles: incoming.length > 0 }),
    ...(reports ? [`echo $status >&${STATUS_FD}`] : []),
    'exit $status',
  ];
  return ['/bin/sh', '-c', lines.join('\n'), 'sh', ...outputs];
}

function takeIn(incoming: NonNullable<SandboxProgram['files']>): string[] {
  if (incoming.length === 0) return [];
  const folders = new Set(incoming.flatMap(({ path }) => (path.includes('/') ? [folderOf(path)] : [])));
  return [
    ...(folders.size === 0 ? [] : [`mkdir -p -- ${[...folders].map(quoteShellWord).join(' ')}`]),
    ...incoming.map(
      ({ path, content }) =>
        `head -c ${Buffer.byteLength(content)} <&${FILES_FD} >${quoteShellWord(`./${path}`)}`,
    ),
  ];
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
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

function program(about: { outputs: readonly string[]; reports: boolean; hasFiles: boolean }): string[] {
  const closed = [
    ...(about.reports ? [STATUS_FD] : []),
    ...(about.hasFiles ? [FILES_FD] : []),
    ...(about.outputs.length > 0 ? [OUTPUTS_FD] : []),
    STDERR_FD,
  ].map((descriptor) => `${descriptor}>&-`);
  // In brackets, because dash writes "Killed" to the stderr of a simple command that has one of its own.
  const run = `(exec /usr/bin/python3 -s ${WORKING_FOLDER}/${MAIN_FILE} 2>&${STDERR_FD} ${closed.join(' ')})`;
  if (about.outputs.length === 0) return [run, 'status=$?'];
  return [
    run,
    'status=$?',
    'kill -9 -1',
    `/usr/bin/python3 -I -c ${quoteShellWord(COLLECTOR)} "$@" >&${OUTPUTS_FD}`,
  ];
}

/**
 * A Python program that writes the files named by its arguments to stdout: for each a line with the number of bytes, or
 * -1 without such a file, then the bytes. It runs inside, so that a link leads nowhere; it is written for files only.
 */
const COLLECTOR = `
import os, stat, sys
for path in sys.argv[1:]:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode): raise OSError
    except OSError:
        sys.stdout.buffer.write(b"-1\\n")
        continue
    left = about.st_size
    sys.stdout.buffer.write(b"%d\\n" % left)
    while left > 0:
        part = os.read(file, min(left, 1 << 16)) or bytes(min(left, 1 << 16))
        sys.stdout.buffer.write(part)
        left -= len(part)
    os.close(file)
`;

/** Reads what {@link COLLECTOR} wrote; a file beyond `maxBytes` or cut short has no content. */
export function readCollected(
  written: Buffer,
  paths: readonly string[],
  maxBytes: number,
): SandboxOutputFile[] {
  let at = 0;
  return paths.map((path) => {
    const lineEnd = written.indexOf('\n', at);
    const size = lineEnd === -1 ? Number.NaN : Number(written.toString('latin1', at, lineEnd));
    if (!Number.isSafeInteger(size) || size < 0) {
      at = lineEnd === -1 ? written.length : lineEnd + 1;
      return { path, content: undefined, absent: 'missing' };
    }
    const content = written.subarray(lineEnd + 1, lineEnd + 1 + size);
    at = lineEnd + 1 + size;
    if (size > maxBytes || content.length < size) return { path, content: undefined, absent: 'too_large' };
    return { path, content };
  });
}
