import { execFile } from 'node:child_process';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { UserError } from '../../base/userError.ts';

/** Controllers answer within seconds, or not at all. */
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** A scheduler's own command-line program, and what to do where it is missing. */
export interface SchedulerProgram {
  readonly name: string;
  /** Ends the sentence "... was not found: ". */
  readonly remedy: string;
}

/** How such a command ended. */
export interface CommandResult {
  /** Null where it did not answer in time. */
  readonly code: number | null;
  readonly stdout: string;
  /** The error that it printed, on one line. */
  readonly error: string;
}

/** Where a command runs. */
export interface CommandOptions {
  readonly cwd: string;
  /** Added to this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a scheduler's command to its end. Throws `UserError` when the program is not installed. */
export function schedulerCommand(
  { name, remedy }: SchedulerProgram,
  args: readonly string[],
  { cwd, env }: CommandOptions,
): Promise<CommandResult> {
  const options = { cwd, env: { ...process.env, ...env }, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES };
  return new Promise((resolve, reject) => {
    execFile(name, [...args], options, (failure, stdout, stderr) => {
      if (failure !== null && systemErrorCode(failure) === 'ENOENT') {
        reject(new UserError(`${name} was not found: ${remedy}`, { cause: failure }));
        return;
      }
      const error = onOneLine(stderr);
      if (failure === null) resolve({ code: 0, stdout, error });
      else if (typeof failure.code === 'number') resolve({ code: failure.code, stdout, error });
      else resolve({ code: null, stdout, error: error || onOneLine(failure.message) });
    });
  });
}

function onOneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, '; ');
}
