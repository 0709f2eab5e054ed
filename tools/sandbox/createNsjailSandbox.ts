import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import type { Sandbox } from '../../contract/sandbox.ts';
import { MAIN_FILE } from './checkFiles.ts';
import { createJailedSandbox, type Jail, type JailOptions } from './createJailedSandbox.ts';
import {
  BEGUN,
  environment,
  FILES_FD,
  incomingFiles,
  insideCommand,
  OUTPUTS_FD,
  SHARED_MEMORY_FOLDER,
  STATUS_FD,
  WORKING_FOLDER,
} from './insideCommand.ts';
import { MAX_INODES } from './sandboxLimits.ts';
import { kafelPolicy } from './systemCallFilter.ts';

/** `--time_limit` waits this much longer than we do. */
const BACKSTOP_SECONDS = 2;

/** A sandbox that runs Python in nsjail, whose command line is {@link nsjailCommand}. `file` is the program's path. */
export function createNsjailSandbox(options: JailOptions & { readonly file: string }): Sandbox {
  return createJailedSandbox(nsjailJail(options.file), options);
}

function nsjailJail(file: string): Jail {
  const policy = kafelPolicy(process.arch);
  const hasAlternatives = existsSync('/etc/alternatives');
  return {
    name: 'nsjail',
    logFd: LOG_FD,
    command: (program, { limits, timeoutMs }) => {
      const incoming = [{ path: MAIN_FILE, content: program.code }, ...incomingFiles(program)];
      const { outputs = [] } = program;
      const reads = [STATUS_FD, ...(outputs.length > 0 ? [OUTPUTS_FD] : [])];
      return {
        command: nsjailCommand({
          file,
          diskBytes: limits.diskBytes,
          backstopSeconds: Math.ceil(timeoutMs / 1000) + BACKSTOP_SECONDS,
          policy,
          hasAlternatives,
          passed: [FILES_FD, ...reads],
          inside: insideCommand({ limits, incoming, outputs, reports: true }),
        }),
        sends: [[FILES_FD, incoming.map(({ content }) => content)]],
        reads: [LOG_FD, ...reads],
      };
    },
    statusOf: (report, exitCode) => {
      const [begun, status] = report.split('\n');
      if (begun !== BEGUN) return undefined;
      if (status !== undefined && /^\d{1,3}$/.test(status)) return Number(status);
      // The shell itself was ended, and nsjail says by what; or nsjail was, which no program inside can do.
      return endedFromOutside.includes(exitCode) ? undefined : exitCode;
    },
  };
}

/** Exit codes of nsjail after the signals that it ends by. */
const endedFromOutside = [128 + constants.signals.SIGINT, 128 + constants.signals.SIGTERM];

/** Descriptor on which nsjail says what went wrong. */
const LOG_FD = 3;

/** What differs from one sandboxed run to another. */
interface NsjailSettings {
  /** The nsjail program. */
  readonly file: string;
  /** Memory of the working folder. */
  readonly diskBytes: number;
  /** After this time nsjail kills everything by itself, even if nobody is left to do it. */
  readonly backstopSeconds: number;
  /** Kafel: see `kafelPolicy`. */
  readonly policy: string | undefined;
  /** Whether the machine has `/etc/alternatives`: see `bubblewrapCommand`. */
  readonly hasAlternatives: boolean;
  /** Descriptors that process 1 inside gets. */
  readonly passed: readonly number[];
  /** What process 1 inside runs. */
  readonly inside: readonly string[];
}

/**
 * The command line that runs a program in nsjail: the same world as `bubblewrapCommand` makes. Namespaces inside are
 * forbidden by the filter of system calls. Limits are set by the process 1 that it starts. What
 * ends us ends nsjail, by a signal that `setpriv` asks for, and with it all that it started.
 */
function nsjailCommand(settings: NsjailSettings): string[] {
  const { file, diskBytes, backstopSeconds, policy, hasAlternatives, passed, inside } = settings;
  return [
    ...['setpriv', '--no-new-privs', '--pdeathsig', 'KILL'],
    ...[file, '--mode', 'o', '--quiet', '--log_fd', String(LOG_FD), '--time_limit', String(backstopSeconds)],
    ...['--user', '65534', '--group', '65534', '--hostname', 'sandbox', '--cwd', WORKING_FOLDER],
    ...['--iface_no_lo', '--disable_rlimits', '--nice_level', '0'],
    ...passed.flatMap((descriptor) => ['--pass_fd', String(descriptor)]),
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
