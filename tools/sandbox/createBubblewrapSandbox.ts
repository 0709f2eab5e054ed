import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxLimits, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import { createSlots, DEFAULT_LIMITS, type DefaultLimits, limitsOfRun } from './sandboxLimits.ts';
import { killGroup, sendOn, spawnSealed } from './spawnSealed.ts';
import { seccompFilter } from './systemCallFilter.ts';
import type { Cgroup } from './tree/cgroup.ts';
import { overLimit } from './tree/treeUse.ts';
import { collectBytes, watchProgram } from './watchProgram.ts';

/** Descriptor for bubblewrap's report of the exit status. */
const STATUS_FD = 4;
/** Descriptor of the system call filter for bubblewrap. */
const FILTER_FD = 5;
/** Descriptor of the program for bubblewrap. */
const PROGRAM_FD = 6;
/** Separates the program's stderr from the shell's own messages, such as "Killed", which are dropped. */
const STDERR_FD = 8;

/** Working folder of programs. */
const WORKING_FOLDER = '/tmp';
const PROGRAM_FILE = `${WORKING_FOLDER}/main.py`;
/** Location of `multiprocessing` semaphores; a link, so that they count as files of the working folder. */
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
function bubblewrapCommand(file: string, limits: SandboxLimits, hasFilter: boolean): string[] {
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
 * Command of process 1 inside: a shell that sets the limits and runs the program. It runs under the same filter, so
 * it offers no way around it.
 *
 * The limits are set inside, where RLIMIT_NPROC counts only the sandbox's processes and not all of the user's. The
 * CPU time limit ends a process with SIGXCPU, or a second later, if that is caught, with SIGKILL.
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
    // Units of 512 bytes.
    `ulimit -f ${Math.ceil(fileBytes / 512)}`,
    `ulimit -n ${openFiles}`,
    `ulimit -p ${processes}`,
    `ulimit -S -t ${Math.ceil(cpuSeconds)}`,
    `ulimit -H -t ${Math.ceil(cpuSeconds) + 1}`,
    `exec ${STDERR_FD}>&2 2>/dev/null`,
    // A subshell, because dash prints "Killed" to the stderr of a simple command that has one of its own.
    `(exec /usr/bin/python3 -s ${PROGRAM_FILE} 2>&${STDERR_FD} ${STDERR_FD}>&-)`,
    'exit $?',
  ];
  return ['/bin/sh', '-c', lines.join('\n'), 'sh'];
}

export interface BubblewrapOptions {
  /** Limits of programs without their own. Default: those of `tools.code`. */
  readonly limits?: DefaultLimits;
  readonly timeoutMs: number;
  /** Maximum concurrent programs. */
  readonly concurrency: number;
  /** Opens a slot's control group, which limits the memory of the tree. Default: memory is polled instead. */
  readonly openCgroup?: ((slot: number) => Cgroup) | undefined;
  /** Path of bubblewrap. Default: `bwrap` in `/usr/bin` or `/bin`. */
  readonly file?: string;
}

/** 128 + SIGXCPU: CPU time exhausted. */
const CPU_LIMIT_STATUS = 152;
/** Maximum report size, a few lines; anything that a program adds is dropped. */
const MAX_REPORT_BYTES = 4096;

/** Sandbox that runs Python in bubblewrap. It writes nothing to disk. It checks nothing here: see `createSandbox`. */
export function createBubblewrapSandbox(options: BubblewrapOptions): Sandbox {
  const { limits: defaults = DEFAULT_LIMITS, concurrency, openCgroup, file = 'bwrap' } = options;
  const slots = createSlots(concurrency);
  const cgroups = new Map<number, Cgroup>();

  async function runInSlot(program: SandboxProgram, slot: number, signal: AbortSignal) {
    const timeoutMs = program.timeoutMs ?? options.timeoutMs;
    const limits = limitsOfRun(defaults, program, timeoutMs);
    const cgroup = openCgroup && (cgroups.get(slot) ?? openCgroup(slot));
    if (cgroup) cgroups.set(slot, cgroup);
    return runInBubblewrap(program, { file, limits, timeoutMs, uid: slotUid(slot), signal, cgroup });
  }

  return {
    name: 'bubblewrap',
    isolates: true,
    run: (program, signal) => slots.use((slot) => runInSlot(program, slot, signal), program, signal),
    close: async () => {
      await slots.drained();
      await Promise.all([...cgroups.values()].map((cgroup) => cgroup.remove()));
      cgroups.clear();
    },
  };
}

