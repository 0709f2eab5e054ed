import { environment, SHARED_MEMORY_FOLDER, WORKING_FOLDER } from './insideCommand.ts';
import { MAX_INODES } from './sandboxLimits.ts';

/** Descriptor on which nsjail says what went wrong. */
export const LOG_FD = 3;

/** What differs from one sandboxed run to another. */
export interface NsjailSettings {
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
export function nsjailCommand(settings: NsjailSettings): string[] {
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
