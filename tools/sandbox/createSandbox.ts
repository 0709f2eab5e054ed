import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { PromiseFinding, Sandbox } from '../../contract/sandbox.ts';
import { type CodeConfig, type CodeSettings, codeConfigSchema } from '../../schemas/config/tools/code.ts';
import { createBubblewrapSandbox } from './createBubblewrapSandbox.ts';
import { createPyodideSandbox } from './createPyodideSandbox.ts';
import { type Means, PROBES_AT_ONCE, probeSandbox } from './probeSandbox.ts';
import { limitsOf, programsAtOnce } from './sandboxLimits.ts';
import { type CgroupParent, cgroupName, createCgroup, findCgroup } from './tree/cgroup.ts';
import { unlessGone } from './tree/processTree.ts';

/** Warning for programs in Pyodide. */
export const PYODIDE_WARNING =
  'programs run in Pyodide, which separates but does not isolate: for the bundled examples only';

/** Maximum interpreters, each of some hundred megabytes. */
const PYODIDES_AT_ONCE = 2;

/** Timeout of the first Python start on a busy machine, independent of later programs. */
const FIRST_TIMEOUT_MS = 20_000;

/**
 * Creates the configured sandbox, after a first program ran in it and others tried to break its guarantees. `log`
 * reports a back end that only separates, and accepted weaknesses.
 *
 * Throws `UserError` if the back end does not work here, with the reason and what to install, and if a guarantee
 * fails that `accept_weaknesses` does not name.
 */
export async function createSandbox(settings: CodeSettings, log: (line: string) => void): Promise<Sandbox> {
  const config = codeConfigSchema.parse(settings);
  if (config.backend === 'pyodide') return createPyodide(config, log);
  const { parent, problem } = await chooseCgroup(config);
  if (problem === undefined) {
    refuseBroken(await examine(config, parent), config, log);
    return openBubblewrap(config, parent);
  }
  if (config.backend === 'auto' && config.allow_unsafe) return createPyodide(config, log);
  throw new UserError(`tools.code: no program runs in bubblewrap here (${problem}): ${remedyFor(problem)}`);
}

/** Tests each guarantee of a configuration's bubblewrap; undefined if no program runs in it. */
export async function examineSandbox(settings: CodeSettings): Promise<PromiseFinding[] | undefined> {
  const config = codeConfigSchema.parse(settings);
  const { parent, problem } = await chooseCgroup(config);
  return problem === undefined ? examine(config, parent) : undefined;
}

/**
 * Parent of control groups, if any, and the reason if no program runs. Control groups found without configuration may
 * not work.
 */
async function chooseCgroup(
  config: CodeConfig,
): Promise<{ parent: CgroupParent | undefined; problem: string | undefined }> {
  const parent = findCgroup(config.cgroup);
  if (config.cgroup !== undefined && !parent) {
    throw new UserError(
      `tools.code.cgroup: expected the folder of a control group that limits memory and in which we may make others, got ${config.cgroup}; leave it out to have memory watched instead`,
    );
  }
  const problem = await whyNothingRuns(openBubblewrap(config, parent, 1));
  if (problem === undefined || config.cgroup !== undefined || !parent) return { parent, problem };
  return { parent: undefined, problem: await whyNothingRuns(openBubblewrap(config, undefined, 1)) };
}

async function examine(config: CodeConfig, parent: CgroupParent | undefined): Promise<PromiseFinding[]> {
  const sandbox = openBubblewrap(config, parent, PROBES_AT_ONCE);
  try {
    return await probeSandbox(sandbox, meansOf(parent));
  } finally {
    await sandbox.close();
  }
}

function refuseBroken(
  findings: readonly PromiseFinding[],
  { accept_weaknesses: accepted }: CodeConfig,
  log: (line: string) => void,
): void {
  const broken = findings.filter(({ kept }) => !kept);
  const refused = broken.filter(({ promise }) => !accepted.includes(promise));
  for (const { promise, found } of broken) {
    if (accepted.includes(promise)) log(`tools.code goes without the promise ${promise} here: ${found}`);
  }
  if (refused.length === 0) return;
  const list = refused.map(({ promise, found }) => `${promise} (${found})`).join(', ');
  const names = [...accepted, ...refused.map(({ promise }) => promise)].join(', ');
  throw new UserError(
    `tools.code: the sandbox does not keep all its promises here: ${list}; see coa-distill doctor, or accept it with tools.code.accept_weaknesses: [${names}]`,
  );
}

async function createPyodide(config: CodeConfig, log: (line: string) => void): Promise<Sandbox> {
  if (!config.allow_unsafe) {
    throw new UserError(
      `tools.code.backend: pyodide does not isolate programs: ${HOW_TO_GET_BUBBLEWRAP}, or set ` +
        'tools.code.allow_unsafe: true when all programs are your own',
    );
  }
  log(PYODIDE_WARNING);
  const { timeout_s, concurrency = PYODIDES_AT_ONCE } = config;
  const { outputBytes } = limitsOf(config);
  return createPyodideSandbox({ timeoutMs: timeout_s * 1000, outputBytes, concurrency }).catch((cause) => {
    if (cause instanceof RecordFailure)
      throw new UserError(`tools.code: ${cause.message}: ${HOW_TO_GET_BUBBLEWRAP}`, { cause });
    throw cause;
  });
}

/** Reason why a sandbox cannot run a trivial program; undefined if it can. Closes it. */
async function whyNothingRuns(sandbox: Sandbox): Promise<string | undefined> {
  const program = { code: 'print(input())', stdin: 'ready\n', timeoutMs: FIRST_TIMEOUT_MS };
  try {
    const { kind, exitCode, stdout, stderr } = await sandbox.run(program, new AbortController().signal);
    if (stdout === 'ready\n') return undefined;
    return stderr.trim().split('\n').at(-1) || `the program ${kind} with status ${exitCode}`;
  } catch (error) {
    if (error instanceof RecordFailure) return error.message;
    throw error;
  } finally {
    await sandbox.close();
  }
}

/** Kernel messages if this user may not create namespaces, or root cannot switch to another user. */
const NO_NAMESPACES = /namespace|uid map|as user \d|clone\(/i;
const NO_PYTHON = /python3: not found/;

/** Advice if no program runs in bubblewrap, by its message. */
export function remedyFor(problem: string): string {
  if (NO_PYTHON.test(problem)) return 'install python3 (Debian, Ubuntu: apt-get install -y python3)';
  if (NO_NAMESPACES.test(problem))
    return 'run as an ordinary user who may make user namespaces (see "Back ends" in docs/sandbox.md)';
  return HOW_TO_GET_BUBBLEWRAP;
}

const HOW_TO_GET_BUBBLEWRAP =
  'install bubblewrap 0.8 or newer and python3 (Debian, Ubuntu: apt-get install -y bubblewrap python3)';

/** Counter for unique control group names. */
let created = 0;

/** Creates the configured bubblewrap sandbox, with control groups in `parent` if any, without starting anything. */
function openBubblewrap(config: CodeConfig, parent: CgroupParent | undefined, concurrency?: number): Sandbox {
  created += 1;
  const count = created;
  const limits = limitsOf(config);
  return createBubblewrapSandbox({
    limits,
    timeoutMs: config.timeout_s * 1000,
    concurrency: concurrency ?? config.concurrency ?? programsAtOnce(limits),
    openCgroup: parent && ((slot) => createCgroup(parent, cgroupName(count, slot))),
    file: programOnPath('bwrap') ?? 'bwrap',
  });
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
