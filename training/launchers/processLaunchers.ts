import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { ifThere, onDisk, systemErrorCode } from '../../base/files/diskError.ts';
import { readPlain } from '../../base/files/plainFile.ts';
import { findProcesses, processTree } from '../../base/processes/findProcesses.ts';
import { isProcessAlive, processIdentity } from '../../base/processes/processIdentity.ts';
import { UserError } from '../../base/userError.ts';
import type { JobControl, JobState, Launcher, StartRequest } from '../../contract/launcher.ts';
import { runScriptFile } from '../render/runScript.ts';

/** What both share: `run.sh` as processes of this machine. */
const ofThisMachine = {
  runsHere: true,
  hasOwnFiles: false,
  render: () => ({ files: [], start: { argv: ['bash', runScriptFile], env: {} } }),
  open: processControl,
} as const;

/** A job on this machine alone. */
export const localLauncher: Launcher = {
  ...ofThisMachine,
  name: 'local',
  startedOnEachMachine: false,
  refuse({ nodes }) {
    if (nodes === 1) return;
    throw new UserError(
      `training.nodes: expected 1 for launcher local, got ${nodes}; use torchrun, slurm, ray or kubernetes for several machines`,
    );
  },
};

/** This machine's share of a job over several machines without a scheduler. */
export const torchrunLauncher: Launcher = {
  ...ofThisMachine,
  name: 'torchrun',
  startedOnEachMachine: true,
};

const handleSchema = z.object({
  kind: z.literal('process'),
  host: z.string(),
  /** Leader of the session that the trainer is started in. */
  pid: z.int().positive(),
  /** Tells the process from a later one of the same id; null where the system does not say. */
  process_identity: z.string().nullable(),
  /** Value of `COA_DISTILL_JOB` in the environment of each of its processes, whatever session they move to. */
  mark: z.string(),
});
type ProcessHandle = z.infer<typeof handleSchema>;

/** Carried by every process of a job; torchrun's workers, for instance, have sessions of their own. */
const MARK_VARIABLE = 'COA_DISTILL_JOB';

/**
 * In the job's folder: the process id of the shell below, the exit code that it saw, and how many processes of the
 * job's control group the kernel ended for lack of memory in the meantime. Where the group can't be seen, all of the
 * machine count (`oom_kill` of `/proc/vmstat`; 0 where there is none).
 */
const EXIT_FILE = 'exit_code';

/** How long processes have to end by themselves: a trainer may be saving. */
const GRACE_MS = 15_000;
/** After SIGKILL a process goes at once, but for one that waits for a disk or a driver. */
const KILL_LIMIT_MS = 60_000;
const POLL_MS = 100;

/**
 * Stays with the trainer when nobody else does, and writes down how it ended. It outlives the signals that the trainer
 * ends from: a signal that is caught, unlike one that is ignored, does its usual work in the trainer. Told to end before
 * the trainer has begun, it does not begin it: nobody would tell the trainer.
 */
const keeper = `told=; trap 'told=143' HUP INT TERM
first=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup 2>/dev/null)
second=$(sed -n 's/^0:://p' /proc/self/cgroup 2>/dev/null)
for counts in "/sys/fs/cgroup/memory$first/memory.oom_control" \\
  "/sys/fs/cgroup$second/memory.events.local" /proc/vmstat; do
  grep -qs '^oom_kill ' "$counts" && break
done
killed_for_memory() { sed -n 's/^oom_kill //p' "$counts" 2>/dev/null; }
file=$1; shift
before=$(killed_for_memory)
if [ -z "$told" ]; then "$@"; code=$?; else code=$told; fi
after=$(killed_for_memory)
printf '%s %s %s\\n' "$$" "$code" "$((after - before))" > "$file.tmp" && mv -f "$file.tmp" "$file"
exit "$code"`;

/**
 * Starts a job as processes of this machine, in a session of their own: they go on when this process ends. On systems
 * without `/proc` only the session's process group is seen and ended.
 *
 * @param graceMs time between SIGTERM and SIGKILL
 */
export function processControl(clock: Clock, graceMs = GRACE_MS): JobControl {
  return {
    start,
    state: async (handle, folder) => stateOf(handleSchema.parse(handle), folder),
    stop: async (handle) => stop(handleSchema.parse(handle), clock, graceMs),
  };
}

