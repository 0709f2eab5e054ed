import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxLimits, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import { bubblewrapCommand, FILTER_FD, PROGRAM_FD, STATUS_FD, WORKING_FOLDER } from './bubblewrapCommand.ts';
import { createSlots, DEFAULT_LIMITS, type DefaultLimits, limitsOfRun } from './sandboxLimits.ts';
import { killGroup, sendOn, spawnSealed } from './spawnSealed.ts';
import { seccompFilter } from './systemCallFilter.ts';
import type { Cgroup } from './tree/cgroup.ts';
import { overLimit } from './tree/treeUse.ts';
import { collectBytes, watchProgram } from './watchProgram.ts';

export interface BubblewrapOptions {
  /** Limits of programs that bring none. Default: those of `tools.code`. */
  readonly limits?: DefaultLimits;
  readonly timeoutMs: number;
  /** Programs that run at once. */
  readonly concurrency: number;
  /** Opens the control group of a slot, which limits the memory of the tree. Default: the sum is watched instead. */
  readonly openCgroup?: ((slot: number) => Cgroup) | undefined;
  /** The program. Default: `bwrap` in `/usr/bin` or `/bin`. */
  readonly file?: string;
}

/** 128 + SIGXCPU: a process used up the CPU time. */
const CPU_LIMIT_STATUS = 152;
/** A report is a few lines; anything that a program adds to them is dropped. */
const MAX_REPORT_BYTES = 4096;

/**
 * A sandbox that runs Python in bubblewrap. Nothing is written to disk, so nothing is left behind. Nothing is probed
 * here: see `createSandbox`.
 */
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
  // A stream that breaks has reported nothing.
  reportStream.on('error', () => {});
  const report = collectBytes(reportStream, MAX_REPORT_BYTES, () => {});
  const isOutOfMemory = () => cgroup !== undefined && cgroup.kills() > killsBefore;
  const kill = () => {
    // The number of a group that has ended may be another's by now.
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
  // Whatever fails, the program has ended before this returns: its slot and its control group are used again.
  await Promise.allSettled([watching, beginning]);
  const [watched] = await Promise.all([watching, beginning]);
  if (isOutOfMemory()) return { ...watched, kind: 'memory_limit', exitCode: null };
  return withStatus(watched, report().toString());
}

/** Puts in the program's own status. Without one the program never began, and bubblewrap says why on stderr. */
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

/** First user id for slots: above people's accounts, below 65,536 so that containers map it. */
const FIRST_UID = 30_000;
const UIDS = 30_000;
const UIDS_PER_PROCESS = 64;

/**
 * The user id under which root runs the programs of a slot; undefined for an ordinary user, who has only one. Other
 * processes that sandbox on the same machine should rarely have the same.
 */
export function slotUid(slot: number): number | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  return FIRST_UID + ((process.pid * UIDS_PER_PROCESS + slot) % UIDS);
}
