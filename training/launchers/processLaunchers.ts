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

/** Shared part: `run.sh` as processes of this machine. */
const ofThisMachine = {
  runsHere: true,
  hasOwnFiles: false,
  render: () => ({ files: [], start: { argv: ['bash', runScriptFile], env: {} } }),
  open: processControl,
} as const;

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

/** This machine's part of a job over several machines without a scheduler. */
export const torchrunLauncher: Launcher = {
  ...ofThisMachine,
  name: 'torchrun',
  startedOnEachMachine: true,
};

const handleSchema = z.object({
  kind: z.literal('process'),
  host: z.string(),
  /** Leader of the trainer's session. */
  pid: z.int().positive(),
  /** Distinguishes the process from a later one with the same id; null if the system gives no identity. */
  process_identity: z.string().nullable(),
  /** Value of `COA_DISTILL_JOB` in the environment of all its processes, including those in other sessions. */
  mark: z.string(),
});
type ProcessHandle = z.infer<typeof handleSchema>;

/** Set in every process of a job, since torchrun's workers have sessions of their own. */
const MARK_VARIABLE = 'COA_DISTILL_JOB';

/**
 * File in the job's folder: process id of the shell below, its exit code, and the number of processes that the kernel
 * killed for lack of memory in the job's control group. If the group is not visible, the machine's count is used
 * (`oom_kill` of `/proc/vmstat`; 0 if missing).
 */
const EXIT_FILE = 'exit_code';

/** Grace period for processes to end, since a trainer may be saving. */
const GRACE_MS = 15_000;
/** After SIGKILL, only processes waiting for a disk or a driver remain. */
const KILL_LIMIT_MS = 60_000;
const POLL_MS = 100;

/**
 * Shell that stays with the trainer and records its exit code. It survives the signals that end the trainer: a caught
 * signal, unlike an ignored one, keeps its default action in the trainer. If signalled before the trainer has started,
 * it does not start it, since the trainer would miss the signal.
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
 * Starts a job as local processes in a session of their own, which survive this process. Without `/proc`, only the
 * session's process group is visible and stopped.
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
  // Workers left behind by a killed trainer do not count as running; `stop` ends them.
  if (seen === undefined && isAnyAlive(handle)) return { kind: 'running' };
  // The process may have ended between the two checks.
  return seen ?? (await readExit(handle, folder)) ?? { kind: 'ended', exitCode: null, outOfMemory: false };
}

/** Output of the keeper; undefined before the end, and if the keeper itself was killed. */
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
    // Repeated, since a process may start another one in the meantime.
    if (now >= killAt) signalAll(living, 'SIGKILL');
    await clock.sleep(POLL_MS);
  }
}

/**
 * Running processes of a job; without `/proc`, the group of its leader as a negative number. The mark alone is not
 * enough, since a process may overwrite its environment (setproctitle does, in Ray's workers).
 *
 * @param known earlier results with identities, whose parents may be gone; updated
 */
function livingProcesses(handle: ProcessHandle, known: Map<number, string | null>): number[] {
  const isLed = isProcessAlive(handle.pid, handle.process_identity);
  const marked = findProcesses(MARK_VARIABLE, handle.mark);
  const tree = isLed ? processTree(handle.pid) : [];
  if (marked === undefined || tree === undefined) return isLed ? [-handle.pid] : [];
  for (const pid of [...marked, ...tree]) {
    const identity = processIdentity(pid);
    // A process without an identity has ended, if the system provides identities.
    if (identity !== null || handle.process_identity === null) known.set(pid, identity);
  }
  return [...known].flatMap(([pid, identity]) => (isProcessAlive(pid, identity) ? [pid] : []));
}

/** Signals each process once: a second SIGTERM would cut torchrun's own cleanup short. */
function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  const forbidden = pids.filter((pid) => !signalled(pid, signal));
  if (forbidden.length > 0) throw notEnded(forbidden, 'run as another user');
}

/** Signals a process; false without permission. */
function signalled(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EPERM') return false;
    // ESRCH: it has ended in the meantime.
    if (code !== 'ESRCH') throw error;
  }
  return true;
}

function notEnded(pids: readonly number[], why: string): UserError {
  return new UserError(
    `processes of the job ${why} (${pids.join(', ')}); look at them with ps, and end them with kill -9`,
  );
}