async function start({ folder, argv, env, consoleFile }: StartRequest): Promise<ProcessHandle> {
  const left = findProcesses(MARK_VARIABLE, folder) ?? [];
  if (left.length > 0) {
    throw new UserError(
      `${folder}: processes of this job still run (${left.join(', ')}); stop them with kill, then start it again`,
    );
  }
  const exitFile = join(folder, EXIT_FILE);
  const console = join(folder, consoleFile);
  const output = await onDisk(console, async () => {
    await rm(exitFile, { force: true });
    return openSync(console, 'a');
  });
  try {
    const child = spawn('/bin/sh', ['-c', keeper, 'coa-distill-job', exitFile, ...argv], {
      cwd: folder,
      env: { ...process.env, ...env, [MARK_VARIABLE]: folder },
      stdio: ['ignore', output, output],
      detached: true,
    });
    await once(child, 'spawn');
    child.unref();
    const pid = child.pid!;
    return {
      kind: 'process',
      host: hostname(),
      pid,
      process_identity: processIdentity(pid),
      mark: folder,
    };
  } finally {
    closeSync(output);
  }
}

async function stateOf(handle: ProcessHandle, folder: string): Promise<JobState> {
  if (handle.host !== hostname()) {
    throw new UserError(`${folder}: the job was started on ${handle.host}; ask there, this is ${hostname()}`);
  }
  const seen = await readExit(handle, folder);
  // Workers that a killed trainer left behind don't make it run on; `stop` ends them.
  if (seen === undefined && isAnyAlive(handle)) return { kind: 'running' };
  // It may have ended between the two looks.
  return seen ?? (await readExit(handle, folder)) ?? { kind: 'ended', exitCode: null, outOfMemory: false };
}

/** What the keeper wrote; undefined before, and for ever where the keeper itself was killed. */
async function readExit({ pid }: ProcessHandle, folder: string): Promise<JobState | undefined> {
  const bytes = await ifThere(readPlain(join(folder, EXIT_FILE)));
  if (bytes === undefined) return undefined;
  const [who, exitCode, killedForMemory] = bytes.toString().trim().split(' ').map(Number);
  if (who !== pid || exitCode === undefined) return undefined;
  const machineOutOfMemory = (killedForMemory ?? 0) > 0;
  return { kind: 'ended', exitCode, outOfMemory: false, ...(machineOutOfMemory && { machineOutOfMemory }) };
}

function isAnyAlive(handle: ProcessHandle): boolean {
  if (isProcessAlive(handle.pid, handle.process_identity)) return true;
  const marked = findProcesses(MARK_VARIABLE, handle.mark);
  return marked !== undefined && marked.length > 0;
}

async function stop(handle: ProcessHandle, clock: Clock, graceMs: number): Promise<void> {
  if (handle.host !== hostname()) {
    throw new UserError(`the job was started on ${handle.host}; stop it there, this is ${hostname()}`);
  }
  const known = new Map<number, string | null>();
  signalAll(livingProcesses(handle, known), 'SIGTERM');
  const killAt = clock.monotonicMs() + graceMs;
  for (;;) {
    const living = livingProcesses(handle, known);
    if (living.length === 0) return;
    const now = clock.monotonicMs();
    if (now >= killAt + KILL_LIMIT_MS) throw notEnded(living, 'were told to end, and have not');
    // Again and again: a process may start another one in the meantime.
    if (now >= killAt) signalAll(living, 'SIGKILL');
    await clock.sleep(POLL_MS);
  }
}

/**
 * The job's processes that run; the group of its leader, as a negative number, where the system has no `/proc`. The
 * mark alone is not enough: a process may write over its environment (setproctitle does, in Ray's workers).
 *
 * @param known those that were seen before, with their identities, which may have lost their parent since; added to
 */
function livingProcesses(handle: ProcessHandle, known: Map<number, string | null>): number[] {
  const isLed = isProcessAlive(handle.pid, handle.process_identity);
  const marked = findProcesses(MARK_VARIABLE, handle.mark);
  const tree = isLed ? processTree(handle.pid) : [];
  if (marked === undefined || tree === undefined) return isLed ? [-handle.pid] : [];
  for (const pid of [...marked, ...tree]) {
    const identity = processIdentity(pid);
    // Where the system tells identities, one without has ended since.
    if (identity !== null || handle.process_identity === null) known.set(pid, identity);
  }
  return [...known].flatMap(([pid, identity]) => (isProcessAlive(pid, identity) ? [pid] : []));
}

/** Signals each once: a second SIGTERM cuts torchrun's own tidying short. */
function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  const forbidden = pids.filter((pid) => !signalled(pid, signal));
  if (forbidden.length > 0) throw notEnded(forbidden, 'run as another user');
}

/** Signals a process; false where only another user may. */
function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EPERM') return false;
    // It has ended in the meantime.
    if (code !== 'ESRCH') throw error;
  }
  return true;
}

function notEnded(pids: readonly number[], why: string): UserError {
  return new UserError(
    `processes of the job ${why} (${pids.join(', ')}); look at them with ps, and end them with kill -9`,
  );
}
