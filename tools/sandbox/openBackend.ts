import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import type { Sandbox } from '../../contract/sandbox.ts';
import type { CodeConfig } from '../../schemas/config/tools/code.ts';
import { createBubblewrapSandbox, createNsjailSandbox } from './jails.ts';
import type { Means } from './probeSandbox.ts';
import { limitsOf, programsAtOnce } from './sandboxLimits.ts';
import { type CgroupParent, cgroupName, createCgroup } from './tree/cgroup.ts';
import { unlessGone } from './tree/processTree.ts';

/** A back end that claims isolation, and how it is asked for and got. */
export interface Backend {
  readonly name: 'bubblewrap' | 'nsjail';
  readonly howToGet: string;
  readonly means: Means;
  /** Creates a sandbox for so many programs at once; without a number as many as the configuration says. */
  create(concurrency?: number): Sandbox;
}

/** What to do where bubblewrap does not work. */
export const HOW_TO_GET_BUBBLEWRAP =
  'install bubblewrap 0.8 or newer and python3 (Debian, Ubuntu: apt-get install -y bubblewrap python3)';

const HOW_TO_GET_NSJAIL =
  'build nsjail 3 or newer and name it in tools.code.nsjail_path, and install python3';

/** Tells sandboxes of one process apart: each has control groups of its own. */
let created = 0;

/** The isolating back end of a configuration, with control groups in `parent` if any; nothing is started yet. */
export function openBackend(
  config: CodeConfig,
  parent: CgroupParent | undefined,
  ownPid = process.pid,
): Backend {
  const limits = limitsOf(config);
  const mostAtOnce = config.concurrency ?? programsAtOnce(limits);
  const isNsjail = config.backend === 'nsjail';
  const file = config.nsjail_path ?? programOnPath('nsjail') ?? 'nsjail';
  return {
    name: isNsjail ? 'nsjail' : 'bubblewrap',
    howToGet: isNsjail ? HOW_TO_GET_NSJAIL : HOW_TO_GET_BUBBLEWRAP,
    means: meansOf(parent),
    create(concurrency = mostAtOnce) {
      created += 1;
      const count = created;
      const openCgroup = parent && ((slot: number) => createCgroup(parent, cgroupName(ownPid, count, slot)));
      const options = { limits, timeoutMs: config.timeout_s * 1000, concurrency, ownPid, openCgroup };
      return isNsjail ? createNsjailSandbox({ ...options, file }) : createBubblewrapSandbox(options);
    },
  };
}

function programOnPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.resolve(folder, name))
    .find((file) => isRunnable(file));
}

function isRunnable(file: string): boolean {
  return unlessGone(() => {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  }, false);
}

function meansOf(cgroup: CgroupParent | undefined): Means {
  return {
    network: 'a network namespace without interfaces',
    host_files: 'a mount namespace with /usr read-only and nothing else of the host',
    environment: 'an environment of its own',
    other_processes: 'a process namespace',
    kernel_calls: 'a filter of system calls, no capabilities, no set-uid programs',
    leftovers: 'all of it ends with the namespaces',
    wall_clock: 'killed by us when the time is over',
    cpu: 'RLIMIT_CPU for each process, the sum is watched every 20 ms',
    memory: cgroup
      ? `a control group of version ${cgroup.version} in ${cgroup.folder}, and the sum is watched every 20 ms`
      : 'RLIMIT_AS for each process, the sum is watched every 20 ms (no control group can be made here)',
    process_count: 'RLIMIT_NPROC in a user namespace',
    file_size: 'RLIMIT_FSIZE',
    open_files: 'RLIMIT_NOFILE',
    disk: 'a working folder in memory of that size',
    output: 'cut off and killed by us',
  };
}
