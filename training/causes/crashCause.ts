import type { FailureSigns } from '../../contract/trainer.ts';
import type { CrashCause } from '../../schemas/training/jobRecord.ts';
import { lastWords } from './lastWords.ts';
import { plainConsole } from './plainConsole.ts';

/** How a trainer ended, not well. */
interface Crash {
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
interface CrashReport {
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

/** What to do about a cause. */
export const causeAdvice: Readonly<Record<CrashCause, string>> = {
  gpu_out_of_memory:
    'use more GPUs, ZeRO-3 or FSDP offloading, gradient checkpointing, or a dataset of a lower cutoff_len',
  host_out_of_memory:
    'raise the memory limit of the job, use fewer processes on a machine, or a dataset of a lower cutoff_len',
  disk_full: 'free space or limit the checkpoints that are kept, then resume: a torn checkpoint is put aside',
  port_in_use:
    'start it again: one machine takes a free port each time; several machines without a scheduler need another port in RDZV_ENDPOINT (training.torchrun.rendezvous)',
  rendezvous_timeout:
    "see whether every machine reaches the first one's address and port, whether another program has that port, and whether one machine ended first",
  missing_package: "install it in the trainer's Python environment, then resume",
  missing_program: "name the trainer's Python with --python, or put its bin folder on the PATH",
  broken_checkpoint: 'resume: the checkpoint that it began with is put aside, and another is tried',
  wrong_model:
    'see that --model names a folder with config.json, weights and tokenizer, or a model that is on this machine',
  nan_loss:
    'lower the learning rate, warm up longer, or train in bf16 in place of fp16, under another --job name',
  steps_missing: 'compare the log with the plan; resume, or start the job again under another --job name',
  killed: 'resume it; a scheduler, an administrator or the kernel may have ended it',
};
