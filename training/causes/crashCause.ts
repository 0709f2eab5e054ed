import type { FailureSigns } from '../../contract/trainer.ts';
import type { CrashCause } from '../../schemas/training/jobRecord.ts';
import { lastWords } from './lastWords.ts';
import { plainConsole } from './plainConsole.ts';

/** How a trainer ended, not well. */
export interface Crash {
  readonly exitCode: number | null;
  /** The system ended one of its processes for lack of memory. */
  readonly outOfMemory: boolean;
  /** The machine ended some process for lack of memory; that it was one of its own is to be seen. */
  readonly machineOutOfMemory?: boolean;
  /** The end of what it printed, both streams. */
  readonly console: string;
  /** Step of the checkpoint that it went on from; 0 for a fresh start. */
  readonly fromStep: number;
  /** What this trainer prints when it fails. */
  readonly signs: FailureSigns;
}

/** Why a trainer ended. */
export interface CrashReport {
  /** Null when nothing is recognised. */
  readonly cause: CrashCause | null;
  readonly lastWords: string;
}

/** The likely cause of a trainer's end and its own last words. A rule over what it printed, and nothing else. */
export function crashCause(crash: Crash): CrashReport {
  const lines = plainConsole(crash.console);
  const words = lastWords(lines);
  // All that was printed comes last: earlier lines may hold warnings that did no harm.
  const cause =
    exitCause(crash) ??
    printedCause(words, crash) ??
    signalCause(crash) ??
    printedCause(lines.join('\n'), crash);
  return { cause, lastWords: words };
}

function printedCause(text: string, { fromStep, signs }: Crash): CrashCause | null {
  const known = signs.printed.find(([, pattern]) => pattern.test(text));
  if (known) return known[0];
  if (signs.unreadable.test(text)) return fromStep > 0 ? 'broken_checkpoint' : 'wrong_model';
  return signs.wrongModel.test(text) ? 'wrong_model' : null;
}

function exitCause(crash: Crash): CrashCause | null {
  const { exitCode, outOfMemory, machineOutOfMemory } = crash;
  if (outOfMemory || (machineOutOfMemory && wasKilled(crash))) return 'host_out_of_memory';
  // What the shell answers for a command that is not there, or no program.
  return exitCode === 127 || exitCode === 126 ? 'missing_program' : null;
}

/** Whether SIGKILL ended it, or one of its workers by the words of the shell, Python or torchrun. */
function wasKilled({ exitCode, console }: Crash): boolean {
  return exitCode === null || exitCode === 137 || /SIGKILL|exitcode\s*: -9\b|\bKilled\b/.test(console);
}

/** SIGINT, SIGKILL, SIGTERM, which nobody sent through coa-distill. */
function signalCause({ exitCode }: Crash): CrashCause | null {
  return exitCode === 130 || exitCode === 137 || exitCode === 143 ? 'killed' : null;
}