interface RunSettings {
  readonly file: string;
  readonly limits: SandboxLimits;
  readonly timeoutMs: number;
  readonly uid: number | undefined;
  readonly signal: AbortSignal;
  readonly cgroup: Cgroup | undefined;
}

async function runInBubblewrap(
  { code, stdin }: SandboxProgram,
  { file, limits, timeoutMs, uid, signal, cgroup }: RunSettings,
): Promise<SandboxResult> {
  const filter = seccompFilter(process.arch);
  const killsBefore = cgroup?.kills() ?? 0;
  const pipes = [PROGRAM_FD, STATUS_FD, ...(filter ? [FILTER_FD] : [])];
  const child = spawnSealed(bubblewrapCommand(file, limits, filter !== undefined), { pipes, uid });
  const reportStream = child.stdio[STATUS_FD] as Readable;
  // A broken stream has reported nothing.
  reportStream.on('error', () => {});
  const report = collectBytes(reportStream, MAX_REPORT_BYTES, () => {});
  const isOutOfMemory = () => cgroup !== undefined && cgroup.kills() > killsBefore;
  const kill = () => {
    // The number of an ended group may have been reused.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid);
  };
  const look = () =>
    isOutOfMemory() ? ('memory_limit' as const) : overLimit(child.pid!, limits, WORKING_FOLDER);
  const { outputBytes } = limits;
  const watching = watchProgram(child, { stdin, timeoutMs, outputBytes, signal, look, kill });
  const begin = async () => {
    if (cgroup && child.pid !== undefined) await cgroup.enter(child.pid, limits.memoryBytes);
    sendOn(child, PROGRAM_FD, code);
    if (filter) sendOn(child, FILTER_FD, filter);
  };
  const beginning = begin().catch((error) => {
    kill();
    throw error;
  });
  // The program must have ended before this returns: its slot and control group are reused.
  await Promise.allSettled([watching, beginning]);
  const [watched] = await Promise.all([watching, beginning]);
  if (isOutOfMemory()) return { ...watched, kind: 'memory_limit', exitCode: null };
  return withStatus(watched, report().toString());
}

/** Adds the program's own status. Without one the program never started, and bubblewrap's stderr says why. */
function withStatus(result: SandboxResult, report: string): SandboxResult {
  if (result.kind !== 'exited') return result;
  const reported = /"exit-code":\s*(\d+)/.exec(report)?.[1];
  if (reported === undefined) {
    const stderr = result.stderr.slice(0, 1000);
    const why = stderr.trim().split('\n', 1)[0] || endedBy(result.exitCode!);
    const evidence = { sandbox: 'bubblewrap', exit_code: result.exitCode, stderr };
    throw new RecordFailure('sandbox_unavailable', `bubblewrap failed: ${why}`, evidence);
  }
  const status = Number(reported);
  if (status === CPU_LIMIT_STATUS) return { ...result, kind: 'timed_out', exitCode: null };
  return { ...result, exitCode: status };
}

function endedBy(exitCode: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return signal === undefined ? `status ${exitCode} without a message` : `ended from outside by ${signal}`;
}

/** First user id of slots: above people's accounts, below 65,536 so that containers map it. */
const FIRST_UID = 30_000;
const UIDS = 30_000;
const UIDS_PER_PROCESS = 64;

/**
 * User id under which root runs a slot's programs; undefined for an ordinary user, who has only one. Other sandboxes
 * on the same machine should rarely share it.
 */
export function slotUid(slot: number): number | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  return FIRST_UID + ((process.pid * UIDS_PER_PROCESS + slot) % UIDS);
}
