import type { Sandbox } from '../../contract/sandbox.ts';
import { MAIN_FILE } from './checkFiles.ts';
import { createJailedSandbox, type Jail, type JailOptions } from './createJailedSandbox.ts';
import {
  environment,
  FILES_FD,
  incomingFiles,
  insideCommand,
  OUTPUTS_FD,
  SHARED_MEMORY_FOLDER,
  STATUS_FD,
  WORKING_FOLDER,
} from './insideCommand.ts';
import { seccompFilter } from './systemCallFilter.ts';

/** A sandbox that runs Python in bubblewrap, whose command line is {@link bubblewrapCommand}. */
export function createBubblewrapSandbox(options: JailOptions): Sandbox {
  return createJailedSandbox(bubblewrapJail(), options);
}

function bubblewrapJail(): Jail {
  const filter = seccompFilter(process.arch);
  return {
    name: 'bubblewrap',
    command: (program, { limits }) => {
      const incoming = incomingFiles(program);
      const { outputs = [] } = program;
      return {
        command: bubblewrapCommand({
          diskBytes: limits.diskBytes,
          hasFilter: filter !== undefined,
          inside: insideCommand({ limits, incoming, outputs, reports: false }),
        }),
        sends: [
          [PROGRAM_FD, [program.code]],
          ...(filter ? [[FILTER_FD, [filter]] as const] : []),
          ...(incoming.length > 0 ? [[FILES_FD, incoming.map(({ content }) => content)] as const] : []),
        ],
        reads: [STATUS_FD, ...(outputs.length > 0 ? [OUTPUTS_FD] : [])],
      };
    },
    statusOf: (report) => {
      const status = /"exit-code":\s*(\d+)/.exec(report)?.[1];
      return status === undefined ? undefined : Number(status);
    },
  };
}

/** Descriptor on which bubblewrap reads the program: it never lies on the host's disk. */
const PROGRAM_FD = 3;
/** Descriptor on which bubblewrap reads the filter of system calls. */
const FILTER_FD = 5;

/** What differs from one sandboxed run to another. */
interface BubblewrapSettings {
  /** Memory of the working folder. */
  readonly diskBytes: number;
  /** Whether a filter of system calls comes on {@link FILTER_FD}. */
  readonly hasFilter: boolean;
  /** What process 1 inside runs. */
  readonly inside: readonly string[];
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
function bubblewrapCommand({ diskBytes, hasFilter, inside }: BubblewrapSettings): string[] {
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
    ...['--ro-bind-data', String(PROGRAM_FD), `${WORKING_FOLDER}/${MAIN_FILE}`, '--remount-ro', '/'],
    ...['--chdir', WORKING_FOLDER, '--json-status-fd', String(STATUS_FD), '--'],
    ...inside,
  ];
}

function device(name: string): string[] {
  return ['--dev-bind', `/dev/${name}`, `/dev/${name}`];
}
