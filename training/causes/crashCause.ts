import type { FailureSigns } from '../../contract/trainer.ts';
import type { CrashCause } from '../../schemas/training/jobRecord.ts';

interface Crash {
  readonly exitCode: number | null;
  /** The kernel killed one of its processes for lack of memory. */
  readonly outOfMemory: boolean;
  /** The kernel killed some process of the machine for lack of memory; the console tells if it was the trainer's. */
  readonly machineOutOfMemory?: boolean;
  /** End of its output, both streams. */
  readonly console: string;
  /** Step of the checkpoint that it resumed from; 0 for a fresh start. */
  readonly fromStep: number;
  readonly signs: FailureSigns;
}

interface CrashReport {
  /** Null if nothing is recognised. */
  readonly cause: CrashCause | null;
  readonly lastWords: string;
}

/** Likely cause of a trainer's end and its own last words, based on its output only. */
export function crashCause(crash: Crash): CrashReport {
  const lines = plainConsole(crash.console);
  const words = lastWords(lines);
  // The full output is examined last, since earlier lines may contain harmless warnings.
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
  // Shell exit codes for a missing command and for a file that is no program.
  return exitCode === 127 || exitCode === 126 ? 'missing_program' : null;
}

/** True if SIGKILL ended it, or one of its workers according to the shell, Python or torchrun. */
function wasKilled({ exitCode, console }: Crash): boolean {
  return exitCode === null || exitCode === 137 || /SIGKILL|exitcode\s*: -9\b|\bKilled\b/.test(console);
}

/** SIGINT, SIGKILL or SIGTERM from outside of coa-distill. */
function signalCause({ exitCode }: Crash): CrashCause | null {
  return exitCode === 130 || exitCode === 137 || exitCode === 143 ? 'killed' : null;
}

export const causeAdvice: Readonly<Record<CrashCause, string>> = {
  gpu_out_of_memory:
    'use more GPUs, ZeRO-3 or FSDP offloading, gradient checkpointing, or a dataset of a lower cutoff_len',
  host_out_of_memory:
    'raise the memory limit of the job, use fewer processes on a machine, or a dataset of a lower cutoff_len',
  disk_full: 'free space or limit the checkpoints that are kept, then resume: a torn checkpoint is put aside',
  port_in_use:
    'start it again: one machine takes a free port each time; several machines without a scheduler need another port in RDZV_ENDPOINT',
  rendezvous_timeout:
    "see whether every machine reaches the first one's address and port, whether another program has that port, and whether one machine ended first",
  missing_package: "install it in the trainer's Python environment, then resume",
  missing_program: "name the trainer's Python with --set python=PATH, or put its bin folder on the PATH",
  broken_checkpoint: 'resume: the checkpoint that it began with is put aside, and another is tried',
  wrong_model:
    'see that --model names a folder with config.json, weights and tokenizer, or a model that is on this machine',
  nan_loss:
    'lower the learning rate, warm up longer, or train in bf16 in place of fp16, under another --job name',
  rollouts_failed:
    "see failures.jsonl in the job's folder; bring the tools or the judge up again (coa-distill serve rl), then resume",
  steps_missing: 'compare the log with the plan; resume, or start the job again under another --job name',
  killed: 'resume it; a scheduler, an administrator or the kernel may have ended it',
};

/** Lines shown without a Python error. */
const LAST_LINES = 12;
/** Maximum lines of an error message; some contain a table. */
const MESSAGE_LINES = 12;
/** Lines shown of the call stack above it. */
const STACK_LINES = 4;
/** Python's separators between chained errors. */
const chained = /^(During handling of the above exception|The above exception was the direct cause)/;
const MAX_CHARS = 3_000;

/** Errors of torchrun and similar launchers about a worker's end; the worker itself printed the cause. */
const launcherErrors = /ChildFailedError|^torch\.distributed\.elastic\.multiprocessing|CalledProcessError/;

/**
 * Last words of a trainer: the last Python error with the end of its call stack, ignoring launcher errors about a
 * worker; without one, the last lines.
 *
 * @param lines output of the trainer, from {@link plainConsole}
 */
export function lastWords(lines: readonly string[]): string {
  const errors = pythonErrors(lines);
  const error = errors.findLast(({ message }) => !launcherErrors.test(message[0]!)) ?? errors.at(-1);
  const words = error
    ? [...rootsOf(error, errors), ...error.stack, ...error.message]
    : lines.slice(-LAST_LINES);
  return words.join('\n').slice(-MAX_CHARS);
}

/** Errors that caused another, earliest first; often only the earliest names the problem. */
function rootsOf(error: PythonError, errors: readonly PythonError[]): string[] {
  const at = errors.indexOf(error);
  const first = errors.findLastIndex(({ isChained }, n) => n <= at && !isChained);
  return errors.slice(first, at).map(({ message }) => message[0]);
}

interface PythonError {
  /** True if Python says that the error before caused it. */
  readonly isChained: boolean;
  readonly stack: readonly string[];
  readonly message: readonly [string, ...string[]];
}

/** Parses errors as Python prints them: an indented stack, then a message at the margin. */
function pythonErrors(lines: readonly string[]): PythonError[] {
  return lines.flatMap((line, at) => {
    if (!line.startsWith('Traceback (most recent call last):')) return [];
    const length = lines.slice(at + 1).findIndex((next) => !/^\s/.test(next));
    if (length < 0) return [];
    const messageAt = at + 1 + length;
    const end = lines.findIndex((next, i) => i > messageAt && isOther(next));
    const message = lines.slice(messageAt, Math.min(end < 0 ? lines.length : end, messageAt + MESSAGE_LINES));
    const stack = lines.slice(Math.max(at + 1, messageAt - STACK_LINES), messageAt);
    return [
      { isChained: chained.test(lines[at - 1] ?? ''), stack, message: message as [string, ...string[]] },
    ];
  });
}

/** True for a line after an error's message: another error, or further log output. */
function isOther(line: string): boolean {
  return /^(Traceback|During handling|The above exception|\[(INFO|WARNING|ERROR)|[WEI]\d{4} |\d{4}-\d\d-\d\d |Exception ignored)/.test(
    line,
  );
}

/** Terminal escape sequences: colours, cursor movements, titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Progress bars such as `12%|####   | 3/25 [00:05<00:12, ...`. */
const progressBar = /\d%\|[^|]{0,500}\| {0,20}\d{1,12}\/\d/;

/** Maximum length of a line, which bounds the time of pattern matching. */
const MAX_LINE_CHARS = 2_000;

/** Rank prefix that torch puts before error lines of a worker. */
const rankPrefix = /^\[rank\d+\]: ?/;

/** Converts output to lines of plain text, without terminal sequences and progress bars. */
export function plainConsole(text: string): string[] {
  return text
    .replace(escapeSequence, '')
    .split(/\r?\n/)
    .map((line) =>
      (line.split('\r').findLast((part) => part.trim() !== '') ?? '')
        .slice(0, MAX_LINE_CHARS)
        .replace(rankPrefix, '')
        .trimEnd(),
    )
    .filter((line) => line !== '' && !progressBar.test(line));
}
