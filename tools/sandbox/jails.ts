import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import type { Sandbox } from '../../contract/sandbox.ts';
import { createJailedSandbox, type Jail, type JailOptions } from './createJailedSandbox.ts';
import {
  BEGUN,
  environment,
  insideCommand,
  PROGRAM_FD,
  PROGRAM_FILE,
  SHARED_MEMORY_FOLDER,
  STATUS_FD,
  WORKING_FOLDER,
} from './insideCommand.ts';
import { MAX_INODES } from './sandboxLimits.ts';
import { kafelPolicy, seccompFilter } from './systemCallFilter.ts';

/** A sandbox that runs Python in bubblewrap, whose command line is {@link bubblewrapCommand}. */
export function createBubblewrapSandbox(options: JailOptions): Sandbox {
  return createJailedSandbox(bubblewrapJail(), options);
}

/** A sandbox that runs Python in nsjail, whose command line is {@link nsjailCommand}. `file` is the program's path. */
export function createNsjailSandbox(options: JailOptions & { readonly file: string }): Sandbox {
  return createJailedSandbox(nsjailJail(options.file), options);
}

/** Descriptor on which bubblewrap reads the filter of system calls. */
const FILTER_FD = 5;

function bubblewrapJail(): Jail {
  const filter = seccompFilter(process.arch);
  return {
    name: 'bubblewrap',
    command: ({ code }, { limits }) => ({
      command: bubblewrapCommand(limits.diskBytes, filter !== undefined, insideCommand(limits)),
      sends: [[PROGRAM_FD, code], ...(filter ? [[FILTER_FD, filter] as const] : [])],
      reads: [STATUS_FD],
    }),
    statusOf: (report) => {
      const status = /"exit-code":\s*(\d+)/.exec(report)?.[1];
      return status === undefined ? undefined : Number(status);
    },
  };
}

/**
 * The command line that runs a program, which comes on {@link PROGRAM_FD}, in bubblewrap.
 *
 * - It is started without root, see `spawnSealed`, and its first act is to forbid itself new privileges.
 * - New namespaces of every kind: no network, no processes of the host, no sockets; no further namespaces inside.
 * - The file system is `/usr` read-only, a `/tmp` of its own and two devices (`/dev/zero` could be mapped as memory that
 *   belongs to no process). `/proc` belongs to the new process namespace, read-only:
 *   through it programs could write to the memory of the shell that starts them.
 * - `/etc/alternatives` has links only: Debian's libraries for linear algebra are found by them.
 * - Whatever ends us ends the sandbox, by `--die-with-parent`.
 * - A fixed hash seed: a program that prints a set prints the same every time.
 */
