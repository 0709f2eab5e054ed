import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { RecordFailure } from '../../pipeline/contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../pipeline/contract/sandbox.ts';
import { bubblewrapCommand, PROGRAM_FD, STATUS_FD } from './bubblewrapCommand.ts';
import { createSlots } from './createSlots.ts';
import { inheritedDescriptors } from './inheritedDescriptors.ts';
import { watchProgram } from './watchProgram.ts';

/** Limits of a bubblewrap sandbox. */
export interface BubblewrapOptions {
  readonly memoryMb: number;
  readonly timeoutMs: number;
  /** Programs run at once. */
  readonly concurrency: number;
}

/** `timeout` waits this much longer than we do. */
const BACKSTOP_SECONDS = 2;
/** 128 + SIGXCPU: the program used more CPU time than the wall-clock limit allows one thread. */
const CPU_LIMIT_STATUS = 152;
/** First user id for slots: above people's accounts, below 65,536 so that containers map it. */
const FIRST_UID = 30_000;
const UIDS = 30_000;
const UIDS_PER_PROCESS = 64;

/**
 * A sandbox that runs Python in bubblewrap, whose command line is {@link bubblewrapCommand}. Nothing is written to
 * disk, so nothing is left behind. Nothing is checked here: see `createSandbox`.
 */
export function createBubblewrapSandbox({ memoryMb, timeoutMs, concurrency }: BubblewrapOptions): Sandbox {
  const slots = createSlots(concurrency);
  const asRoot = process.geteuid?.() === 0;

  async function runInSlot(
    program: SandboxProgram,
    slot: number,
    signal: AbortSignal,
  ): Promise<SandboxResult> {
    const limitMs = program.timeoutMs ?? timeoutMs;
    const command = bubblewrapCommand({
      ...(asRoot ? { uid: slotUid(process.pid, slot) } : {}),
      memoryMb,
      backstopSeconds: Math.ceil(limitMs / 1000) + BACKSTOP_SECONDS,
    });
    const child = spawnSealed(command);
    // Never rejects: a stream that breaks has reported nothing.
    const status = text(child.stdio[STATUS_FD] as Readable).catch(() => '');
    sendProgram(child, program.code);
    const kill = () => killGroup(child);
    const result = await watchProgram(child, { stdin: program.stdin, timeoutMs: limitMs, signal, kill });
    return withProgramStatus(result, await status);
  }

  return {
    name: 'bubblewrap',
    isolates: true,
    run: (program, signal) => slots.use((slot) => runInSlot(program, slot, signal), signal),
    close: () => slots.drained(),
  };
}

/** The user id of a slot: processes beside us that sandbox too should rarely have the same. */
function slotUid(pid: number, slot: number): number {
  return FIRST_UID + ((pid * UIDS_PER_PROCESS + slot) % UIDS);
}

/** Starts a command in a process group of its own with nothing of ours: no environment, no descriptors. */
function spawnSealed([file, ...args]: string[]): ChildProcess {
  const nothing = openSync('/dev/null', 'r');
  try {
    const stdio: ('pipe' | 'ignore' | number)[] = Array.from({ length: STATUS_FD + 1 }, () => 'pipe');
    for (const descriptor of inheritedDescriptors()) {
      while (stdio.length <= descriptor) stdio.push('ignore');
      if (descriptor > STATUS_FD) stdio[descriptor] = nothing;
    }
    return spawn(file!, args, { stdio, detached: true, cwd: '/', env: { PATH: '/usr/bin:/bin' } });
  } finally {
    closeSync(nothing);
  }
}

function sendProgram(child: ChildProcess, code: string): void {
  const stream = child.stdio[PROGRAM_FD] as Writable;
  // bubblewrap may fail before it reads the program; its status says so.
  stream.on('error', () => {});
  stream.end(code);
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Puts in the status that bubblewrap reports. Without one the program never ran to its end. */
function withProgramStatus(result: SandboxResult, report: string): SandboxResult {
  if (result.kind !== 'exited') return result;
  const status = /"exit-code":\s*(\d+)/.exec(report)?.[1];
  if (status === undefined) {
    const evidence = {
      sandbox: 'bubblewrap',
      exit_code: result.exitCode,
      stderr: result.stderr.slice(0, 1000),
    };
    throw new RecordFailure(
      'sandbox_unavailable',
      `bubblewrap failed: ${firstLine(result.stderr)}`,
      evidence,
    );
  }
  if (Number(status) === CPU_LIMIT_STATUS) return { ...result, kind: 'timed_out', exitCode: null };
  return { ...result, exitCode: Number(status) };
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] || 'it ended without a word';
}
