import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxLimits, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import { STATUS_FD, WORKING_FOLDER } from './insideCommand.ts';
import { createSlots, DEFAULT_LIMITS, type DefaultLimits, limitsOfRun } from './sandboxLimits.ts';
import { killGroup, sendOn, spawnSealed } from './spawnSealed.ts';
import type { Cgroup } from './tree/cgroup.ts';
import { overLimit } from './tree/treeUse.ts';
import { collectBytes, watchProgram } from './watchProgram.ts';

/** What a sandbox is created with. */
export interface JailOptions {
  /** Limits of programs that bring none; the defaults of `tools.code` where absent. */
  readonly limits?: DefaultLimits;
  readonly timeoutMs: number;
  /** Programs run at once. */
  readonly concurrency: number;
  /** Opens the control group of a slot, which holds the memory of the tree; without one the sum is watched. */
  readonly openCgroup?: ((slot: number) => Cgroup) | undefined;
}

/** A command that is ready to run a program, and what goes to its descriptors. */
export interface JailedCommand {
  readonly command: readonly string[];
  /** Further descriptors that it writes to or reads from. */
  readonly sends: readonly (readonly [descriptor: number, content: string | Uint8Array])[];
  readonly reads: readonly number[];
}

/** How a back end starts a program, and how it tells the end of one. */
export interface Jail {
  readonly name: 'bubblewrap' | 'nsjail';
  command(
    program: SandboxProgram,
    run: { readonly limits: SandboxLimits; readonly timeoutMs: number },
  ): JailedCommand;
  /** The program's status by what was said on {@link STATUS_FD}; undefined when it never began. */
  statusOf(report: string, exitCode: number): number | undefined;
  /** Descriptor with the back end's own complaints, where they don't come on stderr. */
  readonly logFd?: number;
}

/** 128 + SIGXCPU: a process used up the CPU time. */
const CPU_LIMIT_STATUS = 152;
/** A report is a few lines; what a program adds to them is not read. */
const MAX_REPORT_BYTES = 4096;

/**
 * A sandbox that runs Python in a jail of a kind. Nothing is written to disk, so nothing is left behind. Nothing is
 * probed here: see `createSandbox`.
 */
export function createJailedSandbox(jail: Jail, options: JailOptions): Sandbox {
  const { limits: defaults = DEFAULT_LIMITS, concurrency, openCgroup } = options;
  const slots = createSlots(concurrency);
  const cgroups = new Map<number, Cgroup>();

  async function runInSlot(program: SandboxProgram, slot: number, signal: AbortSignal) {
    const timeoutMs = program.timeoutMs ?? options.timeoutMs;
    const limits = limitsOfRun(defaults, program, timeoutMs);
    const cgroup = openCgroup && (cgroups.get(slot) ?? openCgroup(slot));
    if (cgroup) cgroups.set(slot, cgroup);
    return runJailed(jail, program, { limits, timeoutMs, uid: slotUid(slot), signal, cgroup });
  }

  return {
    name: jail.name,
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
  readonly limits: SandboxLimits;
  readonly timeoutMs: number;
  readonly uid: number | undefined;
  readonly signal: AbortSignal;
  readonly cgroup: Cgroup | undefined;
}

async function runJailed(jail: Jail, program: SandboxProgram, settings: RunSettings): Promise<SandboxResult> {
  const { limits, timeoutMs, uid, signal, cgroup } = settings;
  const { command, sends, reads } = jail.command(program, settings);
  const killsBefore = cgroup?.kills() ?? 0;
  const pipes = [...sends.map(([descriptor]) => descriptor), ...reads];
  const child = spawnSealed(command, { pipes, uid });
  const report = readReport(child, STATUS_FD);
  const log = jail.logFd === undefined ? undefined : readReport(child, jail.logFd);
  const isOutOfMemory = () => cgroup !== undefined && cgroup.kills() > killsBefore;
  const kill = () => {
    // The number of a group that has ended may be another's by now.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid);
  };
  const look = () =>
    isOutOfMemory() ? ('memory_limit' as const) : overLimit(child.pid!, limits, WORKING_FOLDER);
  const watching = watchProgram(child, {
    stdin: program.stdin,
    timeoutMs,
    outputBytes: limits.outputBytes,
    signal,
    look,
    kill,
  });
  const begin = async () => {
    if (cgroup && child.pid !== undefined) await cgroup.enter(child.pid, limits.memoryBytes);
    for (const [descriptor, content] of sends) sendOn(child, descriptor, content);
  };
  const beginning = begin().catch((error) => {
    kill();
    throw error;
  });
  // Whatever fails, the program has ended before anyone is told: its slot and its control group are used again.
  await Promise.allSettled([watching, beginning]);
  const [watched] = await Promise.all([watching, beginning]);
  if (isOutOfMemory()) return { ...watched, kind: 'memory_limit', exitCode: null };
  return withStatus(jail, watched, report().toString(), log?.().toString());
}

function readReport(child: ChildProcess, descriptor: number): () => Buffer {
  const stream = child.stdio[descriptor] as Readable;
  // A stream that breaks has reported nothing.
  stream.on('error', () => {});
  return collectBytes(stream, MAX_REPORT_BYTES, () => {});
}

/**
 * Puts in the program's own status. Without one the program never began: why not is in the back end's log or, where
 * not even the back end began, on stderr.
 */
function withStatus(jail: Jail, result: SandboxResult, report: string, ownLog = ''): SandboxResult {
  if (result.kind !== 'exited') return result;
  const status = jail.statusOf(report, result.exitCode!);
  if (status === undefined) {
    const log = ownLog || result.stderr;
    const evidence = { sandbox: jail.name, exit_code: result.exitCode, stderr: log.slice(0, 1000) };
    const why = firstLine(log) || endedBy(result.exitCode!);
    throw new RecordFailure('sandbox_unavailable', `${jail.name} failed: ${why}`, evidence);
  }
  if (status === CPU_LIMIT_STATUS) return { ...result, kind: 'timed_out', exitCode: null };
  return { ...result, exitCode: status };
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]!;
}

function endedBy(exitCode: number): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === exitCode - 128)?.[0];
  return signal === undefined ? 'it ended without a word' : `somebody outside ended it (${signal})`;
}

/** First user id for slots: above people's accounts, below 65,536 so that containers map it. */
const FIRST_UID = 30_000;
const UIDS = 30_000;
const UIDS_PER_PROCESS = 64;

/**
 * The user id under which root runs the programs of a slot; undefined for an ordinary user, who has only one. Processes
 * beside us that sandbox too should rarely have the same.
 */
export function slotUid(slot: number): number | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  return FIRST_UID + ((process.pid * UIDS_PER_PROCESS + slot) % UIDS);
}