function bubblewrapCommand(diskBytes: number, hasFilter: boolean, inside: readonly string[]): string[] {
  return [
    ...['bwrap', '--unshare-user', '--unshare-all', '--disable-userns', '--die-with-parent', '--new-session'],
    ...['--as-pid-1', '--cap-drop', 'ALL', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ...(hasFilter ? ['--seccomp', String(FILTER_FD)] : []),
    '--clearenv',
    ...environment.flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--ro-bind', '/usr', '/usr', '--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
    ...['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64', '--symlink', 'usr/bin', '/bin'],
    ...['--proc', '/proc', '--remount-ro', '/proc'],
    ...['--tmpfs', '/dev', ...device('null'), ...device('urandom')],
    ...['--symlink', WORKING_FOLDER, SHARED_MEMORY_FOLDER],
    ...['--remount-ro', '/dev', '--size', String(diskBytes), '--tmpfs', WORKING_FOLDER],
    ...['--ro-bind-data', String(PROGRAM_FD), PROGRAM_FILE, '--remount-ro', '/'],
    ...['--chdir', WORKING_FOLDER, '--json-status-fd', String(STATUS_FD), '--'],
    ...inside,
  ];
}

function device(name: string): string[] {
  return ['--dev-bind', `/dev/${name}`, `/dev/${name}`];
}

/** `--time_limit` waits this much longer than we do. */
const BACKSTOP_SECONDS = 2;

/** Descriptor on which nsjail says what went wrong. */
const LOG_FD = 3;

/** Exit codes of nsjail after the signals that it ends by. */
const endedFromOutside = [128 + constants.signals.SIGINT, 128 + constants.signals.SIGTERM];

function nsjailJail(file: string): Jail {
  const policy = kafelPolicy(process.arch);
  // Whether the machine has them: see `bubblewrapCommand`.
  const hasAlternatives = existsSync('/etc/alternatives');
  return {
    name: 'nsjail',
    logFd: LOG_FD,
    command: ({ code }, { limits, timeoutMs }) => ({
      command: nsjailCommand({
        file,
        diskBytes: limits.diskBytes,
        backstopSeconds: Math.ceil(timeoutMs / 1000) + BACKSTOP_SECONDS,
        policy,
        hasAlternatives,
        inside: insideCommand(limits, Buffer.byteLength(code)),
      }),
      sends: [[PROGRAM_FD, code]],
      reads: [LOG_FD, STATUS_FD],
    }),
    statusOf: (report, exitCode) => {
      const [begun, status] = report.split('\n');
      if (begun !== BEGUN) return undefined;
      if (status !== undefined && /^\d{1,3}$/.test(status)) return Number(status);
      // The shell itself was ended, and nsjail says by what; or nsjail was, which no program inside can do.
      return endedFromOutside.includes(exitCode) ? undefined : exitCode;
    },
  };
}

/** What differs from one run in nsjail to another. */
interface NsjailSettings {
  readonly file: string;
  /** Memory of the working folder. */
  readonly diskBytes: number;
  /** After this time nsjail kills everything by itself, even if nobody is left to do it. */
  readonly backstopSeconds: number;
  readonly policy: string | undefined;
  readonly hasAlternatives: boolean;
  /** What process 1 inside runs. */
  readonly inside: readonly string[];
}

/**
 * The command line that runs a program in nsjail: the same world as `bubblewrapCommand` makes. Namespaces inside are
 * forbidden by the filter of system calls. Limits are set by the process 1 that it starts. What
 * ends us ends nsjail, by a signal that `setpriv` asks for, and with it all that it started.
 */
function nsjailCommand(settings: NsjailSettings): string[] {
  const { file, diskBytes, backstopSeconds, policy, hasAlternatives, inside } = settings;
  return [
    ...['setpriv', '--no-new-privs', '--pdeathsig', 'KILL'],
    ...[file, '--mode', 'o', '--quiet', '--log_fd', String(LOG_FD), '--time_limit', String(backstopSeconds)],
    ...['--user', '65534', '--group', '65534', '--hostname', 'sandbox', '--cwd', WORKING_FOLDER],
    ...['--iface_no_lo', '--disable_rlimits', '--nice_level', '0'],
    ...['--pass_fd', String(PROGRAM_FD), '--pass_fd', String(STATUS_FD)],
    ...(policy === undefined ? [] : ['--seccomp_string', policy]),
    ...environment.flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...['--bindmount_ro', '/usr', '--mount', `none:${WORKING_FOLDER}:tmpfs:${tmpfsOptions(diskBytes)}`],
    ...['--symlink', 'usr/lib:/lib', '--symlink', 'usr/lib64:/lib64', '--symlink', 'usr/bin:/bin'],
    ...(hasAlternatives ? ['--bindmount_ro', '/etc/alternatives'] : []),
    ...['--bindmount_ro', '/dev/null', '--bindmount_ro', '/dev/urandom'],
    ...['--symlink', `${WORKING_FOLDER}:${SHARED_MEMORY_FOLDER}`, '--'],
    ...inside,
  ];
}

function tmpfsOptions(bytes: number): string {
  return `size=${bytes},nr_inodes=${MAX_INODES},mode=0700`;
}
